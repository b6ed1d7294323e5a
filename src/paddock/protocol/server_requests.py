"""Requests of the server to the client, for elicitation, sampling and roots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.protocol.errors import MissingCapabilityError

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, object]


class AskError(PaddockError):
    """The client declined a question or gave an invalid answer."""

    code = "ask"


class ServerRequest:
    """A request to the client.

    Args:
        method: The method of the request.
        params: Its parameters.
        required_capabilities: The capabilities that the client must have declared.
        parse_result: Converts the client's result for the handler.
    """

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
        """Check that the client supports the request.

        Raises:
            MissingCapabilityError: The client has not declared the required capabilities.
        """
        if not covers_capabilities(declared, self.required_capabilities):
            raise MissingCapabilityError(self.required_capabilities, self.method)

    def parse_answer(self, value: object) -> object:
        """Convert the client's answer for the handler.

        Raises:
            AskError: The answer is invalid.
        """
        if not isinstance(value, dict):
            raise AskError(
                f"Invalid answer to {self.method}: expected an object, got {value!r:.60}"
            )
        return self.parse_result(value)


def covers_capabilities(declared: Json, required: Json) -> bool:
    """Return whether the declared capabilities include the required ones."""
    for key, needed_value in required.items():
        declared_value = declared.get(key)
        if not isinstance(declared_value, dict):
            return False
        # An empty elicitation capability means forms, because URL mode was added later
        # (2025-11-25).
        is_plain_form = key == "elicitation" and not declared_value
        if isinstance(needed_value, dict) and not covers_capabilities(
            {"form": {}} if is_plain_form else declared_value, needed_value
        ):
            return False
    return True
