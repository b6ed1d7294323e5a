"""Symbols that only come to be when a module is imported: looked at in the project's interpreter.

It runs the project's code, in a child process with all that it starts ended.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.kernels.guarded import SupervisedProgram

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.toolkits.python.interpreters import PythonInterpreter

_IMPORT_SCRIPT = Path(__file__).with_name("in_project") / "paddock_import_symbols.py"
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
            why = program.output.strip().rpartition("\n")[2] or f"it took over {_IMPORT_TIMEOUT_SECONDS:g} s"
            error = f"importing it ended its process: {why}"
            return {name: {"name": name, "found": [], "error": error} for name in names}
