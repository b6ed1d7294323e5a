"""Reading a table of properties: keys in any spelling, values of the expected types.

What a property means is left to the definitions that have it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from paddock.errors import DefinitionError
from paddock.extensions.errors import SpecificationError
from paddock.extensions.keys import normal_key
from paddock.suggestions import did_you_mean

MAX_SHOWN = 80


class Properties:
    """A definition's properties by their normal keys.

    Args:
        given: The table as it was written.
        known: The keys that may be in it, each with the property that it stands for.
        error: What is raised when the table cannot be used.
        where: Where it stands.
    """

    __slots__ = ("_error", "_found", "_where")

    def __init__(
        self,
        given: Mapping[object, object],
        known: Mapping[str, str],
        error: type[SpecificationError],
        where: str,
    ) -> None:
        self._error = error
        self._where = where
        self._found: dict[str, object] = {}
        spelled: dict[str, object] = {}
        for key, value in given.items():
            name = known.get(normal_key(key)) if isinstance(key, str) else None
            if name is None:
                raise self.refused(f"the key {key!r} is unknown", _advice(str(key), known))
            if name in spelled:
                raise self.refused(f"{spelled[name]!r} and {key!r} mean the same", "keep one")
            spelled[name] = key
            self._found[name] = value

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def get(self, name: str) -> object:
        """The value of a property as it is; None when it is absent."""
        return self._found.get(name)

    def text(self, name: str) -> str | None:
        """The value of a property that is a text."""
        value = self._found.get(name)
        if value is None or isinstance(value, str):
            return value
        raise self.refused(f"{name} is {shown(value)}", "expected text")

    def flag(self, name: str, *, default: bool) -> bool:
        """The value of a property that is true or false."""
        value = self._found.get(name, default)
        if isinstance(value, bool):
            return value
        raise self.refused(f"{name} is {shown(value)}", "expected true or false")

    def table(self, name: str) -> Mapping[str, object] | None:
        """The value of a property that is a table."""
        value = self._found.get(name)
        if value is None or isinstance(value, Mapping):
            return value
        raise self.refused(f"{name} is {shown(value)}", "expected a table")

    def sequence(self, name: str) -> list[object] | None:
        """The value of a property that is a list; a text alone is a list of one."""
        value = self._found.get(name)
        if value is None:
            return None
        if isinstance(value, str):
            return [value]
        if isinstance(value, list | tuple):
            return list(value)
        raise self.refused(f"{name} is {shown(value)}", "expected a list")

    def present(self, *names: str) -> dict[str, object]:
        """Those of some properties that are there, as they are."""
        return {name: self._found[name] for name in names if name in self._found}

    def refused(self, found: str, hint: str | None = None) -> SpecificationError:
        """The error that says what is wrong with this table."""
        return self._error(found, hint=hint, where=self._where)


@contextmanager
def told_as(error: type[SpecificationError], where: str) -> Iterator[None]:
    """Have what is wrong with an item told as an error of its definition."""
    try:
        yield
    except SpecificationError:
        raise
    except DefinitionError as fault:
        raise error(fault.message, hint=fault.hint, where=where) from None


def shown(value: object) -> str:
    """A value as an error shows it: short."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def _advice(key: str, known: Mapping[str, str]) -> str:
    listed = ", ".join(dict.fromkeys(known.values()))
    return did_you_mean(normal_key(key), known, most=1) or f"known are {listed}"
