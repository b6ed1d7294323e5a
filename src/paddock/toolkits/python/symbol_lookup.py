"""Definitions of Python symbols for the `PythonSymbolDefinition` tool.

A child process reads the project's files without running them. On request, symbols that exist only
at run time are imported in the project's interpreter, which runs the project's code.
"""

from __future__ import annotations

import json
import keyword
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.authoring.handler_errors import ToolError
from paddock.directories import get_data_directory
from paddock.kernels.handler_calls import call_in_thread
from paddock.kernels.supervised_program import SupervisedProgram
from paddock.reports.text import format_code_block
from paddock.toolkits.paths import get_working_directory, require_file
from paddock.toolkits.python.interpreters import choose_interpreter, find_import_paths
from paddock.toolkits.python.linters import ProgramError, run_program
from paddock.toolkits.python.tools import DEFAULT_MAX_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.context import Context
    from paddock.toolkits.python.interpreters import PythonInterpreter
    from paddock.toolkits.python.tools import PythonSymbolArguments


SymbolRecord = dict[str, Any]
"""A child process's findings for a name: `{"name": …, "found": [definitions], "error": …}`."""
_IMPORT_SCRIPT = Path(__file__).with_name("project_scripts") / "paddock_import_symbols.py"
_IMPORT_TIMEOUT_SECONDS, _POLL_SECONDS = 60.0, 0.05
_IMPORT_MEMORY_BYTES = 4 << 30
_MAX_RESULT_BYTES = 64 << 20
LOOKUP_TIMEOUT_SECONDS = 60.0
_MAX_NAMES = 50
_MISSING_MODULE_ERROR = "ModuleNotFoundError"
_CHILD_PROGRAM = """\
import sys
sys.path.append({source!r})
from paddock.toolkits.python.symbol_child import main
main()
"""


def _read_records(output: bytes) -> dict[str, SymbolRecord]:
    """Return a child process's records, keyed by the names that were looked up."""
    return {record["name"]: record for record in json.loads(output)}


class SymbolFileError(ToolError):
    """The file to look up symbols in does not exist."""

    code = "symbol-file"


def show_python_definitions(arguments: PythonSymbolArguments, ctx: Context) -> str:
    """Return the definitions of Python functions, classes and other symbols as Markdown.

    All names are first looked up by static analysis. Names that it does not find are imported if
    the call allows it, which runs the project's code.

    Raises:
        ToolError: The file or interpreter does not exist, or the lookup fails.
    """
    names = [name for part in arguments.symbols.split(",") if (name := part.strip())]
    if not names:
        raise ToolError("`symbols` contains no names", hint='as in symbols="json.dumps"')
    max_characters = arguments.max_length or 0
    if max_characters <= 0:
        max_characters = DEFAULT_MAX_CHARACTERS
    project = get_working_directory(ctx)
    file = require_file(arguments.file, ctx, SymbolFileError) if arguments.file else None
    interpreter = choose_interpreter(ctx, arguments.interpreter, file.parent if file else None)
    request = {
        "names": [name for name in names if _is_dotted_name(name)][:_MAX_NAMES],
        "file": str(file) if file else None,
        "length": max_characters,
        "project": str(project),
        "paths": find_import_paths(project, interpreter, file),
        "cache": str(Path(get_data_directory()) / "jedi"),
    }

    def look_up_symbols(
        is_cancelled: Callable[[], bool], _: Callable[[None], None]
    ) -> dict[str, SymbolRecord]:
        """Analyse the project statically, then import the missing names if the call allows it."""
        records = _run_symbol_child(request, is_cancelled) if request["names"] else {}
        missing = [name for name, record in records.items() if not record["found"]]
        if arguments.live and missing and not is_cancelled():
            records |= _import_symbols({**request, "names": missing}, interpreter, is_cancelled)
        return records

    records = call_in_thread(ctx, look_up_symbols, lambda _: None)
    ctx.raise_if_cancelled()
    sections = [
        _format_symbol(name, records.get(name), max_characters) for name in names[:_MAX_NAMES]
    ]
    if len(names) > _MAX_NAMES:
        sections.append(f"Only the first {_MAX_NAMES} of {len(names)} symbols are shown.")
    return "\n\n".join(sections)


def _is_dotted_name(name: str) -> bool:
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split("."))


def _run_symbol_child(
    request: SymbolRecord, is_cancelled: Callable[[], bool]
) -> dict[str, SymbolRecord]:
    """Look up symbols by static analysis in a child process, and return the records, keyed by name.

    Raises:
        ProgramError: The child process failed, for example because a library is missing.
    """
    source_directory = str(Path(__file__).parents[3])
    result = run_program(
        # In isolated mode, the working directory is not on the import path, so a project module
        # cannot shadow one that the child imports.
        [sys.executable, "-I", "-c", _CHILD_PROGRAM.format(source=source_directory)],
        Path(request["project"]),
        seconds=LOOKUP_TIMEOUT_SECONDS,
        is_cancelled=is_cancelled,
        stdin=json.dumps(request).encode(),
    )
    try:
        return _read_records(result.output)
    except ValueError:
        if is_cancelled():
            return {}
        last_line = result.errors.rpartition("\n")[2]
        hint = "pip install 'paddock[python]'" if _MISSING_MODULE_ERROR in last_line else None
        raise ProgramError(f"symbol lookup failed: {last_line}", hint=hint) from None


