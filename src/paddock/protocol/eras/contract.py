"""What the two eras have in common: the contract that dispatch, contexts and transports use.

An era is a table of methods and a way to shape answers. A method that is not in an era's table
does not exist in that era; there is no other version gate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from paddock.protocol.request import Result

if TYPE_CHECKING:
    from paddock.protocol.asking import Answers, Ask
    from paddock.protocol.errors import ProtocolError
    from paddock.protocol.facts import Json, ServerFacts
    from paddock.protocol.jsonrpc import RequestId
    from paddock.protocol.request import InputRequired, Request

Outcome = Result | None
"""What an operation did: finished with a result, or (None) gave the request work to do, or will
answer later by itself."""

Operation = Callable[["Request"], Outcome]


class Era(Protocol):
    """One protocol era on one connection."""

    methods: dict[str, Operation]
    is_stateless: bool

    def enter(self, request: Request) -> None:
        """Check what every request of the era must have.

        Raises:
            ProtocolError: when it lacks something.
        """

    def reply(self, request: Request, result: Result) -> bytes:
        """The frame of a complete result."""

    def error(self, request_id: RequestId, error: ProtocolError) -> bytes:
        """The frame of an error, with the code that this era has for it."""

    def input_required(self, request: Request, required: InputRequired) -> bytes:
        """The frame that sends a handler's questions to the client."""

    def ask(self, request: Request, asks: dict[str, Ask]) -> Json | Answers:
        """The answers to questions, or something that waits for them."""

    def version(self, request: Request) -> str:
        """The protocol version of a request."""

    def client_capabilities(self, request: Request) -> Json:
        """What the client of a request has declared."""

    def client_info(self, request: Request) -> Json | None:
        """Who the client of a request says it is."""

    def log_level(self, request: Request) -> str | None:
        """The lowest level at which this request's log messages are wanted; None: not at all."""

    def announce(self, kind: str, uri: str | None) -> int:
        """Tell the peer that a list or a resource has changed; how many messages were sent."""

    def close(self) -> None:
        """End what is open, gracefully."""


class Operations(Protocol):
    """What a server answers; implemented by `authoring.operations`."""

    @property
    def facts(self) -> ServerFacts:
        """What the server says about itself."""

    def list_tools(self, request: Request, /) -> Outcome:
        """Answer `tools/list`, or begin to."""

    def call_tool(self, request: Request, /) -> Outcome:
        """Answer `tools/call`, or begin to."""

    def list_prompts(self, request: Request, /) -> Outcome:
        """Answer `prompts/list`, or begin to."""

    def get_prompt(self, request: Request, /) -> Outcome:
        """Answer `prompts/get`, or begin to."""

    def list_resources(self, request: Request, /) -> Outcome:
        """Answer `resources/list`, or begin to."""

    def list_templates(self, request: Request, /) -> Outcome:
        """Answer `resources/templates/list`, or begin to."""

    def read_resource(self, request: Request, /) -> Outcome:
        """Answer `resources/read`, or begin to."""

    def complete(self, request: Request, /) -> Outcome:
        """Answer `completion/complete`, or begin to."""

    @property
    def state_key(self) -> bytes:
        """The secret that seals what a client keeps for the server between two requests."""


def catalogue_methods(operations: Operations) -> dict[str, Operation]:
    """The methods that both eras have, as far as the server declares them."""
    table: dict[str, dict[str, Operation]] = {
        "tools": {"tools/list": operations.list_tools, "tools/call": operations.call_tool},
        "prompts": {"prompts/list": operations.list_prompts, "prompts/get": operations.get_prompt},
        "resources": {
            "resources/list": operations.list_resources,
            "resources/templates/list": operations.list_templates,
            "resources/read": operations.read_resource,
        },
        "completions": {"completion/complete": operations.complete},
    }
    declared = (rows for name, rows in table.items() if operations.facts.has(name))
    return {method: operation for rows in declared for method, operation in rows.items()}
