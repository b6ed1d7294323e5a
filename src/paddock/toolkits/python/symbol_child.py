"""A child process that finds Python symbols. It reads a JSON request and writes JSON records.

Files of the project and its packages are read with jedi and griffe, never imported. This is a
separate process because the libraries need a lot of memory and time, and files can be malformed.
"""

from __future__ import annotations

import ast
import json
import logging
import os
import re
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import griffe
import jedi

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_MAX_MEMBERS = 400
_MAX_LINE_CHARACTERS = 160
_MAX_FILES, _MAX_MATCHES = 5_000, 20
_MAX_SEARCHED_FILE_BYTES = 2_000_000
_EXCLUDED_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist"})
_MAX_DEFINITIONS, _MAX_CANDIDATES, _MAX_SIGNATURES = 3, 5, 10
_MAX_DOCSTRING_CHARACTERS = 20_000
_MAX_SHOWN_FILE_BYTES = 5_000_000
_MEMORY_LIMIT_BYTES, _CPU_LIMIT_SECONDS = 4 << 30, 120


def build_outline(code: str, name: str, path: Path, symbol: str | None = None) -> list[str]:
    """Return an outline of a module or of a class in it: its public members, one per line.

    An outline is shown instead of the source for modules and long classes. It is empty if the code
    is invalid.

    Args:
        code: The source code of the module.
        name: The dotted name of the module or class.
        path: The module's file.
        symbol: The name of the class, or None for the module.
    """
    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    try:
        documented: Any = griffe.visit(name.rpartition(".")[2], filepath=path, code=code)
        if symbol is not None:
            documented = documented[symbol]
    except Exception:  # noqa: BLE001 - griffe fails in many ways on invalid code
        return []
    return list(_list_outline_lines(documented, indent=""))[:_MAX_MEMBERS]


def _list_outline_lines(parent: Any, indent: str) -> list[str]:
    """Return the outline of a module or class: a line for each of its members.

    Members of a module's classes are indented below their class. Imported names are listed only if
    the module exports them in `__all__`.
    """
    lines: list[str] = []
    for name, member in parent.members.items():
        if member.is_alias:
            if parent.exports is not None and name in map(str, parent.exports):
                lines.append(f"{indent}{name}  # from {member.target_path}")
            continue
        if member.is_module or (name.startswith("_") and name != "__init__"):
            continue
        lines.append(_format_member(member, indent))
        if member.is_class and not indent:
            lines += _list_outline_lines(member, indent="    ")
    return lines


def _format_member(member: Any, indent: str) -> str:
    """Return a member's line in the outline, as in `def f(x: int) -> str  # Summary of f.`.

    The comment is the first line of the docstring.
    """
    if member.is_function:
        signature = f"def {member.signature()}"
    elif member.is_class:
        bases = ", ".join(map(str, member.bases))
        signature = f"class {member.name}({bases})" if bases else f"class {member.name}"
    else:
        signature = f"{member.name}: {member.annotation}" if member.annotation else member.name
    summary = member.docstring.value.strip().partition("\n")[0] if member.docstring else ""
    line = f"{indent}{signature}"
    return f"{line}  # {summary}"[:_MAX_LINE_CHARACTERS] if summary else line


def find_symbols_by_name(name: str, project: Path, search_paths: Sequence[Path]) -> list[str]:
    """Return the dotted names of all definitions in a project that have the given short name.

    The definitions are functions, classes and variables. Only files that contain the name as text
    are parsed.

    Args:
        name: The name without dots, such as `parse`.
        project: The project directory.
        search_paths: The directories that modules are imported from, which determine their names.
    """
    name_pattern = re.compile(rf"\b{re.escape(name)}\b".encode())
    full_names: dict[str, None] = {}
    for file in islice(_walk_files(project), _MAX_FILES):
        try:
            if file.stat().st_size > _MAX_SEARCHED_FILE_BYTES:
                continue
            data = file.read_bytes()
            if not name_pattern.search(data):
                continue
            tree = ast.parse(data)
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        module = _get_module_name(file, search_paths)
        full_names |= dict.fromkeys(
            f"{module}.{member}" for member in _find_definitions(tree, name)
        )
        if len(full_names) >= _MAX_MATCHES:
            break
    return list(full_names)


def _walk_files(project: Path) -> Iterator[Path]:
    """Yield the Python files of a project in sorted order."""
    for folder, subfolders, names in os.walk(project):
        subfolders[:] = sorted(
            subfolder for subfolder in subfolders if _is_project_folder(Path(folder, subfolder))
        )
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))