def _import_symbols(
    request: SymbolRecord, interpreter: PythonInterpreter, is_cancelled: Callable[[], bool]
) -> dict[str, SymbolRecord]:
    """Look up symbols by importing them in a child process, and return the records, keyed by name.

    This runs the project's code, so it is done only if the call allows it. The child process writes
    the records to a file, and its output is only used for error messages.
    """
    names, project = request["names"], Path(request["project"])
    with tempfile.TemporaryDirectory(
        prefix="paddock-", ignore_cleanup_errors=True
    ) as temporary_directory:
        result_file = Path(temporary_directory) / "result"
        settings = {
            "names": names,
            # The interpreter itself has the import paths outside the project.
            "paths": [path for path in request["paths"] if Path(path).is_relative_to(project)],
            "length": request["length"],
            "result": str(result_file),
        }
        command = [str(interpreter.path), str(_IMPORT_SCRIPT), json.dumps(settings)]
        deadline = time.monotonic() + _IMPORT_TIMEOUT_SECONDS
        with SupervisedProgram(command, project, memory_bytes=_IMPORT_MEMORY_BYTES) as program:
            while program.wait(_POLL_SECONDS) is None:
                if is_cancelled() or time.monotonic() > deadline:
                    break
        try:
            # Imported code may end the process before the result is written.
            with result_file.open("rb") as file:
                return _read_records(file.read(_MAX_RESULT_BYTES))
        except (OSError, ValueError, KeyError, TypeError):
            last_line = program.output.strip().rpartition("\n")[2]
            reason = last_line or f"it took over {_IMPORT_TIMEOUT_SECONDS:g} s"
            error = f"importing it ended the process: {reason}"
            return {name: {"name": name, "found": [], "error": error} for name in names}


def _format_symbol(name: str, record: SymbolRecord | None, max_characters: int) -> str:
    """Return the Markdown section about one symbol: its definitions, or an error message.

    Args:
        name: The name.
        record: The result of the lookup, or None if the name is not a valid Python name.
        max_characters: The maximum number of characters in a text.
    """
    title = f"# {name.rpartition('.')[2]}"
    if record is None:
        return f"{title}\n\nError: `{name}` is not a valid Python name, such as json.dumps."
    if not record["found"]:
        return f"{title}\n\n{_format_missing_symbol(name, record)}"
    blocks = [title]
    for definition in record["found"]:
        blocks += _format_definition(definition, max_characters)
    return "\n\n".join(blocks)


def _format_missing_symbol(name: str, record: SymbolRecord) -> str:
    """Return an error message, with similar names from the project if there are any."""
    if record.get("error"):
        return f"Error: `{name}` could not be looked up: {record['error']}"
    candidates = record.get("candidates")
    text = f"Error: The symbol `{name}` was not found in the project or its packages."
    if candidates:
        candidate_block = format_code_block("\n".join(candidates), "py")
        text += f"\n\nDid you mean one of these?\n\n{candidate_block}"
    return text


def _format_definition(definition: SymbolRecord, max_characters: int) -> list[str]:
    """Return the Markdown blocks about one definition: location, code, documentation and members.

    The documentation and the list of members are cut off at `max_characters`.
    """
    location = f"`{definition['path']}:{definition['line']}`" if definition["path"] else "built in"
    parts = [
        f"**Name:** `{definition['full_name']}` ({definition['kind']})\n\n**Location:** {location}"
    ]
    source, documentation = definition.get("source"), definition.get("documentation", "")
    if source is not None:
        if definition["length"] > len(source):
            source += f"\n... [truncated, showing {len(source)}/{definition['length']} characters]"
        parts.append(_format_part("Definition", source, "py"))
        # A docstring is not repeated if it is part of the shown source.
        summary = documentation.strip().partition("\n")[0]
        documentation = "" if summary in source else documentation
    elif definition.get("signatures"):
        lines = "\n".join(f"def {text}: ..." for text in definition["signatures"])
        parts.append(_format_part("Definition", lines, "py"))
    if documentation:
        text = documentation.strip()
        if len(text) > max_characters:
            note = f"[truncated, showing {max_characters}/{len(text)} characters]"
            text = f"{text[:max_characters]}\n... {note}"
        parts.append(_format_part("Documentation", text, "text"))
    if definition.get("outline"):
        members = "\n".join(definition["outline"])[:max_characters]
        parts.append(_format_part("Members", members, "py"))
    return parts


def _format_part(title: str, code: str, language: str) -> str:
    return f"## {title}\n\n{format_code_block(code, language)}"
