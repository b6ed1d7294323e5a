"""What the tool `PythonSymbolDefinition` does: has symbols found, and words what they are.

Loaded with the first call.
"""

from __future__ import annotations

import json
import keyword
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.failures import ToolError
from paddock.directories import data_directory
from paddock.kernels.calls import call_apart
from paddock.reports.markdown import fenced
from paddock.toolkits.paths import resolve, working_directory
from paddock.toolkits.python.import_paths import import_paths
from paddock.toolkits.python.interpreters import choose_interpreter
from paddock.toolkits.python.live_symbols import find_live
from paddock.toolkits.python.programs import ProgramError, run_program

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.context import Context

SECONDS = 60.0
_MOST_BYTES = 64 << 20
_MOST_NAMES = 50
_MISSING = "ModuleNotFoundError"
_PROGRAM = """\
import sys
sys.path.append({source!r})
from paddock.toolkits.python.symbol_child import main
main()
"""
Found = dict[str, Any]


class SymbolFileError(ToolError):
    """The file that symbols are to be looked up in is not there."""

    code = "symbol-file"


class Wanted(NamedTuple):
    """What is to be looked up, and how."""

    names: list[str]
    file: str | None
    length: int
    interpreter: str | None
    is_live: bool


def look_up(ctx: Context, wanted: Wanted) -> str:
    """The definitions of some symbols.

    Raises:
        ToolError: when they cannot be looked for.
    """
    project = working_directory(ctx)
    file = _file(wanted.file, ctx) if wanted.file else None
    interpreter = choose_interpreter(ctx, wanted.interpreter, file.parent if file else None)
    paths = import_paths(project, interpreter, file)
    good = [name for name in wanted.names if _is_name(name)][:_MOST_NAMES]
    request = {
        "names": good,
        "file": str(file) if file else None,
        "length": wanted.length,
        "project": str(project),
        "paths": paths,
        "cache": str(Path(data_directory()) / "jedi"),
    }

    def work(is_cancelled: Callable[[], bool], _: Callable[[None], None]) -> dict[str, Found]:
        found = _static(request, is_cancelled) if good else {}
        missing = [name for name, one in found.items() if not one["found"]]
        if wanted.is_live and missing and not is_cancelled():
            found |= find_live(missing, interpreter, project, paths, wanted.length, is_cancelled)
        return found

    found = call_apart(ctx, work, lambda _: None)
    ctx.raise_if_cancelled()
    parts = [_worded(name, found.get(name), wanted.length) for name in wanted.names[:_MOST_NAMES]]
    if len(wanted.names) > _MOST_NAMES:
        parts.append(f"Only the first {_MOST_NAMES} of {len(wanted.names)} symbols are shown.")
    return "\n\n".join(parts)


def _file(given: str, ctx: Context) -> Path:
    place = resolve(given, ctx)
    if not place.is_file():
        raise SymbolFileError(
            f"There is no file {given}",
            where=str(place),
            hint="relative paths begin in the directory that the client works in",
        )
    return place


def _is_name(name: str) -> bool:
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split("."))


def _static(request: Found, is_cancelled: Callable[[], bool]) -> dict[str, Found]:
    source = str(Path(__file__).parents[3])
    done = run_program(
        [sys.executable, "-I", "-c", _PROGRAM.format(source=source)],
        Path(request["project"]),
        seconds=SECONDS,
        most_bytes=_MOST_BYTES,
        is_cancelled=is_cancelled,
        given=json.dumps(request).encode(),
    )
    try:
        return {one["name"]: one for one in json.loads(done.output)}
    except ValueError:
        if is_cancelled():
            return {}
        last = done.errors.rpartition("\n")[2]
        hint = "pip install 'paddock[python]'" if _MISSING in last else None
        raise ProgramError(f"Symbols cannot be looked up: {last}", hint=hint) from None


def _worded(name: str, told: Found | None, length: int) -> str:
    title = f"# {name.rpartition('.')[2]}"
    if told is None:
        return f"{title}\n\nError: `{name}` is not a name of Python: names are joined by dots."
    if not told["found"]:
        return f"{title}\n\n{_missing(name, told)}"
    return "\n\n".join([title, *(part for one in told["found"] for part in _parts(one, length))])


def _missing(name: str, told: Found) -> str:
    if told.get("error"):
        return f"Error: `{name}` could not be looked up: {told['error']}"
    candidates = told.get("candidates")
    text = f"Error: There is no symbol `{name}` in the project or its packages."
    if candidates:
        listed = fenced("\n".join(candidates), "py")
        text += f"\n\nDid you mean one of these?\n\n{listed}"
    return text


def _parts(one: Found, length: int) -> list[str]:
    place = f"`{one['path']}:{one['line']}`" if one["path"] else "built in"
    parts = [f"**Name:** `{one['full_name']}` ({one['kind']})\n\n**Location:** {place}"]
    source, documentation = one.get("source"), one.get("documentation", "")
    if source is not None:
        if one["length"] > len(source):
            source += f"\n... [truncated, showing {len(source)}/{one['length']} characters]"
        parts.append(f"## Definition\n\n{fenced(source, 'py')}")
        summary = documentation.strip().partition("\n")[0]
        documentation = "" if summary in source else documentation
    elif one.get("signatures"):
        lines = "\n".join(f"def {text}: ..." for text in one["signatures"])
        parts.append(f"## Definition\n\n{fenced(lines, 'py')}")
    if documentation:
        shown = documentation.strip()
        if len(shown) > length:
            shown = f"{shown[:length]}\n... [truncated, showing {length}/{len(shown)} characters]"
        parts.append(f"## Documentation\n\n{fenced(shown, 'text')}")
    if one.get("outline"):
        members = "\n".join(one["outline"])[:length]
        parts.append(f"## Members\n\n{fenced(members, 'py')}")
    return parts
