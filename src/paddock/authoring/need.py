"""What a tool needs besides this package, such as a key for a service.

Whoever installs a server is told before its first call fails. Loaded before msgspec, so it needs
nothing but the interpreter.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    MissingCheck = Callable[[Mapping[str, Any], Mapping[str, str]], str]


class Need:
    """Something without which a tool does nothing, or less.

    `missing` is given the values of the tool's options and the environment of its server, and says
    what is missing and how to get it; nothing when all is there. A tool that works without what it
    needs, though not as well, has `is_required=False`.
    """

    __slots__ = ("is_required", "missing")

    def __init__(self, missing: MissingCheck, *, is_required: bool = True) -> None:
        self.missing = missing
        self.is_required = is_required
