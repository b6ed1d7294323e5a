"""Pages from Python source files, which are parsed and never imported.

Each public module, class, function and method with a docstring is a page. The standard library's
compiled modules have no source: an isolated interpreter imports them and prints their docstrings.
"""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.docsearch.model import DocPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

MAX_SOURCE_BYTES = 3_000_000  # Larger files contain data.
MAX_LISTED_MEMBERS = 60
MAX_SIGNATURE_CHARACTERS = 600
INTROSPECTION_TIMEOUT_SECONDS = 60.0
COMPILED_MODULES = (
    *("builtins", "os", "sys", "math", "itertools", "functools", "collections", "time", "re"),
    *("io", "hashlib", "threading", "sqlite3", "socket", "struct", "csv", "random", "queue"),
    *("weakref", "signal", "select", "zlib", "binascii", "array", "cmath", "operator", "gc"),
    *("pickle", "marshal", "atexit", "unicodedata", "ssl", "contextvars", "tracemalloc", "bz2"),
    *("lzma", "mmap", "resource", "pwd", "grp", "fcntl", "termios", "faulthandler", "errno"),
    *("decimal", "datetime", "zoneinfo", "syslog", "winreg", "msvcrt"),
)
"""Public modules, the most popular first. Those that a system lacks are skipped."""
_INTROSPECTION_PROGRAM = """
import importlib, inspect, json, sys
def signature(value):
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
def is_compiled(value):
    if inspect.isclass(value):
        return not any(hasattr(member, "__code__") for member in vars(value).values())
    return inspect.isbuiltin(value) or inspect.ismethoddescriptor(value)
rows = []
for name in sys.argv[1:]:
    try:
        module = importlib.import_module(name)
    except ImportError:
        continue
    for key, value in list(vars(module).items()):
        if key.startswith("_") or not is_compiled(value) or not isinstance(value.__doc__, str):
            continue
        is_class = inspect.isclass(value)
        rows.append((name, key, is_class, signature(value), value.__doc__))
        if is_class and not issubclass(value, BaseException):
            for method_name in list(vars(value)):
                method = getattr(value, method_name, None)
                doc = getattr(method, "__doc__", None)
                if method_name.startswith("_") or not callable(method) or not isinstance(doc, str):
                    continue
                rows.append((name, f"{key}.{method_name}", False, signature(method), doc))
json.dump(rows, sys.stdout)
"""


def parse_source(source: bytes) -> ast.Module:
    """Parse Python source code, ignoring warnings about invalid escape sequences.

    Raises:
        SyntaxError: The source is not valid Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def read_module_pages(
    source: bytes, module: str, origin: str, get_public_name: Callable[[str], str]
) -> Iterator[DocPage]:
    """Yield a documentation page for a Python module, and one for each public definition in it.

    The pages use the names that users import, which may differ from the names in the module that
    contains the definitions.

    Args:
        source: The module's source code.
        module: The module's dotted name.
        origin: The origin to show for the pages, such as `Python 3.12, json`.
        get_public_name: Maps a dotted name to the name that users import.

    Raises:
        SyntaxError: The source is not valid Python.
    """
    tree = parse_source(source)
    name = get_public_name(module)
    docstring = _get_docstring(tree)
    if docstring:
        members = _summarize_members(tree.body)
        text = f"Module `{name}`\n\n{docstring}" + _format_members(members)
        yield DocPage(name, origin, text, list_aliases(name, module))
    yield from _read_definitions(tree.body, module, origin, get_public_name)


def _read_definitions(
    body: list[ast.stmt], prefix: str, origin: str, get_public_name: Callable[[str], str]
) -> Iterator[DocPage]:
    """Yield documentation pages for the public functions and classes in a module or class.

    If a name is defined more than once, only the first definition becomes a page.

    Args:
        body: The statements in the module or class.
        prefix: The dotted name of the module or class.
        origin: The origin to show for the pages.
        get_public_name: Maps a dotted name to the name that users import.
    """
    seen_names = set()
    for statement in _flatten_blocks(body):
        if not isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if statement.name.startswith("_") or statement.name in seen_names:
            continue
        seen_names.add(statement.name)
        full_name = f"{prefix}.{statement.name}"
        name = get_public_name(full_name)
        if isinstance(statement, ast.ClassDef):
            yield from _read_class(statement, full_name, name, origin)
            yield from _read_definitions(statement.body, full_name, origin, get_public_name)
        else:
            docstring = _get_docstring(statement)
            if docstring:
                text = f"```python\n{_format_signature(statement, name)}\n```\n\n{docstring}"
                yield DocPage(name, origin, text, list_aliases(name, full_name))


def _read_class(
    statement: ast.ClassDef, full_name: str, name: str, origin: str
) -> Iterator[DocPage]:
    """Yield a class's page: its constructor, its docstring and a list of its members.

    The docstring of `__init__` is appended to the class docstring. A class with neither has no
    page.

    Args:
        statement: The class definition.
        full_name: The dotted name in the module that contains the class.
        name: The name that users import.
        origin: The origin to show for the page.
    """
    docstring, header = _get_docstring(statement), f"class {name}"
    methods = {
        member.name: member for member in statement.body if isinstance(member, ast.FunctionDef)
    }
    constructor = methods.get("__init__")
    if constructor is not None:
        # Many classes document their parameters in `__init__`.
        docstring = f"{docstring}\n\n{_get_docstring(constructor)}".strip()
        header = f"class {_format_signature(constructor, name, is_method=True)}"
    if not docstring:
        return
    members = _summarize_members(statement.body)
    text = f"```python\n{header}\n```\n\n{docstring}" + _format_members(members)
    yield DocPage(name, origin, text, list_aliases(name, full_name))


def _flatten_blocks(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements in a block and in its `if` and `try` statements.

    Modules often define multiple variants of a function, for example one per operating system.
    """
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _flatten_blocks(statement.body)
            yield from _flatten_blocks(statement.orelse)
        elif isinstance(statement, ast.Try):
            yield from _flatten_blocks(statement.body)
            for handler in statement.handlers:
                yield from _flatten_blocks(handler.body)
        else:
            yield statement


