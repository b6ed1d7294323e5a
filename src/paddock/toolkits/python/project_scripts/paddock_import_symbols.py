"""A program that imports symbols in the project's interpreter and describes them.

It uses only the standard library and supports Python 3.8.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from typing import Any

MAX_VALUE_CHARACTERS = 2_000


def main() -> None:
    """Describe the names in the settings and write the records to a file."""
    settings = json.loads(sys.argv[1])
    sys.path[:0] = settings["paths"]
    records = [_describe_name(name, settings["length"]) for name in settings["names"]]
    with open(settings["result"], "w", encoding="utf-8") as file:
        json.dump(records, file)


def _describe_name(name: str, length: int) -> dict[str, Any]:
    """Import a dotted name and return a record of its value, as in `{"name": …, "found": […]}`.

    If the import fails, the record contains the error. All exceptions are caught because imported
    code may even raise SystemExit, which must not end this program before the records are written.
    """
    try:
        return {"name": name, "found": [_describe_value(name, _import_value(name), length)]}
    except BaseException as error:
        return {"name": name, "found": [], "error": f"{type(error).__name__}: {error}"[:500]}


def _import_value(name: str) -> Any:
    """Return the value of a dotted name such as `json.decoder.JSONDecoder`.

    The longest prefix that is a module is imported, and the rest of the name is resolved as
    attributes. If a module exists but cannot import another one, that error is raised.
    """
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        module = ".".join(parts[:count])
        try:
            value = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if count == 1 or error.name is None or not f"{module}.".startswith(f"{error.name}."):
                raise
            continue
        for part in parts[count:]:
            value = getattr(value, part)
        return value
    raise ModuleNotFoundError(name)


def _describe_value(name: str, value: Any, length: int) -> dict[str, Any]:
    """Return a record of an imported value: its location, signature, documentation and source.

    It has the same keys as the static analysis records in `symbol_child`. At most `length`
    characters of the source are included. A value without source or signature is described by its
    `repr`.
    """
    record = {
        "full_name": name,
        "kind": f"{type(value).__name__}, imported",
        "path": "",
        "line": 1,
        "documentation": inspect.getdoc(value) or "",
    }
    try:
        record["signatures"] = [f"{name.rpartition('.')[2]}{inspect.signature(value)}"]
    except (TypeError, ValueError):
        record["signatures"] = []
    try:
        lines, record["line"] = inspect.getsourcelines(value)
        record["path"] = inspect.getsourcefile(value) or ""
        source = "".join(lines).rstrip()
    except (TypeError, OSError):
        # For example, a constant has neither source nor signature.
        source = "" if record["signatures"] else repr(value)[:MAX_VALUE_CHARACTERS]
    if source and not inspect.ismodule(value):
        record["source"], record["length"] = source[:length], len(source)
    return record


if __name__ == "__main__":
    main()
