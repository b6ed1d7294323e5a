"""What a change means for plain data: what a changed document has to say when it is read again.

Every format makes its changes in the text, then compares with what comes from here. Nothing
recurses, since files can be nested more deeply than Python's stack.

Reading a changed text again, to be sure that it says what it should and nothing else.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    DocumentPath,
    NamedElementStep,
    UneditableError,
    format_path,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.installer.config_files.document import EditableDocument


TYPE_NAMES = {
    dict: "a mapping",
    list: "a list",
    str: "a text",
    bool: "true or false",
    type(None): "null",
}


def find_value(data: object, path: DocumentPath) -> object:
    """What stands at a path in plain data, or `MISSING`."""
    for step in path:
        data = _get_child(data, step)
        if data is MISSING:
            break
    return data


def put_value(
    data: object,
    path: DocumentPath,
    value: object,
    *,
    place: Callable[[DocumentPath], str] | None = None,
) -> object:
    """The same data with one value added or replaced; what is not on the way is shared.

    Containers that are missing or null are made, also when the data is `MISSING` itself. `place`
    says where in the file a container stands, for the error.

    Raises:
        ConfigurationError: when something on the way is of another kind than the path wants.
        ValueError: when a path leads nowhere, or an element of a list would not bear its name.
    """
    if not path:
        raise ValueError("a path has at least one step")
    last = path[-1]
    if isinstance(last, NamedElementStep) and not last.matches(value):
        raise ValueError(
            f"an element of a list at {format_path(path)} has to bear that name itself"
        )
    containers: list[object] = []
    for depth, step in enumerate(path):
        containers.append(data)
        check_container_type(data, path, depth, place=place)
        data = _get_child(data, step)
    for container, step in zip(reversed(containers), reversed(path), strict=True):
        value = _put_child(container, step, value)
    return value


def remove_value(data: object, path: DocumentPath, *, prune: int = 0) -> object:
    """The same data without the value at a path, and without `prune` containers left empty."""
    if find_value(data, path) is MISSING or not path:
        return data
    containers = [data]
    for step in path[:-1]:
        containers.append(_get_child(containers[-1], step))
    rest: Any = MISSING
    for container, step in zip(reversed(containers), reversed(path), strict=True):
        if rest is MISSING:
            rest = _remove_child(container, step)
        else:
            rest = _put_child(container, step, rest)
        if not rest and prune > 0:
            prune, rest = prune - 1, MISSING
    return rest


def is_same_data(left: object, right: object) -> bool:
    """Whether two pieces of plain data are equal: true is not 1, 1 is not 1.0, and NaN is NaN."""
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        if one is other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pending.extend((one[key], other[key]) for key in one)
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pending.extend(zip(one, other, strict=True))
        elif not _is_same_scalar(one, other):
            return False
    return True


def describe_type(value: object) -> str:
    """What a value is, for a message."""
    return TYPE_NAMES.get(type(value), "a number")


def check_container_type(
    container: object,
    path: DocumentPath,
    depth: int,
    *,
    place: Callable[[DocumentPath], str] | None = None,
) -> None:
    """Refuse a container in which the step at `depth` of a path cannot be taken.

    Null counts as an empty one: programs write it where they have nothing to say.

    Raises:
        ConfigurationError: without a place, unless `place` can tell it.
    """
    wanted = list if isinstance(path[depth], NamedElementStep) else dict
    if container is MISSING or container is None or isinstance(container, wanted):
        return
    here = path[:depth]
    raise ConfigurationError(
        f"{format_path(here) or 'the whole file'} is {describe_type(container)}, expected {TYPE_NAMES[wanted]}",
        where=place(here) if place else None,
        hint="put it right by hand; nothing was changed",
    )


def _is_same_scalar(one: object, other: object) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return one == other


def _get_child(container: object, step: str | NamedElementStep) -> object:
    if isinstance(step, NamedElementStep):
        elements = container if isinstance(container, list) else []
        return next((e for e in reversed(elements) if step.matches(e)), MISSING)
    return container.get(step, MISSING) if isinstance(container, dict) else MISSING


def _put_child(container: object, step: str | NamedElementStep, value: object) -> object:
    if isinstance(step, str):
        members = container if isinstance(container, dict) else {}
        return {**members, step: value}
    elements = container if isinstance(container, list) else []
    if isinstance(value, dict) and step.field not in value:
        value = {step.field: step.name, **value}
    place = next((i for i in reversed(range(len(elements))) if step.matches(elements[i])), None)
    if place is None:
        return [*elements, value]
    return [*elements[:place], value, *elements[place + 1 :]]


def _remove_child(container: object, step: str | NamedElementStep) -> object:
    """All of them, where a name stands several times: else an earlier one would come to count."""
    if isinstance(step, str):
        return (
            {k: v for k, v in container.items() if k != step} if isinstance(container, dict) else {}
        )
    return [e for e in container if not step.matches(e)] if isinstance(container, list) else []


D = TypeVar("D", bound="EditableDocument")

EDIT_BY_HAND_HINT = "make the change by hand; nothing was changed"
UNSAFE_CHANGE_MESSAGE = "the change cannot be made in this text without changing something else"


@contextmanager
def add_error_location(where: str) -> Iterator[None]:
    """Say which file a change was to be made in, where a refusal does not say it."""
    try:
        yield
    except UneditableError as error:
        error.where = error.where or where
        raise


def reparse(read: Callable[[str], D], text: str, where: str) -> D:
    """A document of a text of our own making: what is wrong with it is not the user's fault.

    Raises:
        UneditableError: when it cannot be read.
    """
    try:
        return read(text)
    except ConfigurationError as error:
        message = f"the change would make the file unreadable: {error.message}"
        raise UneditableError(message, where=where, hint=EDIT_BY_HAND_HINT) from None


def check_change(document: D, expected: list[object], where: str) -> D:
    """The document itself, if it says one of the things that are right.

    Raises:
        UneditableError: when it does not.
    """
    if any(is_same_data(document.to_data(), data) for data in expected):
        return document
    raise UneditableError(UNSAFE_CHANGE_MESSAGE, where=where, hint=EDIT_BY_HAND_HINT)
