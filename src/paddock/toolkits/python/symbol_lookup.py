"""Symbols that only come to be when a module is imported: looked at in the project's interpreter.

It runs the project's code, in a child process with all that it starts ended.

What the tool `PythonSymbolDefinition` does: has symbols found, and words what they are.

Loaded with the first call.
"""

from __future__ import annotations

import json
import keyword
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.handler_errors import ToolError
from paddock.directories import get_data_directory
from paddock.kernels.handler_calls import call_in_thread
from paddock.kernels.supervised_program import SupervisedProgram
from paddock.reports.text import format_code_block
from paddock.toolkits.paths import get_working_directory, resolve_path
from paddock.toolkits.python.interpreters import choose_interpreter, find_import_paths
from paddock.toolkits.python.linters import ProgramError, run_program

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.context import Context
    from paddock.toolkits.python.interpreters import PythonInterpreter


_IMPORT_SCRIPT = Path(__file__).with_name("project_scripts") / "paddock_import_symbols.py"
_IMPORT_TIMEOUT_SECONDS, _POLL_SECONDS = 60.0, 0.05
_IMPORT_MEMORY_BYTES = 4 << 30
_MAX_RESULT_BYTES = 64 << 20


def import_symbols(
    names: list[str],
    interpreter: PythonInterpreter,
    project: Path,
    paths: list[str],
    length: int,
    is_cancelled: Callable[[], bool],
) -> dict[str, dict[str, Any]]:
    """What names are once they are imported, or why they cannot be."""
    own = [path for path in paths if Path(path).is_relative_to(project)]
    with tempfile.TemporaryDirectory(prefix="paddock-", ignore_cleanup_errors=True) as private:
        result = Path(private) / "result"
        settings = {"names": names, "paths": own, "length": length, "result": str(result)}
        command = [str(interpreter.path), str(_IMPORT_SCRIPT), json.dumps(settings)]
        deadline = time.monotonic() + _IMPORT_TIMEOUT_SECONDS
        with SupervisedProgram(command, project, memory_bytes=_IMPORT_MEMORY_BYTES) as program:
            while program.wait(_POLL_SECONDS) is None:
                if is_cancelled() or time.monotonic() > deadline:
                    break
        try:
            with result.open("rb") as file:
                return {one["name"]: one for one in json.loads(file.read(_MAX_RESULT_BYTES))}
        except (OSError, ValueError, KeyError, TypeError):
            why = (
                program.output.strip().rpartition("\n")[2]
                or f"it took over {_IMPORT_TIMEOUT_SECONDS:g} s"
            )
            error = f"importing it ended its process: {why}"
            return {name: {"name": name, "found": [], "error": error} for name in names}


LOOKUP_TIMEOUT_SECONDS = 60.0
_MAX_OUTPUT_BYTES = 64 << 20
_MAX_NAMES = 50
_MISSING_MODULE_ERROR = "ModuleNotFoundError"
_CHILD_PROGRAM = """\
import sys
sys.path.append({source!r})
from paddock.toolkits.python.symbol_child import main
main()
"""
SymbolRecord = dict[str, Any]


class SymbolFileError(ToolError):
    """The file that symbols are to be looked up in is not there."""

    code = "symbol-file"


class SymbolQuery(NamedTuple):
    """What is to be looked up, and how."""

    names: list[str]
    file: str | None
    max_characters: int
    interpreter: str | None
    allows_import: bool


def look_up_symbols(ctx: Context, wanted: SymbolQuery) -> str:
    """The definitions of some symbols.

    Raises:
        ToolError: when they cannot be looked for.
    """
    project = get_working_directory(ctx)
    file = _resolve_file(wanted.file, ctx) if wanted.file else None
    interpreter = choose_interpreter(ctx, wanted.interpreter, file.parent if file else None)
    paths = find_import_paths(project, interpreter, file)
    good = [name for name in wanted.names if _is_dotted_name(name)][:_MAX_NAMES]
    request = {
        "names": good,
        "file": str(file) if file else None,
        "length": wanted.max_characters,
        "project": str(project),
        "paths": paths,
        "cache": str(Path(get_data_directory()) / "jedi"),
    }

    def work(
        is_cancelled: Callable[[], bool], _: Callable[[None], None]
    ) -> dict[str, SymbolRecord]:
        found = _run_symbol_child(request, is_cancelled) if good else {}
        missing = [name for name, one in found.items() if not one["found"]]
        if wanted.allows_import and missing and not is_cancelled():
            found |= import_symbols(
                missing, interpreter, project, paths, wanted.max_characters, is_cancelled
            )
        return found

    found = call_in_thread(ctx, work, lambda _: None)
    ctx.raise_if_cancelled()
    parts = [
        _format_symbol(name, found.get(name), wanted.max_characters)
        for name in wanted.names[:_MAX_NAMES]
    ]
    if len(wanted.names) > _MAX_NAMES:
        parts.append(f"Only the first {_MAX_NAMES} of {len(wanted.names)} symbols are shown.")
    return "\n\n".join(parts)