def _is_project_folder(folder: Path) -> bool:
    """Return True if a folder can contain the project's own sources."""
    if folder.name in _EXCLUDED_FOLDERS or folder.name.startswith("."):
        return False
    return not (folder / "pyvenv.cfg").exists()


def _get_module_name(file: Path, search_paths: Sequence[Path]) -> str:
    """Return the name that a file is imported as from the nearest search path."""
    parents = [path for path in search_paths if file.is_relative_to(path)]
    nearest = max(parents, key=lambda path: len(path.parts), default=file.parent)
    parts = list(file.relative_to(nearest).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _find_definitions(parent: ast.AST, name: str, prefix: str = "") -> Iterator[str]:
    """Yield the dotted names of the definitions with a given name, such as `Class.name`.

    Definitions within functions are not included.
    """
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name == name:
                yield f"{prefix}{name}"
            if isinstance(node, ast.ClassDef):
                yield from _find_definitions(node, name, f"{prefix}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                yield f"{prefix}{name}"
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _find_definitions(node, name, prefix)


SymbolRecord = dict[str, Any]


def main() -> None:
    """Read a request from standard input and write the records to standard output."""
    _limit_resources()
    request = json.load(sys.stdin)
    jedi.settings.cache_directory = request["cache"]
    finder = SymbolFinder(request)
    json.dump([finder.find(name) for name in request["names"]], sys.stdout)


def _limit_resources() -> None:
    """Limit memory and CPU time, even if the parent process dies."""
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_LIMIT_BYTES, _MEMORY_LIMIT_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_LIMIT_SECONDS, _CPU_LIMIT_SECONDS))


class SymbolFinder:
    """Finds the symbols of one project.

    The request has the project directory, its import paths, the maximum source length, and
    optionally the file in whose scope names are resolved.
    """

    def __init__(self, request: SymbolRecord) -> None:
        """Prepare jedi, a static analysis library, for the project in a request."""
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
            # jedi would have to import compiled extensions, which runs their code.
            load_unsafe_extensions=False,
        )

    def find(self, name: str) -> SymbolRecord:
        """Look up a dotted name, and return a record of its definitions.

        The record is `{"name": …, "found": […]}`. If there is no definition, the record has
        `candidates`, similar names for a "did you mean" hint, or the `error` of the search.
        """
        try:
            definitions = self._find_in_file(name) if self._file else self._find_anywhere(name)
            if definitions:
                return {"name": name, "found": self._describe_definitions(definitions)}
            return {"name": name, "found": [], "candidates": self._list_candidates(name)}
        except Exception as error:  # noqa: BLE001 - jedi fails in many ways on invalid files
            return {"name": name, "found": [], "error": f"{type(error).__name__}: {error}"[:500]}

    def _go_to_definition(self, code: str, path: str | None = None) -> list[Any]:
        """Return the definitions of the name at the end of the code.

        jedi resolves a position in code, so callers append the name to an import statement or to a
        file's text.
        """
        lines = code.split("\n")
        script = jedi.Script(code, path=path, project=self._project, environment=self._environment)
        position = len(lines), len(lines[-1])
        names: list[Any] = script.goto(*position, follow_imports=True)
        leads_to_compiled_code = not all(map(_is_definition, names))
        if leads_to_compiled_code:
            names = script.goto(*position, follow_imports=True, only_stubs=True)
        return [
            name for name in names if _is_definition(name) and (name.module_path or name.full_name)
        ]

    def _find_in_file(self, name: str) -> list[Any]:
        """Find a name as it is visible at the end of a file."""
        text = Path(self._file).read_text("utf-8", "replace")
        return self._go_to_definition(f"{text.rstrip()}\n\n{name}", self._file)

    def _find_anywhere(self, name: str) -> list[Any]:
        """Find the definitions of a dotted name in the modules of the project and its packages.

        It is not known which part of the name is a module, so the longest possible module name is
        tried first, and the rest is resolved as attributes. A name without dots may also be that
        of a function or class, if no other symbol in the project has this name.
        """
        # `os.path` is chosen at run time, so static analysis does not find its functions.
        if f"{name}.".startswith("os.path.") and sys.platform != "win32":
            name = name.replace("os.path", "posixpath", 1)
        parts = name.split(".")
        for count in range(len(parts), 0, -1):
            definitions = self._go_to_definition(f"import {'.'.join(parts[:count])}\n{name}")
            if definitions:
                return definitions
        definitions = self._go_to_definition(name)
        if definitions or len(parts) > 1:
            return definitions
        matches = self._search_project(name)
        return self._find_anywhere(matches[0]) if len(matches) == 1 and "." in matches[0] else []

    def _search_project(self, name: str) -> list[str]:
        """Return the full names of the project's symbols that share the last part of a name."""
        return find_symbols_by_name(name.rpartition(".")[2], self._root, self._search_paths)

    def _list_candidates(self, name: str) -> list[str]:
        return [] if self._file else self._search_project(name)[:_MAX_CANDIDATES]

    def _describe_definitions(self, definitions: list[Any]) -> list[SymbolRecord]:
        """Describe the definitions with source code, or else the first definition, from a stub."""
        sources = [
            definition for definition in definitions if str(definition.module_path).endswith(".py")
        ]
        shown = sources[:_MAX_DEFINITIONS] or definitions[:1]
        return [self._describe_definition(definition) for definition in shown]

    def _describe_definition(self, definition: Any) -> SymbolRecord:
        """Return the record of a definition: its location, signatures, documentation and source.

        Source is included only for files on the search paths.
        """
        path = Path(definition.module_path) if definition.module_path else None
        signatures = [signature.to_string() for signature in definition.get_signatures()]
        record: SymbolRecord = {
            "full_name": definition.full_name or definition.name,
            "kind": definition.type,
            # Built-in objects have no file other than the stubs that come with jedi.
            "path": str(path) if path and not path.is_relative_to(self._jedi_directory) else "",
            "line": definition.line or 1,
            "signatures": list(dict.fromkeys(signatures))[:_MAX_SIGNATURES],
            "documentation": definition.docstring(raw=True)[:_MAX_DOCSTRING_CHARACTERS],
        }
        if path is None or not self._is_readable_source(path):
            return record
        code = path.read_text("utf-8", "replace")
        if definition.type == "module":
            record["outline"] = build_outline(code, str(definition.full_name), path)
            record["documentation"] = _read_docstring(code)
        elif path.suffix == ".py":
            first, last = _find_extent(code, definition)
            source = "".join(code.splitlines(keepends=True)[first - 1 : last]).rstrip()
            record |= {
                "line": first,
                "source": source[: self._max_characters],
                "length": len(source),
            }
            if definition.type == "class" and len(source) > self._max_characters:
                record["outline"] = build_outline(
                    code, str(definition.full_name), path, definition.name
                )
        return record

    def _is_readable_source(self, path: Path) -> bool:
        """Return True if a file may be read: it is on the search paths and not too large."""
        # A link must not expose files outside the search paths.
        resolved = path.resolve()
        return (
            any(map(resolved.is_relative_to, self._search_paths))
            and resolved.is_file()
            and resolved.stat().st_size <= _MAX_SHOWN_FILE_BYTES
        )


