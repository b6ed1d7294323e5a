"""Options of tools: settings for the operator of a server, invisible to models.

Loaded before msgspec, so it imports nothing outside the standard library.
`authoring.option_values` checks values.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECRET_MASK = "\u2022\u2022\u2022"  # noqa: S105 - not a password
"""Shown instead of the value of a secret option."""


class Option:
    """An option of a tool.

    Args:
        default: The value used unless the operator sets another.
        type: Type hint that values are checked against. By default, it is the type of `default`.
            Values are not checked if both are None.
        description: Shown to the operator.
        is_secret: Hide the value in output and error messages.
    """

    __slots__ = ("default", "description", "is_secret", "type")

    def __init__(
        self,
        default: object = None,
        type: Any = None,  # noqa: A002 - same name as in Parameter
        description: str = "",
        *,
        is_secret: bool = False,
    ) -> None:
        self.default = default
        self.type = type
        self.description = description
        self.is_secret = is_secret

    def __repr__(self) -> str:
        return f"Option({self.default!r})"