def _resolve_file(given: str, ctx: Context) -> Path:
    place = resolve_path(given, ctx)
    if not place.is_file():
        raise SymbolFileError(
            f"There is no file {given}",
            where=str(place),
            hint="relative paths begin in the directory that the client works in",
        )
    return place


def _is_dotted_name(name: str) -> bool:
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split("."))


def _run_symbol_child(
    request: SymbolRecord, is_cancelled: Callable[[], bool]
) -> dict[str, SymbolRecord]:
    source = str(Path(__file__).parents[3])
    done = run_program(
        [sys.executable, "-I", "-c", _CHILD_PROGRAM.format(source=source)],
        Path(request["project"]),
        seconds=LOOKUP_TIMEOUT_SECONDS,
        most_bytes=_MAX_OUTPUT_BYTES,
        is_cancelled=is_cancelled,
        given=json.dumps(request).encode(),
    )
    try:
        return {one["name"]: one for one in json.loads(done.output)}
    except ValueError:
        if is_cancelled():
            return {}
        last = done.errors.rpartition("\n")[2]
        hint = "pip install 'paddock[python]'" if _MISSING_MODULE_ERROR in last else None
        raise ProgramError(f"Symbols cannot be looked up: {last}", hint=hint) from None


def _format_symbol(name: str, told: SymbolRecord | None, length: int) -> str:
    title = f"# {name.rpartition('.')[2]}"
    if told is None:
        return f"{title}\n\nError: `{name}` is not a name of Python: names are joined by dots."
    if not told["found"]:
        return f"{title}\n\n{_format_missing_symbol(name, told)}"
    return "\n\n".join(
        [title, *(part for one in told["found"] for part in _format_definition(one, length))]
    )


def _format_missing_symbol(name: str, told: SymbolRecord) -> str:
    if told.get("error"):
        return f"Error: `{name}` could not be looked up: {told['error']}"
    candidates = told.get("candidates")
    text = f"Error: There is no symbol `{name}` in the project or its packages."
    if candidates:
        listed = format_code_block("\n".join(candidates), "py")
        text += f"\n\nDid you mean one of these?\n\n{listed}"
    return text


def _format_definition(one: SymbolRecord, length: int) -> list[str]:
    place = f"`{one['path']}:{one['line']}`" if one["path"] else "built in"
    parts = [f"**Name:** `{one['full_name']}` ({one['kind']})\n\n**Location:** {place}"]
    source, documentation = one.get("source"), one.get("documentation", "")
    if source is not None:
        if one["length"] > len(source):
            source += f"\n... [truncated, showing {len(source)}/{one['length']} characters]"
        parts.append(f"## Definition\n\n{format_code_block(source, 'py')}")
        summary = documentation.strip().partition("\n")[0]
        documentation = "" if summary in source else documentation
    elif one.get("signatures"):
        lines = "\n".join(f"def {text}: ..." for text in one["signatures"])
        parts.append(f"## Definition\n\n{format_code_block(lines, 'py')}")
    if documentation:
        shown = documentation.strip()
        if len(shown) > length:
            shown = f"{shown[:length]}\n... [truncated, showing {length}/{len(shown)} characters]"
        parts.append(f"## Documentation\n\n{format_code_block(shown, 'text')}")
    if one.get("outline"):
        members = "\n".join(one["outline"])[:length]
        parts.append(f"## Members\n\n{format_code_block(members, 'py')}")
    return parts
