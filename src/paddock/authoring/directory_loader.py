"""Loader for definition directories: `tools/`, `prompts/`, `resources/` and `skills/`.

Each `.py` file is imported as a module. It defines `Tool`, `Prompt`, `Resource`, `ResourceTemplate`
or `Skill` objects at top level, individually or in lists. A file in `tools/` or `prompts/` without
such objects contributes its public functions. In `skills/`, each directory with a SKILL.md is a
skill. A file that cannot be loaded is logged and never affects the others.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.authoring.prompt import Prompt
from paddock.authoring.resource import Resource, ResourceTemplate
from paddock.authoring.script_runner import find_failing_line, run_file
from paddock.authoring.skill import Skill, list_skill_directories
from paddock.authoring.tool import Tool
from paddock.errors import LoadError, PaddockError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    DirectoryItem = Tool | Prompt | Resource | ResourceTemplate | Skill

_ITEM_TYPES: dict[str, tuple[type, ...]] = {
    "tools": (Tool,),
    "prompts": (Prompt,),
    "resources": (Resource, ResourceTemplate),
    "skills": (Skill,),
}
_ITEM_FACTORIES: dict[str, Callable[[str, Any], DirectoryItem]] = {
    "tools": Tool,
    "prompts": lambda name, function: Prompt(name, handler=function),
}
_log = logging.getLogger("paddock")


def load_directory(
    directory: str | os.PathLike[str], relative_to: str | None
) -> Iterator[list[DirectoryItem]]:
    """Yield the items that each file in a directory defines, such as tools and prompts.

    The files are `tools/*.py`, `prompts/*.py` and `resources/*.py`, except for names that begin
    with an underscore. The skills in `skills/` come last.

    Args:
        directory: The directory.
        relative_to: The file against whose directory a relative path is resolved. None means the
            working directory.

    Raises:
        LoadError: The directory does not exist.
    """
    root = Path(directory)
    if not root.is_absolute():
        root = (Path(relative_to).parent if relative_to else Path.cwd()) / root
    if not root.is_dir():
        raise LoadError("is not a directory", where=str(root), hint="expected one with tools/*.py")
    # A directory without any of these is valid, but most likely not the intended one.
    if not any((root / kind).is_dir() for kind in _ITEM_TYPES):
        _log.warning("%s contains no tools/, prompts/, resources/ or skills/", root)
    for kind in _ITEM_TYPES:
        for file in sorted((root / kind).glob("*.py")):
            if not file.name.startswith("_"):
                yield _load_file(kind, file)
    for skill_directory in list_skill_directories(str(root / "skills")):
        yield _load_skill(skill_directory)


def _load_skill(directory: str) -> list[DirectoryItem]:
    """Return a list with the skill in a directory.

    An error is logged and yields an empty list.
    """
    try:
        return [Skill.from_directory(directory)]
    except PaddockError as error:
        _log.error("%s is left out: %s", directory, error)
        return []


def _load_file(kind: str, file: Path) -> list[DirectoryItem]:
    """Run an author's file and return the items that it defines.

    An error is logged and yields an empty list, so a broken file does not prevent the others from
    loading.
    """
    try:
        return _collect_items(kind, run_file(file, f"paddock_directory.{kind}.{file.stem}"), file)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the file can run any code
        _log.error(
            "%s is left out: %s: %s", _format_location(file, error), type(error).__name__, error
        )
        return []


def _format_location(file: Path, error: BaseException) -> str:
    line = find_failing_line(file, error)
    return f"{file}:{line}" if line else str(file)


def _collect_items(kind: str, module: Any, file: Path) -> list[DirectoryItem]:
    """Return the items of a kind, such as `tools`, that a module defines.

    A module may define items, lists of items, or only plain functions. If it defines only functions
    and the kind allows it, an item is created from each function.

    Raises:
        LoadError: The module does not define an item of this kind.
    """
    public_objects = {
        name: value for name, value in vars(module).items() if not name.startswith("_")
    }
    items: list[Any] = []
    for value in public_objects.values():
        candidates = value if isinstance(value, list | tuple) else [value]
        items += [item for item in candidates if isinstance(item, _ITEM_TYPES[kind])]
    if not items and kind in _ITEM_FACTORIES:
        create_item = _ITEM_FACTORIES[kind]
        items = [
            create_item(name, value)
            for name, value in public_objects.items()
            if _is_defined_in(value, module)
        ]
    if not items:
        expected = " or ".join(item_type.__name__ for item_type in _ITEM_TYPES[kind])
        raise LoadError(f"defines no {expected}", where=str(file))
    # An object may be bound to multiple names.
    return list(dict.fromkeys(items))


def _is_defined_in(value: Any, module: Any) -> bool:
    return hasattr(value, "__code__") and getattr(value, "__module__", None) == module.__name__
