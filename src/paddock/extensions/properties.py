"""Reads definition tables with keys in any spelling, and checks the types of values.

This module also flattens the item lists of server definitions. `tool_definition`,
`prompt_definition` and `resource_definition` interpret the properties and items.
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
_LIST_ERRORS: dict[str, type[SpecificationError]] = {
    "tools": ToolsSpecificationError,
    "prompts": PromptsSpecificationError,
    "resources": ResourcesSpecificationError,
}


class PropertyTable:
    """The properties of a definition, with access by name and type checks.

    Keys can be written in any style: `display_name`, `displayName` or `DisplayName`.

    Args:
        table: The definition as written.
        names_by_key: The allowed keys in snake case, each with its property name.
        error_class: The class of the errors to raise.
        where: The location of the definition, for errors.

    Raises:
        SpecificationError: A key is unknown, or two keys are spellings of the same property.
    """

    __slots__ = ("_error_class", "_values", "_where")

    def __init__(
        self,
        table: Mapping[object, object],
        names_by_key: Mapping[str, str],
        error_class: type[SpecificationError],
        where: str,
    ) -> None:
        self._error_class = error_class
        self._where = where
        self._values: dict[str, object] = {}
        spellings: dict[str, object] = {}
        for key, value in table.items():
            property_name = names_by_key.get(normalize_key(key)) if isinstance(key, str) else None
            if property_name is None:
                hint = _suggest_key(str(key), names_by_key)
                raise self.make_error(f"the key {key!r} is unknown", hint)
            if property_name in spellings:
                raise self.make_error(
                    f"{spellings[property_name]!r} and {key!r} mean the same", "keep one"
                )
            spellings[property_name] = key
            self._values[property_name] = value

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def get(self, name: str) -> object:
        """Return the unchecked value of a property, or None if it is absent."""
        return self._values.get(name)

    def get_text(self, name: str) -> str | None:
        """Return a string property, or None if it is absent."""
        value = self._values.get(name)
        if isinstance(value, str | None):
            return value
        raise self._make_type_error(name, value, "text")

    def get_flag(self, name: str, *, default: bool) -> bool:
        """Return a boolean property."""
        value = self._values.get(name, default)
        if isinstance(value, bool):
            return value
        raise self._make_type_error(name, value, "true or false")

    def get_table(self, name: str) -> Mapping[str, object] | None:
        """Return a table property, or None if it is absent."""
        value = self._values.get(name)
        if isinstance(value, Mapping | None):
            return value
        raise self._make_type_error(name, value, "a table")

    def get_list(self, name: str) -> list[object] | None:
        """Return a property that must be a list, or None if it is absent.

        A single string is returned as a list with one element.

        Raises:
            SpecificationError: The value is neither a list nor a string.
        """
        value = self._values.get(name)
        match value:
            case None:
                return None
            case str():
                return [value]
            case list() | tuple():
                return [*value]
        raise self._make_type_error(name, value, "a list")

    def get_present(self, *names: str) -> dict[str, object]:
        """Return the named properties that are present, unchecked."""
        return {name: self._values[name] for name in names if name in self._values}

    def make_error(self, problem: str, hint: str | None = None) -> SpecificationError:
        """Return an error that describes a value in this table."""
        return self._error_class(problem, hint=hint, where=self._where)

    def _make_type_error(self, name: str, value: object, expected: str) -> SpecificationError:
        return self.make_error(f"{name} is {shorten_repr(value)}", f"expected {expected}")


@contextmanager
def convert_definition_errors(error_class: type[SpecificationError], where: str) -> Iterator[None]:
    """Add the location of a definition to errors raised in the `with` block.

    Constructors such as `Tool` raise a `DefinitionError` without a location, because they do not
    know the definition's file. It is converted to a more specific error class.

    Args:
        error_class: The class of the new error.
        where: The location of the definition.
    """
    try:
        yield
    except SpecificationError:
        raise
    except DefinitionError as error:
        raise error_class(error.message, hint=error.hint, where=where) from None


def shorten_repr(value: object) -> str:
    """Return the `repr` of a value, shortened for error messages."""
    text = repr(value)
    return text if len(text) <= MAX_REPR_CHARACTERS else f"{text[: MAX_REPR_CHARACTERS - 1]}…"


def _suggest_key(key: str, names_by_key: Mapping[str, str]) -> str:
    listed = ", ".join(dict.fromkeys(names_by_key.values()))
    return did_you_mean(normalize_key(key), names_by_key, most=1) or f"known are {listed}"


def read_item_list(
    kind: Literal["tools", "prompts", "resources"], value: object, where: str
) -> list[object]:
    """Return the tools, prompts or resources in a definition as a flat list.

    Nested lists are flattened, and a single item is returned as a list with one element.

    Args:
        kind: The kind of the items.
        value: The value as written; None if the definition does not list items.
        where: The location of the definition, for errors.

    Raises:
        SpecificationError: The value is not a list, for example a single table.
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
    """Raise an error if a server definition has the deprecated property `PromptData`.

    Raises:
        PromptDataError: The property is present, in any spelling such as `prompt_data`.
    """
    if any(normalize_key(key) == "prompt_data" for key in properties):
        raise PromptDataError(where=where)


def _flatten(items: list[object] | tuple[object, ...]) -> Iterator[object]:
    for item in items:
        if isinstance(item, list | tuple):
            yield from _flatten(item)
        else:
            yield item
