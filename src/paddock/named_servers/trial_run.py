"""A definition tried out before it is stored: in a fresh interpreter, as a client starts it.

What a program sees of itself is no proof that somebody else finds it again: a client starts the
server in another directory, without the program's search path and without what the program does
only when it is run itself.
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
"""Seconds that the user's own imports may take."""
_READY_LINE = "ready"
_SOURCE_ROOT = Path(__file__).parents[2]
_TRIAL_SCRIPT = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    " from paddock.named_servers.trial_run import main; main()"
)


def try_definition(definition: ServerDefinition, origin: DefinitionOrigin) -> None:
    """Make sure that a definition, which is text and tables only, can be started by a client.

    Raises:
        LoadError: when something in it cannot be found then, with the reason.
    """
    request = {
        "text": format_toml(to_plain_table(definition)),
        "name": definition.name,
        "where": origin.where,
        "directory": None if origin.relative_to is None else str(origin.relative_to),
    }
    # Without the user's own search path and working directory, as a client starts it; and
    # without leaving anything beside the user's files.
    command = [sys.executable, "-P", "-E", "-B", "-c", _TRIAL_SCRIPT, str(_SOURCE_ROOT)]
    try:
        ended = subprocess.run(  # noqa: S603 - this interpreter
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
            f"is not loaded within {TRIAL_TIMEOUT_SECONDS:.0f} s when a client starts it",
            where=origin.where,
        ) from None
    except OSError:
        return  # there is no interpreter to ask
    ready, _, answered = ended.stdout.partition("\n")
    if ready != _READY_LINE:
        return  # Paddock itself is not found there; that says nothing about the definition
    try:
        answer = json.loads(answered)
    except ValueError:
        said = ended.stderr.strip().splitlines()[-1:] or [f"exit code {ended.returncode}"]
        answer = {"message": said[0]}
    if answer:
        raise LoadError(
            f"{answer['message']}, when a client starts it",
            where=answer.get("where") or origin.where,
            hint=answer.get("hint"),
        )


def main() -> None:
    """Try a definition from standard input, and answer with what is wrong with it."""
    # What the user's files print is no answer, and their threads keep nobody here.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answers.write(f"{_READY_LINE}\n")
    answers.flush()
    answer = _run_trial(json.load(sys.stdin))
    answers.write(json.dumps(answer))
    answers.flush()
    os._exit(0)


def _run_trial(request: dict[str, str]) -> dict[str, str | None]:
    definition = parse_definition(tomllib.loads(request["text"]), name=request["name"])
    directory = request["directory"]
    try:
        build_server(
            definition, DefinitionOrigin(request["where"], Path(directory) if directory else None)
        )
    except PaddockError as error:
        return {"message": error.message, "where": error.where, "hint": error.hint}
    except Exception as error:  # noqa: BLE001 - of the user's files
        return {"message": f"{type(error).__name__}: {error}"}
    return {}
