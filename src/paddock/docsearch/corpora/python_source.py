"""Pages out of Python source files, which are parsed and never imported.

A module, a class, a function or method with a docstring is a page. Names that begin with an
underscore are nobody's business.

Docstrings of the parts of the standard library that are compiled, and have no source to read.

The interpreter itself is asked, in a process of its own that imports modules of the standard
library only, with nothing of the user on its path.
"""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import warnings
from typing import TYPE_CHECKING, Any

from paddock.docsearch.model import DocPage

if TYPE_CHECKING:
    from collections.abc import Iterator


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

MAX_SOURCE_BYTES = 3_000_000
"""Of one source file; larger ones are data."""
MAX_LISTED_MEMBERS = 60
"""That the page of a module or class lists."""
MAX_SIGNATURE_CHARACTERS = 600


def read_module_pages(
    source: bytes, module: str, origin: str, public: Callable[[str], str]
) -> Iterator[DocPage]:
    """The pages of one module.

    Args:
        source: The file.
        module: Its dotted name.
        origin: Where it is from.
        public: Gives the name that users know for a dotted name.

    Raises:
        SyntaxError: when it is no Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the parser thinks of other people's escapes
        tree = ast.parse(source)
    name = public(module)
    docstring = _get_docstring(tree)
    if docstring:
        listed = _summarize_members(tree.body)
        text = f"Module `{name}`\n\n{docstring}" + _format_members(listed)
        yield DocPage(name, origin, text, _list_aliases(module, name))
    yield from _read_definitions(tree.body, module, origin, public)


def _read_definitions(
    body: list[ast.stmt], prefix: str, origin: str, public: Callable[[str], str]
) -> Iterator[DocPage]:
    seen = set()
    for statement in _flatten_blocks(body):
        if not isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if statement.name.startswith("_") or statement.name in seen:
            continue
        seen.add(statement.name)
        full = f"{prefix}.{statement.name}"
        name = public(full)
        if isinstance(statement, ast.ClassDef):
            yield from _read_class(statement, full, name, origin)
            yield from _read_definitions(statement.body, full, origin, public)
        else:
            docstring = _get_docstring(statement)
            if docstring:
                text = f"```python\n{_format_signature(statement, name)}\n```\n\n{docstring}"
                yield DocPage(name, origin, text, _list_aliases(full, name))


def _read_class(statement: ast.ClassDef, full: str, name: str, origin: str) -> Iterator[DocPage]:
    docstring = _get_docstring(statement)
    methods = {one.name: one for one in statement.body if isinstance(one, ast.FunctionDef)}
    made = methods.get("__init__")
    if made is not None:
        docstring = f"{docstring}\n\n{_get_docstring(made)}".strip()
    if not docstring:
        return
    head = (
        f"class {name}"
        if made is None
        else f"class {_format_signature(made, name, is_method=True)}"
    )
    text = f"```python\n{head}\n```\n\n{docstring}" + _format_members(
        _summarize_members(statement.body)
    )
    yield DocPage(name, origin, text, _list_aliases(full, name))


def _flatten_blocks(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block, with those under conditions and in attempts."""
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
    """Public functions and classes with the first line about each."""
    found = {}
    for statement in _flatten_blocks(body):
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = _get_docstring(statement)
            if docstring and not statement.name.startswith("_"):
                found[statement.name] = docstring.partition("\n")[0]
    return found


def _format_members(members: Mapping[str, str]) -> str:
    lines = [f"- `{name}`: {line}" for name, line in list(members.items())[:MAX_LISTED_MEMBERS]]
    return "\n\n" + "\n".join(lines) if lines else ""


def _get_docstring(node: ast.Module | ast.ClassDef | FunctionNode) -> str:
    return inspect.cleandoc(ast.get_docstring(node, clean=False) or "").strip()


def _format_signature(function: FunctionNode, name: str, *, is_method: bool = False) -> str:
    try:
        arguments = ast.unparse(function.args)
        returned = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    except (ValueError, RecursionError):
        return f"{name}(…)"
    if is_method:
        arguments, returned = arguments.removeprefix("self").removeprefix(", "), ""
    return f"{name}({arguments}){returned}"[:MAX_SIGNATURE_CHARACTERS]


def _list_aliases(full: str, name: str) -> tuple[str, ...]:
    """What people call something: its whole name, and the last one or two parts of it."""
    parts = name.split(".")
    tails = [".".join(parts[-count:]) for count in (2, 1) if count < len(parts)]
    return tuple(dict.fromkeys((name, *tails, full)))


