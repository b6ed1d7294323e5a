"""Trial load of a definition in a new interpreter before it is stored.

A reference that works in the current program may not work for a client, which starts the server in
another directory, without the program's `sys.path` and without the code that only runs in the main
module.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.errors import LoadError, PaddockError
from paddock.named_servers.definition import parse_definition
from paddock.named_servers.server_builder import DefinitionOrigin, build_server
from paddock.named_servers.stored_form import format_toml, to_plain_table

if TYPE_CHECKING:
    from paddock.named_servers.definition import ServerDefinition

TRIAL_TIMEOUT_SECONDS = 120.0
"""The user's own imports can be slow."""
_READY_LINE = "ready"
_SOURCE_ROOT = Path(__file__).parents[2]
_TRIAL_SCRIPT = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    " from paddock.named_servers.trial_run import main; main()"
)


def try_definition(definition: ServerDefinition, origin: DefinitionOrigin) -> None:
    """Check that a server can be loaded the way clients load it: in another Python process.

    Code that can be loaded in this process may depend on its working directory or PYTHONPATH,
    which clients do not set.

    Args:
        definition: The definition in its stored form, which contains no Python objects.
        origin: The origin of the definition, which determines how names and paths are resolved.

    Raises:
        LoadError: An item cannot be loaded.
    """
    request = {
        "text": format_toml(to_plain_table(definition)),
        "name": definition.name,
        "where": origin.where,
        "directory": None if origin.relative_to is None else str(origin.relative_to),
    }
    # The interpreter runs as if started by a client, without the user's PYTHONPATH (-E) and working
    # directory (-P). With -B, it leaves no __pycache__ beside the user's files.
    command = [sys.executable, "-P", "-E", "-B", "-c", _TRIAL_SCRIPT, str(_SOURCE_ROOT)]
    try:
        completed = subprocess.run(  # noqa: S603 - this interpreter
            command,
            cwd=Path(sys.executable).parent,
            input=json.dumps(request),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TRIAL_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LoadError(
            f"loading takes more than {TRIAL_TIMEOUT_SECONDS:.0f} s when a client starts it",
            where=origin.where,
        ) from None
    except OSError:
        return  # the interpreter cannot be started, for example in an embedded Python
    error = _parse_response(completed)
    if error:
        raise LoadError(
            f"{error['message']}, when a client starts the server",
            where=error.get("where") or origin.where,
            hint=error.get("hint"),
        )


def _parse_response(completed: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Return the error reported by the process of a trial run, or an empty dictionary.

    The process writes a line when it is ready, and then a JSON object with the error or `{}`.
    """
    ready_line, _, response = completed.stdout.partition("\n")
    if ready_line != _READY_LINE:
        return {}  # Paddock itself cannot be imported there, which is not the definition's fault
    try:
        error: dict[str, str] = json.loads(response)
    except ValueError:
        exit_message = f"exit code {completed.returncode}"
        return {"message": (completed.stderr.strip().splitlines() or [exit_message])[-1]}
    return error


def main() -> None:
    """Run the trial process: load the definition from standard input, and report any error.

    The request is a JSON object. The response, also a JSON object, is written to standard output.
    """
    # The user's files may print when they are loaded. Their output is redirected to standard error
    # to keep it out of the response.
    responses = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    responses.write(f"{_READY_LINE}\n")
    responses.flush()
    error = _run_trial(json.load(sys.stdin))
    responses.write(json.dumps(error))
    responses.flush()
    os._exit(0)  # without waiting for threads started by the user's files


def _run_trial(request: dict[str, str]) -> dict[str, str | None]:
    """Build the server for the definition in a request.

    Returns:
        The message, location and hint of the error, or an empty dictionary on success.
    """
    definition = parse_definition(tomllib.loads(request["text"]), name=request["name"])
    directory = request["directory"]
    try:
        build_server(
            definition, DefinitionOrigin(request["where"], Path(directory) if directory else None)
        )
    except PaddockError as error:
        return {"message": error.message, "where": error.where, "hint": error.hint}
    except Exception as error:  # noqa: BLE001 - code of the user's files
        return {"message": f"{type(error).__name__}: {error}"}
    return {}
