"""Looking through the files of a project for what is called by a name."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MAX_FILES, _MAX_MATCHES = 5_000, 20
_MAX_SEARCHED_FILE_BYTES = 2_000_000
_EXCLUDED_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist"})


def find_symbols_by_name(name: str, project: Path, places: Sequence[Path]) -> list[str]:
    """The full names of functions, classes and variables of a project that are called so."""
    mention = re.compile(rf"\b{re.escape(name)}\b".encode())
    found: dict[str, None] = {}
    for file in _walk_files(project):
        try:
            data = file.read_bytes() if file.stat().st_size <= _MAX_SEARCHED_FILE_BYTES else b""
            if not mention.search(data):
                continue
            tree = ast.parse(data)
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        module = _get_module_name(file, places)
        found |= dict.fromkeys(f"{module}.{own}" for own in _find_definitions(tree, name))
        if len(found) >= _MAX_MATCHES:
            break
    return list(found)


def _walk_files(project: Path) -> Iterator[Path]:
    count = 0
    for folder, folders, names in os.walk(project):
        folders[:] = sorted(one for one in folders if _is_project_folder(Path(folder, one)))
        for name in sorted(names):
            if name.endswith(".py"):
                count += 1
                if count > _MAX_FILES:
                    return
                yield Path(folder, name)


def _is_project_folder(folder: Path) -> bool:
    if folder.name in _EXCLUDED_FOLDERS or folder.name.startswith("."):
        return False
    return not (folder / "pyvenv.cfg").exists()


def _get_module_name(file: Path, places: Sequence[Path]) -> str:
    """What a file is imported as, from the nearest place that modules are imported from."""
    above = [place for place in places if file.is_relative_to(place)]
    nearest = max(above, key=lambda place: len(place.parts), default=file.parent)
    parts = list(file.relative_to(nearest).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _find_definitions(parent: ast.AST, name: str, within: str = "") -> Iterator[str]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name == name:
                yield f"{within}{name}"
            if isinstance(node, ast.ClassDef):
                yield from _find_definitions(node, name, f"{within}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(one, ast.Name) and one.id == name for one in targets):
                yield f"{within}{name}"
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _find_definitions(node, name, within)