def _summarize_members(body: list[ast.stmt]) -> Mapping[str, str]:
    """Return the first docstring line of each public function and class, by name."""
    summaries = {}
    for statement in _flatten_blocks(body):
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = _get_docstring(statement)
            if docstring and not statement.name.startswith("_"):
                summaries[statement.name] = docstring.partition("\n")[0]
    return summaries


def _format_members(members: Mapping[str, str]) -> str:
    lines = [f"- `{name}`: {line}" for name, line in list(members.items())[:MAX_LISTED_MEMBERS]]
    return "\n\n" + "\n".join(lines) if lines else ""


def _get_docstring(node: ast.Module | ast.ClassDef | FunctionNode) -> str:
    return inspect.cleandoc(ast.get_docstring(node, clean=False) or "").strip()


def _format_signature(function: FunctionNode, name: str, *, is_method: bool = False) -> str:
    """Return a function's signature as code, such as `loads(text: str) -> object`.

    Args:
        function: The function definition.
        name: The name to show.
        is_method: True if the function is a class's constructor. `self` and the result type are
            then omitted.
    """
    try:
        arguments = ast.unparse(function.args)
        return_annotation = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    except (ValueError, RecursionError):
        return f"{name}(…)"
    if is_method:
        arguments, return_annotation = arguments.removeprefix("self").removeprefix(", "), ""
    return f"{name}({arguments}){return_annotation}"[:MAX_SIGNATURE_CHARACTERS]


def list_aliases(public_name: str, full_name: str) -> tuple[str, ...]:
    """Return the names that users can search for to find a definition's page.

    They are the public name, its last parts and the full name. For example, users also search for
    `os.path.join` as `path.join` and `join`.
    """
    parts = public_name.split(".")
    last_parts = [".".join(parts[-count:]) for count in (2, 1)]
    return tuple(dict.fromkeys((public_name, *last_parts, full_name)))


class ExportedNames(NamedTuple):
    """The names exported by a module, and the modules it imports with `*`."""

    names: frozenset[str] = frozenset()
    star_modules: frozenset[str] = frozenset()


def find_exported_names(source: bytes) -> ExportedNames:
    """Return the public names that an `__init__` module imports or lists in `__all__`.

    Modules that it imports everything from (`from .module import *`) are returned separately,
    because their names are in their own source code.

    Raises:
        SyntaxError: The source is not valid Python.
    """
    tree = parse_source(source)
    names: set[str] = set()
    star_modules: set[str] = set()
    for statement in _flatten_blocks(tree.body):
        if isinstance(statement, ast.ImportFrom):
            imported_names = [alias.asname or alias.name for alias in statement.names]
            if imported_names == ["*"]:
                star_modules.add((statement.module or "").rpartition(".")[2])
            else:
                names.update(imported_names)
        elif isinstance(statement, ast.Assign | ast.AugAssign):
            names.update(_read_dunder_all(statement))
    public_names = frozenset(name for name in names if not name.startswith("_"))
    return ExportedNames(public_names, frozenset(star_modules))


def _read_dunder_all(statement: ast.Assign | ast.AugAssign) -> list[str]:
    """Return the strings that a statement assigns or adds to `__all__`."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
        return []
    if not isinstance(statement.value, ast.List | ast.Tuple):
        return []
    values = [
        element.value for element in statement.value.elts if isinstance(element, ast.Constant)
    ]
    return [value for value in values if isinstance(value, str)]


def read_compiled_modules(python: str, version: str) -> Iterator[DocPage]:
    """Yield pages for standard library modules that are written in C.

    They have no Python source to parse, so the interpreter is run to describe them.

    Args:
        python: The path to the interpreter.
        version: The Python version to show as the pages' origin.

    Raises:
        OSError: The interpreter cannot be run.
    """
    for module, name, is_class, signature, docstring in _run_introspection(python):
        title = name if module == "builtins" else f"{module}.{name}"
        call = f"{'class ' if is_class else ''}{title}{signature}"
        text = f"```python\n{call}\n```\n\n{docstring.strip()}"
        names = list_aliases(title, f"{module}.{name}")
        yield DocPage(title, f"Python {version}, {module}", text, names)


def _run_introspection(python: str) -> list[Any]:
    """Describe a Python interpreter's compiled modules by running a program in it.

    Args:
        python: The path to the interpreter.

    Returns:
        A row for each function and class: the module, the name, whether it is a class, the
        signature and the docstring.

    Raises:
        OSError: The interpreter cannot be run, or its output is invalid.
    """
    try:
        process = subprocess.run(  # noqa: S603 - the given interpreter with a constant program
            # Isolated mode without the site module ensures that only the standard library can be
            # imported.
            [python, "-I", "-S", "-c", _INTROSPECTION_PROGRAM, *COMPILED_MODULES],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=INTROSPECTION_TIMEOUT_SECONDS,
            check=True,
        )
        descriptions = json.loads(process.stdout)
    except (subprocess.SubprocessError, ValueError) as error:
        raise OSError(f"{python} cannot describe its modules: {error}") from error
    return descriptions if isinstance(descriptions, list) else []