def find_exported_names(source: bytes) -> tuple[frozenset[str], frozenset[str]]:
    """Which names a package's `__init__` offers, and of which of its modules it offers all.

    Raises:
        SyntaxError: when it is no Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    names: set[str] = set()
    whole: set[str] = set()
    for statement in _flatten_blocks(tree.body):
        if isinstance(statement, ast.ImportFrom):
            taken = [alias.asname or alias.name for alias in statement.names]
            if taken == ["*"]:
                whole.add((statement.module or "").rpartition(".")[2])
            else:
                names.update(taken)
        elif isinstance(statement, ast.Assign | ast.AugAssign):
            names.update(_read_dunder_all(statement))
    return frozenset(name for name in names if not name.startswith("_")), frozenset(whole)


def _read_dunder_all(statement: ast.Assign | ast.AugAssign) -> list[str]:
    """The strings that a statement puts into `__all__`."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
        return []
    if not isinstance(statement.value, ast.List | ast.Tuple):
        return []
    found = [one.value for one in statement.value.elts if isinstance(one, ast.Constant)]
    return [value for value in found if isinstance(value, str)]


INTROSPECTION_TIMEOUT_SECONDS = 60.0
COMPILED_MODULES = (
    *("builtins", "os", "sys", "math", "itertools", "functools", "collections", "time", "re"),
    *("io", "hashlib", "threading", "sqlite3", "socket", "struct", "csv", "random", "queue"),
    *("weakref", "signal", "select", "zlib", "binascii", "array", "cmath", "operator", "gc"),
    *("pickle", "marshal", "atexit", "unicodedata", "ssl", "contextvars", "tracemalloc", "bz2"),
    *("lzma", "mmap", "resource", "pwd", "grp", "fcntl", "termios", "faulthandler", "errno"),
    *("decimal", "datetime", "zoneinfo", "syslog", "winreg", "msvcrt"),
)
"""Public modules, the commonest first; those that a system lacks are left out."""
_INTROSPECTION_PROGRAM = """
import importlib, inspect, json, sys
def signature(value):
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
def is_compiled(value):
    if inspect.isclass(value):
        return not any(hasattr(one, "__code__") for one in vars(value).values())
    return inspect.isbuiltin(value) or inspect.ismethoddescriptor(value)
found = []
for name in sys.argv[1:]:
    try:
        module = importlib.import_module(name)
    except ImportError:
        continue
    for key, value in list(vars(module).items()):
        if key.startswith("_") or not is_compiled(value) or not isinstance(value.__doc__, str):
            continue
        is_class = inspect.isclass(value)
        found.append((name, key, is_class, signature(value), value.__doc__))
        if is_class and not issubclass(value, BaseException):
            for method in list(vars(value)):
                one = getattr(value, method, None)
                doc = getattr(one, "__doc__", None)
                if method.startswith("_") or not callable(one) or not isinstance(doc, str):
                    continue
                found.append((name, f"{key}.{method}", False, signature(one), doc))
json.dump(found, sys.stdout)
"""


def read_compiled_modules(python: str, version: str) -> Iterator[DocPage]:
    """The pages that an interpreter can say something about.

    Raises:
        OSError: when it cannot be asked.
    """
    for module, name, is_class, signature, docstring in _run_introspection(python):
        title = name if module == "builtins" else f"{module}.{name}"
        call = f"{'class ' if is_class else ''}{title}{signature}"
        text = f"```python\n{call}\n```\n\n{docstring.strip()}"
        parts = title.split(".")
        tails = [".".join(parts[-count:]) for count in (2, 1) if count < len(parts)]
        names = (title, *tails, f"{module}.{name}")
        yield DocPage(title, f"Python {version}, {module}", text, tuple(dict.fromkeys(names)))


def _run_introspection(python: str) -> list[Any]:
    try:
        done = subprocess.run(  # noqa: S603 - an interpreter, with our program
            [python, "-I", "-S", "-c", _INTROSPECTION_PROGRAM, *COMPILED_MODULES],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=INTROSPECTION_TIMEOUT_SECONDS,
            check=True,
        )
        answer = json.loads(done.stdout)
    except (subprocess.SubprocessError, ValueError) as error:
        raise OSError(f"{python} says nothing about its modules: {error}") from error
    return answer if isinstance(answer, list) else []
