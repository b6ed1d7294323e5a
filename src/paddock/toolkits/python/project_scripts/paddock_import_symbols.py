"""Program that imports symbols in the project's interpreter and describes them.

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
    """Describe the names in the settings, and write the records to a file."""
    settings = json.loads(sys.argv[1])
    sys.path[:0] = settings["paths"]
    records = [_describe_name(name, settings["length"]) for name in settings["names"]]
    with open(settings["result"], "w", encoding="utf-8") as file:
        json.dump(records, file)


def _describe_name(name: str, length: int) -> dict[str, Any]:
    """Import a name and return its record. An error becomes part of the record.

    Imported code may also raise SystemExit, which must not end the program before the result is
    written.
    """
    try:
        return {"name": name, "found": [_describe_value(name, _import_value(name), length)]}
    except BaseException as error:
        return {"name": name, "found": [], "error": f"{type(error).__name__}: {error}"[:500]}


def _import_value(name: str) -> Any:
    """Import as much of a dotted name as possible, and follow the remaining attributes.

    A missing module means that the last part of the prefix is an attribute. An import error inside
    of a module is raised.
    """
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError as error:
            module = ".".join(parts[:count])
            if count == 1 or error.name is None or not f"{module}.".startswith(f"{error.name}."):
                raise
            continue
        for part in parts[count:]:
            value = getattr(value, part)
        return value
    raise ModuleNotFoundError(name)


def _describe_value(name: str, value: Any, length: int) -> dict[str, Any]:
    """Return the record of an imported value, in the form that the static analysis returns.

    A value without source or signature is described by its `repr`.
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
        # A value such as a constant has neither source nor signature, so its `repr` is shown.
        source = "" if record["signatures"] else repr(value)[:MAX_VALUE_CHARACTERS]
    if source and not inspect.ismodule(value):
        record["source"], record["length"] = source[:length], len(source)
    return record


if __name__ == "__main__":
    main()
