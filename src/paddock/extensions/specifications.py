"""Lists of tools, prompts and resources, as server definitions and Python calls give them.

Only the list is looked at here; what its elements mean is worked out one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from paddock.extensions.errors import (
    PromptDataError,
    PromptsSpecificationError,
    ResourcesSpecificationError,
    SpecificationError,
    ToolsSpecificationError,
)
from paddock.extensions.keys import normalize_key
from paddock.extensions.properties import shorten_repr

if TYPE_CHECKING:
    from collections.abc import Iterator

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
