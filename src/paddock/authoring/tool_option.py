"""Options of a tool: what whoever runs a server can set, and no model sees.

Loaded before msgspec, so it needs nothing but the interpreter; values are checked in
`authoring.option_values`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECRET_MASK = "\u2022\u2022\u2022"  # noqa: S105 - not a password
"""Stands where a secret is not shown."""


class Option:
    """One option of a tool.

    Values are checked against `type`, which may be any type hint that a parameter may have; when
    it is left out, the type of the default, and not at all when that is None. A value that
    `is_secret` is not shown.
    """

    __slots__ = ("default", "description", "is_secret", "type")

    def __init__(
        self,
        default: object = None,
        type: Any = None,  # noqa: A002 - the word that parameters have too
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