def _is_definition(name: Any) -> bool:
    # For an import, jedi returns a module with the import statement's line. A real module
    # begins at line 1.
    return name.type != "module" or (name.line or 1) == 1


def _parse_source(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _read_docstring(code: str) -> str:
    tree = _parse_source(code)
    return (ast.get_docstring(tree) or "")[:_MAX_DOCSTRING_CHARACTERS] if tree else ""


def _find_extent(code: str, definition: Any) -> tuple[int, int]:
    """Return the first and last line of a definition, including its decorators and docstring.

    jedi knows only the position of the definition. Its decorators, and the docstring below a
    variable, are found in the syntax tree.
    """
    start = definition.get_definition_start_position() or (definition.line, 0)
    end = definition.get_definition_end_position() or (definition.line, 0)
    tree = _parse_source(code)
    for parent in ast.walk(tree) if tree else ():
        for _, body in ast.iter_fields(parent):
            statements = body if isinstance(body, list) else []
            for index, node in enumerate(statements):
                if isinstance(node, ast.stmt) and node.lineno == start[0]:
                    return _extend_definition(node, statements[index + 1 :], end[0])
    return start[0], end[0]


def _extend_definition(node: Any, following: list[Any], last: int) -> tuple[int, int]:
    """Extend a definition's first and last line to include its decorators and docstring.

    Args:
        node: The syntax tree of the definition.
        following: The statements after it. If it defines a variable, the first of them may be its
            docstring. Other docstrings are part of the definition.
        last: The last line of the definition.
    """
    decorators = getattr(node, "decorator_list", ())
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    last = max(node.end_lineno or last, last)
    if isinstance(node, ast.Assign | ast.AnnAssign) and following:
        value = getattr(following[0], "value", None)
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            last = following[0].end_lineno
    return first, last
