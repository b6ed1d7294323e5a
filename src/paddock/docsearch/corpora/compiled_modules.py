"""Docstrings of the parts of the standard library that are compiled, and have no source to read.

The interpreter itself is asked, in a process of its own that imports modules of the standard
library only, with nothing of the user on its path.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

from paddock.docsearch.page import DocPage

if TYPE_CHECKING:
    from collections.abc import Iterator

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
