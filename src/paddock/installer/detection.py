"""Detects installed and running client applications.

A client counts as installed if its config file, that file's directory, or its program on the PATH
exists. Detection does not start any client programs.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.files import path_exists
from paddock.installer.apps import supported_clients
from paddock.installer.locations import HostMachine, iterate_location_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.installer.client_app import Client, ConfigLocation

MAX_LINUX_PROCESS_NAME = 15
"""Linux truncates process names to this many characters."""
PROCESS_LIST_TIMEOUT_SECONDS = 10.0
PROC_DIRECTORY = Path("/proc")


def detected_clients(*, machine: HostMachine | None = None) -> list[Client]:
    """Return the supported clients that seem to be installed, in alphabetical order."""
    machine = machine or HostMachine.current()
    return [client for client in supported_clients().values() if _is_installed(client, machine)]


def _is_installed(client: Client, machine: HostMachine) -> bool:
    path = machine.environment.get("PATH", "")
    return (
        any(_is_location_present(machine, place) for place in machine.get_locations(client))
        or any(path_exists(machine.resolve_local_path(sign)) for sign in client.signs)
        or any(shutil.which(program, path=path) for program in client.programs)
    )


def _is_location_present(machine: HostMachine, location: ConfigLocation) -> bool:
    """Return whether the file exists, or a directory that only this client would have created."""
    home = machine.resolve_local_path("~")
    return any(
        path_exists(file) or not (location.is_shared or file.parent == home)
        for file in iterate_location_files(machine, location)
    )


def is_running(client: Client) -> bool:
    """Return whether a client is running that would overwrite changes to its file.

    Some applications write their configuration from memory when they exit, which undoes changes
    made while they were running.
    """
    client_names = {_normalize_process_name(name) for name in client.processes}
    return bool(client_names) and any(
        _is_client_process(_normalize_process_name(name), client_names)
        for name in _iterate_process_names()
    )


def _is_client_process(process_name: str, client_names: set[str]) -> bool:
    if process_name in client_names:
        return True
    may_be_truncated = len(process_name) == MAX_LINUX_PROCESS_NAME and sys.platform == "linux"
    return may_be_truncated and any(name.startswith(process_name) for name in client_names)


def _normalize_process_name(name: str) -> str:
    # Case is ignored only on Windows. Elsewhere, names that differ in case are different programs.
    return name.casefold().removesuffix(".exe") if sys.platform == "win32" else name


def _iterate_process_names() -> Iterator[str]:
    """Yield the names of all running processes.

    They are read from `/proc` if it exists, or else from the output of `tasklist` or `ps`.
    """
    if PROC_DIRECTORY.joinpath("self/comm").exists():
        yield from _read_proc_names()
    elif sys.platform == "win32":
        lines = _read_command_output("tasklist", "/fo", "csv", "/nh")
        yield from (fields[0] for fields in csv.reader(lines) if fields)
    else:
        lines = _read_command_output("ps", "-axo", "comm=")
        yield from (line.rpartition("/")[2].strip() for line in lines)


def _read_proc_names() -> Iterator[str]:
    for process in PROC_DIRECTORY.iterdir():
        if process.name.isdigit():
            with suppress(OSError):  # the process may have ended since the directory was listed
                yield process.joinpath("comm").read_text(encoding="utf-8", errors="replace").strip()


def _read_command_output(*command: str) -> list[str]:
    """Return the lines that a command prints, or [] if it cannot be run or takes too long."""
    try:
        completed = subprocess.run(  # noqa: S603 - programs of the system, with fixed arguments
            command, capture_output=True, timeout=PROCESS_LIST_TIMEOUT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return completed.stdout.decode(errors="replace").splitlines()
