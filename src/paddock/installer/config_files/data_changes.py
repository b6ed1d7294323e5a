"""Changes to plain data, which are used to verify every change to a document's text.

After a format has changed its text, the text is parsed again and must contain the data that the
functions here return. None of them recurses, because data can be nested more deeply than Python's
stack allows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    DocumentPath,
    NamedElementStep,
    format_path,
)

if TYPE_CHECKING:
    from collections.abc import Callable


FIX_BY_HAND_HINT = "fix the file by hand; nothing was changed"
EDIT_BY_HAND_HINT = "make the change by hand; nothing was changed"
UNSAFE_CHANGE_MESSAGE = "the change would affect other parts of the file"
TYPE_NAMES = {
    dict: "a mapping",
    list: "a list",
    str: "a string",
    bool: "true or false",
    type(None): "null",
}


def find_value(data: object, path: DocumentPath) -> object:
    """Return the value at a path, or `MISSING`."""
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
    locate: Callable[[DocumentPath], str] | None = None,
) -> object:
    """Return a copy of a configuration file's data with one value added or replaced.

    Dictionaries and lists on the path that are missing or null are created, even if the data itself
    is `MISSING`. The copy shares its unchanged parts with the original data.

    Args:
        data: The data of the file.
        path: The path of the value, such as `("mcpServers", "charts")`, with at least one step.
        value: The new value.
        locate: Returns the position of a dictionary or list in the file, for errors.

    Raises:
        ConfigurationError: A value on the path is not a container of the right type.
        ValueError: The path is empty, or a list element would not have the name in the path.
    """
    if not path:
        raise ValueError("the path is empty")
    last_step = path[-1]
    if isinstance(last_step, NamedElementStep) and not last_step.matches(value):
        raise ValueError(f"the list element at {format_path(path)} must have the name in the path")
    containers: list[object] = []
    for depth, step in enumerate(path):
        containers.append(data)
        check_container_type(data, path, depth, locate=locate)
        data = _get_child(data, step)
    for container, step in zip(reversed(containers), reversed(path), strict=True):
        value = _put_child(container, step, value)
    return value


def remove_value(data: object, path: DocumentPath, *, prune: int = 0) -> object:
    """Return a copy of a configuration file's data without the value at a path.

    The copy shares its unchanged parts with the original data.

    Args:
        data: The data of the file.
        path: The path of the value, such as `("mcpServers", "charts")`.
        prune: The maximum number of dictionaries and lists on the path to remove as well, from the
            inside out, if they become empty.
    """
    if find_value(data, path) is MISSING or not path:
        return data
    containers = [data]
    for step in path[:-1]:
        containers.append(_get_child(containers[-1], step))
    # From the inside out: the copy of the current container, or `MISSING` if it is removed.
    copy: Any = MISSING
    for container, step in zip(reversed(containers), reversed(path), strict=True):
        if copy is MISSING:
            copy = _remove_child(container, step)
        else:
            copy = _put_child(container, step, copy)
        if not copy and prune > 0:
            prune, copy = prune - 1, MISSING
    return copy


def is_same_data(left: object, right: object) -> bool:
    """Return whether two values of configuration files are equal, including their types.

    Unlike with `==`, True differs from 1, 1 differs from 1.0, and NaN equals NaN.
    """
    # A list of pairs instead of recursion, because data can be nested too deeply for it.
    pending_pairs = [(left, right)]
    while pending_pairs:
        left_part, right_part = pending_pairs.pop()
        if left_part is right_part:
            continue
        if isinstance(left_part, dict) and isinstance(right_part, dict):
            if left_part.keys() != right_part.keys():
                return False
            pending_pairs.extend((left_part[key], right_part[key]) for key in left_part)
        elif isinstance(left_part, list) and isinstance(right_part, list):
            if len(left_part) != len(right_part):
                return False
            pending_pairs.extend(zip(left_part, right_part, strict=True))
        elif not _is_same_scalar(left_part, right_part):
            return False
    return True


def describe_type(value: object) -> str:
    """Describe the type of a value for a message."""
    return TYPE_NAMES.get(type(value), "a number")


def check_container_type(
    container: object,
    path: DocumentPath,
    depth: int,
    *,
    locate: Callable[[DocumentPath], str] | None = None,
) -> None:
    """Check that a value on a path is a dictionary or a list, depending on the next step.

    Null is accepted too, because some programs write it instead of an empty dictionary or list.

    Args:
        container: The value.
        path: The path. Its first `depth` steps lead to the value.
        depth: The index of the next step: a key of a dictionary, or an element of a list.
        locate: Returns the position of the value in the file, for the error.

    Raises:
        ConfigurationError: The value has another type.
    """
    expected_type = list if isinstance(path[depth], NamedElementStep) else dict
    if container is MISSING or container is None or isinstance(container, expected_type):
        return
    container_path = path[:depth]
    name = format_path(container_path) or "the whole file"
    raise ConfigurationError(
        f"{name} is {describe_type(container)}, expected {TYPE_NAMES[expected_type]}",
        where=locate(container_path) if locate else None,
        hint=FIX_BY_HAND_HINT,
    )


def _is_same_scalar(left: object, right: object) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    return left == right


def _get_child(container: object, step: str | NamedElementStep) -> object:
    if isinstance(step, NamedElementStep):
        elements = container if isinstance(container, list) else []
        return next((element for element in reversed(elements) if step.matches(element)), MISSING)
    return container.get(step, MISSING) if isinstance(container, dict) else MISSING


def _put_child(container: object, step: str | NamedElementStep, value: object) -> object:
    """Return a copy of a dictionary or list with one value added or replaced.

    In a list, the step identifies an element by a field such as `name`. If the value lacks this
    field, it is added.

    Args:
        container: The dictionary or list; any other value counts as an empty one.
        step: The key, or the step that identifies the element.
        value: The new value.
    """
    if isinstance(step, str):
        members = container if isinstance(container, dict) else {}
        return {**members, step: value}
    elements = container if isinstance(container, list) else []
    if isinstance(value, dict) and step.field not in value:
        value = {step.field: step.name, **value}
    matches = [index for index, element in enumerate(elements) if step.matches(element)]
    if not matches:
        return [*elements, value]
    return [*elements[: matches[-1]], value, *elements[matches[-1] + 1 :]]


def _remove_child(container: object, step: str | NamedElementStep) -> object:
    if isinstance(step, str):
        members = container if isinstance(container, dict) else {}
        return {key: value for key, value in members.items() if key != step}
    # All elements with the name: otherwise, an earlier one would take the place of the last.
    elements = container if isinstance(container, list) else []
    return [element for element in elements if not step.matches(element)]
