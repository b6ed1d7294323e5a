"""One tool, served: what it publishes, what its handler gets, what it answers."""

from collections.abc import Callable
from typing import Any

import jsonschema_rs

from paddock import Server, Tool
from tests.behaviour.line import Json, Line, error_text
from tests.behaviour.wire import STATELESS
from tests.conftest import Connect

UNTOUCHED = object()


class Served:
    """A tool behind a connection of its own."""

    def __init__(self, connect: Connect, tool: Tool) -> None:
        self.name = tool.name
        self.line: Line = connect(Server("s", tools=tool), STATELESS)
        (self.entry,) = self.line.result("tools/list")["tools"]
        self.schema: Json = self.entry["inputSchema"]

    def call(self, **arguments: Any) -> Json:
        return self.line.call(self.name, arguments)

    def text(self, **arguments: Any) -> str:
        return self.line.text(self.name, arguments)

    def refusal(self, **arguments: Any) -> str:
        """What is stated about wrong arguments, which the published schema refuses too."""
        assert not jsonschema_rs.is_valid(self.schema, arguments)
        return error_text(self.call(**arguments))


class Taking(Served):
    """A tool with one parameter `value` of some type, which remembers what it was given."""

    def __init__(self, connect: Connect, hint: Any, default: object = UNTOUCHED) -> None:
        self.taken: list[Any] = []
        super().__init__(connect, Tool("take", self._handler(hint, default)))

    def give(self, value: Any) -> Any:
        """What the handler gets for a JSON value, which the published schema allows too."""
        assert jsonschema_rs.is_valid(self.schema, {"value": value}), (self.schema, value)
        assert self.text(value=value) == "taken"
        return self.taken.pop()

    def give_nothing(self) -> Any:
        assert jsonschema_rs.is_valid(self.schema, {}), self.schema
        assert self.text() == "taken"
        return self.taken.pop()

    @property
    def parameter(self) -> Json:
        found: Json = self.schema["properties"]["value"]
        return found

    def _handler(self, hint: Any, default: object) -> Callable[..., str]:
        def handler(value: Any) -> str:
            self.taken.append(value)
            return "taken"

        handler.__annotations__["value"] = hint
        if default is not UNTOUCHED:
            handler.__defaults__ = (default,)
        return handler
