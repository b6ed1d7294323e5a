"""What a module or class consists of, a line for each member; read by griffe, not imported.

Looking through the files of a project for what is called by a name.

The child process that finds symbols: names as JSON on its input, what they are on its output.

Nothing of the project is imported: its files are read, and those of installed packages. A child, as
this takes memory and time, and as what is read may be anything.
"""

from __future__ import annotations

import ast
import json
import logging
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import griffe
import jedi

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_MAX_MEMBERS = 400
_MAX_LINE_CHARACTERS = 160


def build_outline(code: str, name: str, path: Path, symbol: str | None = None) -> list[str]:
    """The public members of a module, or of a class in it."""
    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    try:
        found: Any = griffe.visit(name.rpartition(".")[2], filepath=path, code=code)
        if symbol is not None:
            found = found[symbol]
    except Exception:  # noqa: BLE001 - code that cannot be read has no outline
        return []
    return list(_outline_members(found, indent=""))[:_MAX_MEMBERS]


def _outline_members(parent: Any, indent: str) -> list[str]:
    lines: list[str] = []
    for name, member in parent.members.items():
        if member.is_alias:
            if parent.exports is not None and name in map(str, parent.exports):
                lines.append(f"{indent}{name}  # from {member.target_path}")
            continue
        if not _is_listed(name, member):
            continue
        lines.append(_format_member(member, indent))
        if member.is_class and not indent:
            lines += _outline_members(member, indent="    ")
    return lines


def _is_listed(name: str, member: Any) -> bool:
    if member.is_module:
        return False
    return bool(name == "__init__" or not name.startswith("_"))


def _format_member(member: Any, indent: str) -> str:
    if member.is_function:
        text = f"def {member.signature()}"
    elif member.is_class:
        bases = ", ".join(map(str, member.bases))
        text = f"class {member.name}({bases})" if bases else f"class {member.name}"
    else:
        text = f"{member.name}: {member.annotation}" if member.annotation else member.name
    summary = member.docstring.value.strip().partition("\n")[0] if member.docstring else ""
    return f"{indent}{text}  # {summary}"[:_MAX_LINE_CHARACTERS] if summary else f"{indent}{text}"


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


_MAX_DEFINITIONS, _MAX_CANDIDATES, _MAX_SIGNATURES = 3, 5, 10
_MAX_DOCSTRING_CHARACTERS = 20_000
_MAX_SHOWN_FILE_BYTES = 5_000_000
_MEMORY_LIMIT_BYTES, _CPU_LIMIT_SECONDS = 4 << 30, 120
SymbolRecord = dict[str, Any]


def main() -> None:
    """Answer one request."""
    _limit_resources()
    request = json.load(sys.stdin)
    jedi.settings.cache_directory = request["cache"]
    finder = SymbolFinder(request)
    json.dump([finder.find(name) for name in request["names"]], sys.stdout)


