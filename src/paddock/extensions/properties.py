"""Reading a table of properties: keys in any spelling, values of the expected types.

What a property means is left to the definitions that have it.

Lists of tools, prompts and resources, as server definitions and Python calls give them.

Only the list is looked at here; what its elements mean is worked out one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

from paddock.errors import DefinitionError
from paddock.extensions.errors import (
    PromptDataError,
    PromptsSpecificationError,
    ResourcesSpecificationError,
    SpecificationError,
    ToolsSpecificationError,
)
from paddock.extensions.names import normalize_key
from paddock.suggestions import did_you_mean

MAX_REPR_CHARACTERS = 80


class PropertyTable:
    """A definition's properties by their normal keys.

    Args:
        given: The table as it was written.
        known: The keys that may be in it, each with the property that it stands for.
        error: What is raised when the table cannot be used.
        where: Where it stands.
    """

    __slots__ = ("_error", "_values", "_where")

    def __init__(
        self,
        given: Mapping[object, object],
        known: Mapping[str, str],
        error: type[SpecificationError],
        where: str,
    ) -> None:
        self._error = error
        self._where = where
        self._values: dict[str, object] = {}
        spelled: dict[str, object] = {}
        for key, value in given.items():
            name = known.get(normalize_key(key)) if isinstance(key, str) else None
            if name is None:
                raise self.make_error(f"the key {key!r} is unknown", _suggest_key(str(key), known))
            if name in spelled:
                raise self.make_error(f"{spelled[name]!r} and {key!r} mean the same", "keep one")
            spelled[name] = key
            self._values[name] = value

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def get(self, name: str) -> object:
        """The value of a property as it is; None when it is absent."""
        return self._values.get(name)

    def get_text(self, name: str) -> str | None:
        """The value of a property that is a text."""
        value = self._values.get(name)
        if value is None or isinstance(value, str):
            return value
        raise self.make_error(f"{name} is {shorten_repr(value)}", "expected text")

    def get_flag(self, name: str, *, default: bool) -> bool:
        """The value of a property that is true or false."""
        value = self._values.get(name, default)
        if isinstance(value, bool):
            return value
        raise self.make_error(f"{name} is {shorten_repr(value)}", "expected true or false")

    def get_table(self, name: str) -> Mapping[str, object] | None:
        """The value of a property that is a table."""
        value = self._values.get(name)
        if value is None or isinstance(value, Mapping):
            return value
        raise self.make_error(f"{name} is {shorten_repr(value)}", "expected a table")

    def get_list(self, name: str) -> list[object] | None:
        """The value of a property that is a list; a text alone is a list of one."""
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, str):
            return [value]
        if isinstance(value, list | tuple):
            return list(value)
        raise self.make_error(f"{name} is {shorten_repr(value)}", "expected a list")

    def get_present(self, *names: str) -> dict[str, object]:
        """Those of some properties that are there, as they are."""
        return {name: self._values[name] for name in names if name in self._values}

    def make_error(self, found: str, hint: str | None = None) -> SpecificationError:
        """The error that says what is wrong with this table."""
        return self._error(found, hint=hint, where=self._where)


@contextmanager
def convert_definition_errors(error: type[SpecificationError], where: str) -> Iterator[None]:
    """Have what is wrong with an item told as an error of its definition."""
    try:
        yield
    except SpecificationError:
        raise
    except DefinitionError as fault:
        raise error(fault.message, hint=fault.hint, where=where) from None


def shorten_repr(value: object) -> str:
    """A value as an error shows it: short."""
    text = repr(value)
    return text if len(text) <= MAX_REPR_CHARACTERS else f"{text[: MAX_REPR_CHARACTERS - 1]}…"


def _suggest_key(key: str, known: Mapping[str, str]) -> str:
    listed = ", ".join(dict.fromkeys(known.values()))
    return did_you_mean(normalize_key(key), known, most=1) or f"known are {listed}"


_LIST_ERRORS: dict[str, type[SpecificationError]] = {
    "tools": ToolsSpecificationError,
    "prompts": PromptsSpecificationError,
    "resources": ResourcesSpecificationError,
}


def read_item_list(
    kind: Literal["tools", "prompts", "resources"], value: object, where: str
) -> list[object]:
    """The elements of a list; one that stands alone is a list of one, lists in it are unfolded.

    Raises:
        ToolsSpecificationError, PromptsSpecificationError or ResourcesSpecificationError: when
            it is no list, for example a single table.
    """
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return list(_flatten(value))
    if isinstance(value, Mapping | bool | int | float | bytes):
        hint = "expected a list, as in [{ … }]" if isinstance(value, Mapping) else "expected a list"
        raise _LIST_ERRORS[kind](shorten_repr(value), where=where, hint=hint)
    return [value]


def reject_prompt_data(properties: Mapping[str, object], where: str) -> None:
    """Refuse a server definition that lists its prompts in the way of the past.

    Raises:
        PromptDataError: when it has `PromptData`, in any spelling.
    """
    if any(normalize_key(key) == "prompt_data" for key in properties):
        raise PromptDataError(where=where)


def _flatten(several: list[object] | tuple[object, ...]) -> Iterator[object]:
    for one in several:
        if isinstance(one, list | tuple):
            yield from _flatten(one)
        else:
            yield one
