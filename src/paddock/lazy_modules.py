"""Modules that are imported on first use, for code that must load quickly."""

from __future__ import annotations


class LazyModule:
    """A module that is imported when one of its attributes is first used.

    Assign it in the `else` branch of `if TYPE_CHECKING:`, so that type checkers see the module. It
    replaces an import at the top of a module that must load quickly.

    Args:
        name: The module's full name.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> object:
        return getattr(__import__(self._name, fromlist=[attribute]), attribute)