def _limit_resources() -> None:
    """Take no more than files of any kind may need; also when nobody waits any more."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_LIMIT_BYTES, _MEMORY_LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_LIMIT_SECONDS, _CPU_LIMIT_SECONDS))


class SymbolFinder:
    """Finds symbols of one project."""

    def __init__(self, request: SymbolRecord) -> None:
        self._file = request["file"]
        self._max_characters = request["length"]
        self._search_paths = [Path(path).resolve() for path in request["paths"]]
        self._jedi_directory = Path(jedi.__file__).parent
        self._environment = jedi.InterpreterEnvironment()
        self._root = Path(request["project"])
        self._project = jedi.Project(
            request["project"],
            sys_path=request["paths"],
            smart_sys_path=False,
            load_unsafe_extensions=False,
        )

    def find(self, name: str) -> SymbolRecord:
        """What is known of a name."""
        try:
            definitions = self._find_in_file(name) if self._file else self._find_anywhere(name)
            if definitions:
                return {"name": name, "found": self._describe_definitions(definitions)}
            return {"name": name, "found": [], "candidates": self._list_candidates(name)}
        except Exception as error:  # noqa: BLE001 - jedi, on files that may be anything
            return {"name": name, "found": [], "error": f"{type(error).__name__}: {error}"[:500]}

    def _go_to_definition(self, code: str, path: str | None = None) -> list[Any]:
        lines = code.split("\n")
        script = jedi.Script(code, path=path, project=self._project, environment=self._environment)
        place = len(lines), len(lines[-1])
        found: list[Any] = script.goto(*place, follow_imports=True)
        if not all(map(_is_definition, found)):  # an import that leads to compiled code
            found = script.goto(*place, follow_imports=True, only_stubs=True)
        return [one for one in found if _is_definition(one) and (one.module_path or one.full_name)]

    def _find_in_file(self, name: str) -> list[Any]:
        text = Path(self._file).read_text("utf-8", "replace")
        return self._go_to_definition(f"{text.rstrip()}\n\n{name}", self._file)

    def _find_anywhere(self, name: str) -> list[Any]:
        """What a dotted name leads to: as much of it as can be imported, then its attributes."""
        if f"{name}.".startswith("os.path.") and sys.platform != "win32":
            name = name.replace("os.path", "posixpath", 1)
        parts = name.split(".")
        for count in range(len(parts), 0, -1):
            found = self._go_to_definition(f"import {'.'.join(parts[:count])}\n{name}")
            if found:
                return found
        found = self._go_to_definition(name)
        if found or len(parts) > 1:
            return found
        searched = self._search_project(name)
        return self._find_anywhere(searched[0]) if len(searched) == 1 and "." in searched[0] else []

    def _search_project(self, name: str) -> list[str]:
        """Symbols of the project that are called so, by their full names."""
        return find_symbols_by_name(name.rpartition(".")[2], self._root, self._search_paths)

    def _list_candidates(self, name: str) -> list[str]:
        return [] if self._file else self._search_project(name)[:_MAX_CANDIDATES]

    def _describe_definitions(self, definitions: list[Any]) -> list[SymbolRecord]:
        """The definitions, those with source first; stubs only where there is nothing else."""
        sources = [one for one in definitions if str(one.module_path).endswith(".py")]
        if sources:
            return [self._describe_definition(one) for one in sources[:_MAX_DEFINITIONS]]
        return [self._describe_definition(definitions[0])]

    def _describe_definition(self, one: Any) -> SymbolRecord:
        path = Path(one.module_path) if one.module_path else None
        signatures = [signature.to_string() for signature in one.get_signatures()]
        told: SymbolRecord = {
            "full_name": one.full_name or one.name,
            "kind": one.type,
            # What is built in has no file but the stubs that come with jedi.
            "path": str(path) if path and not path.is_relative_to(self._jedi_directory) else "",
            "line": one.line or 1,
            "signatures": list(dict.fromkeys(signatures))[:_MAX_SIGNATURES],
            "documentation": one.docstring(raw=True)[:_MAX_DOCSTRING_CHARACTERS],
        }
        if path is None or not self._can_show(path):
            return told
        code = path.read_text("utf-8", "replace")
        if one.type == "module":
            told["outline"] = build_outline(code, str(one.full_name), path)
            told["documentation"] = _read_docstring(code)
        elif path.suffix == ".py":
            first, last = _find_extent(code, one)
            source = "".join(code.splitlines(keepends=True)[first - 1 : last]).rstrip()
            told |= {"line": first, "source": source[: self._max_characters], "length": len(source)}
            if one.type == "class" and len(source) > self._max_characters:
                told["outline"] = build_outline(code, str(one.full_name), path, one.name)
        return told

    def _can_show(self, path: Path) -> bool:
        """Whether a file really is where modules are looked for, and not too large."""
        real = path.resolve()
        is_there = any(real.is_relative_to(place) for place in self._search_paths)
        return is_there and real.is_file() and real.stat().st_size <= _MAX_SHOWN_FILE_BYTES


def _is_definition(one: Any) -> bool:
    """Whether what jedi calls a module is one, which begins in its first line, and no import."""
    return one.type != "module" or (one.line or 1) == 1


def _parse_source(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _read_docstring(code: str) -> str:
    tree = _parse_source(code)
    return (ast.get_docstring(tree) or "")[:_MAX_DOCSTRING_CHARACTERS] if tree else ""


def _find_extent(code: str, one: Any) -> tuple[int, int]:
    """The first and last line of a definition, with its decorators and what documents it."""
    start, end = one.get_definition_start_position(), one.get_definition_end_position()
    lines = (start[0], end[0]) if start and end else (one.line, one.line)
    tree = _parse_source(code)
    for parent in ast.walk(tree) if tree else ():
        for field in ("body", "orelse", "handlers", "finalbody"):
            found = getattr(parent, field, None)
            body: list[Any] = found if isinstance(found, list) else []
            for index, node in enumerate(body):
                if getattr(node, "lineno", 0) == lines[0]:
                    return _extend_definition(node, body[index + 1 :], lines[1])
    return lines


def _extend_definition(node: Any, following: list[Any], last: int) -> tuple[int, int]:
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
    last = max(node.end_lineno or last, last)
    if isinstance(node, ast.Assign | ast.AnnAssign) and following:
        value = getattr(following[0], "value", None)
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            last = following[0].end_lineno
    return first, last
