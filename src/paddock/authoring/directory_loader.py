"""Reading what the files of a directory define.

`tools/`, `prompts/`, `resources/` and `skills/` are looked at, in this order, their `.py` files by
name. A file may hold one item or several: `Tool`, `Prompt`, `Resource`, `ResourceTemplate` and
`Skill` objects at its top level, singly or in lists. In `tools/` and `prompts/` a file without any
counts by its public functions. Each file is a module of its own. In `skills/`, each directory with
a SKILL.md is a skill. What cannot be used is reported and never stops the others.
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
    """Every usable item of a directory, file by file.

    Raises:
        LoadError: when there is no such directory.
    """
    root = Path(directory)
    if not root.is_absolute():
        root = (Path(relative_to).parent if relative_to else Path.cwd()) / root
    if not root.is_dir():
        raise LoadError("is not a directory", where=str(root), hint="it would hold tools/*.py")
    if not any((root / kind).is_dir() for kind in _ITEM_TYPES):
        _log.warning("%s has none of tools/, prompts/, resources/ and skills/", root)
    for kind in _ITEM_TYPES:
        for file in sorted((root / kind).glob("*.py")):
            if not file.name.startswith("_"):
                yield _load_file(kind, file)
    for place in list_skill_directories(str(root / "skills")):
        yield _load_skill(place)


def _load_skill(place: str) -> list[DirectoryItem]:
    try:
        return [Skill.from_directory(place)]
    except PaddockError as error:
        _log.error("%s is left out: %s", place, error)
        return []


def _load_file(kind: str, file: Path) -> list[DirectoryItem]:
    try:
        return _collect_items(kind, run_file(file, f"paddock_directory.{kind}.{file.stem}"), file)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - somebody else's code
        _log.error(
            "%s is left out: %s: %s", _format_location(file, error), type(error).__name__, error
        )
        return []


def _format_location(file: Path, error: BaseException) -> str:
    line = find_failing_line(file, error)
    return f"{file}:{line}" if line else str(file)


def _collect_items(kind: str, module: Any, file: Path) -> list[DirectoryItem]:
    public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    items: list[Any] = []
    for value in public.values():
        several = value if isinstance(value, list | tuple) else [value]
        items += [item for item in several if isinstance(item, _ITEM_TYPES[kind])]
    if not items and kind in _ITEM_FACTORIES:
        make = _ITEM_FACTORIES[kind]
        items = [
            make(name, value) for name, value in public.items() if _is_defined_in(value, module)
        ]
    if not items:
        expected = " or ".join(kind.__name__ for kind in _ITEM_TYPES[kind])
        raise LoadError(f"holds no {expected}", where=str(file))
    return list(dict.fromkeys(items))


def _is_defined_in(value: Any, module: Any) -> bool:
    return hasattr(value, "__code__") and getattr(value, "__module__", None) == module.__name__
