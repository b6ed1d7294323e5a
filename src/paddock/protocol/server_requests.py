"""Questions to the client as data: elicitation, sampling, roots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.protocol.errors import MissingCapabilityError

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, object]


class AskError(PaddockError):
    """The client refused a question, or gave an answer that makes no sense."""

    code = "ask"


class ServerRequest:
    """One question to the client."""

    __slots__ = ("method", "params", "parse_result", "required_capabilities")

    def __init__(
        self,
        method: str,
        params: Json,
        required_capabilities: Json,
        parse_result: Callable[[Json], object],
    ) -> None:
        self.method = method
        self.params = params
        self.required_capabilities = required_capabilities
        self.parse_result = parse_result

    def check_capabilities(self, declared: Json) -> None:
        """Whether the client can be asked this.

        Raises:
            MissingCapabilityError: when it has not declared what the question needs.
        """
        if not covers_capabilities(declared, self.required_capabilities):
            raise MissingCapabilityError(self.required_capabilities, self.method)

    def parse_answer(self, value: object) -> object:
        """What the handler gets for the client's raw answer.

        Raises:
            AskError: when the answer is not what the question asks for.
        """
        if not isinstance(value, dict):
            raise AskError(f"{self.method}: expected an object as the answer, got {value!r:.60}")
        return self.parse_result(value)


def covers_capabilities(declared: Json, required: Json) -> bool:
    """Whether declared capabilities include the needed ones."""
    for key, needed_value in required.items():
        declared_value = declared.get(key)
        if not isinstance(declared_value, dict):
            return False
        # An empty elicitation capability stands for forms: the versions before URL mode.
        is_plain_form = key == "elicitation" and not declared_value
        if isinstance(needed_value, dict) and not covers_capabilities(
            {"form": {}} if is_plain_form else declared_value, needed_value
        ):
            return False
    return True
