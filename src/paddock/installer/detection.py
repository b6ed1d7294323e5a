"""Which clients are on this machine.

A client is there when its file is, or the directory of that file, or its program on the PATH. The
home directory and a project's say nothing. Nothing is started to find out.

Whether an application is running just now.

Some write their configuration from memory when they end, and undo what was written meanwhile.
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


def detected_clients(*, machine: HostMachine | None = None) -> list[Client]:
    """The clients that seem to be installed, in the order of the table."""
    machine = machine or HostMachine.current()
    return [client for client in supported_clients().values() if _is_installed(client, machine)]


def _is_installed(client: Client, machine: HostMachine) -> bool:
    return _has_config_files(client, machine) or _has_program(client, machine)


def _has_config_files(client: Client, machine: HostMachine) -> bool:
    if any(_is_location_present(machine, place) for place in machine.get_locations(client)):
        return True
    return any(path_exists(machine.resolve_local_path(sign)) for sign in client.signs)


def _is_location_present(machine: HostMachine, place: ConfigLocation) -> bool:
    home = machine.resolve_local_path("~")
    return any(
        path_exists(file) or not (place.is_shared or file.parent == home)
        for file in iterate_location_files(machine, place)
    )


def _has_program(client: Client, machine: HostMachine) -> bool:
    path = machine.environment.get("PATH", "")
    return any(shutil.which(program, path=path) for program in client.programs)


MAX_LINUX_PROCESS_NAME = 15
"""Linux keeps this much of the name of a process."""
PROCESS_LIST_TIMEOUT_SECONDS = 10.0
PROC_DIRECTORY = Path("/proc")


def is_running(client: Client) -> bool:
    """Whether a process of the client can be seen, of those that overwrite its file."""
    wanted = {_normalize_process_name(name) for name in client.processes}
    return bool(wanted) and any(
        _is_client_process(name, wanted) for name in _iterate_process_names()
    )


def _is_client_process(name: str, wanted: set[str]) -> bool:
    found = _normalize_process_name(name)
    is_cut = len(found) == MAX_LINUX_PROCESS_NAME and sys.platform == "linux"
    return found in wanted or (is_cut and any(one.startswith(found) for one in wanted))


def _normalize_process_name(name: str) -> str:
    """A name as it is compared; elsewhere than on Windows, case tells programs apart."""
    return name.casefold().removesuffix(".exe") if sys.platform == "win32" else name


def _iterate_process_names() -> Iterator[str]:
    if PROC_DIRECTORY.joinpath("self/comm").exists():
        yield from _read_proc_names()
    elif sys.platform == "win32":
        yield from (
            row[0]
            for row in csv.reader(_read_command_output("tasklist", "/fo", "csv", "/nh"))
            if row
        )
    else:
        yield from (
            line.rpartition("/")[2].strip() for line in _read_command_output("ps", "-axo", "comm=")
        )


def _read_proc_names() -> Iterator[str]:
    for process in PROC_DIRECTORY.iterdir():
        if process.name.isdigit():
            with suppress(OSError):  # it may have ended meanwhile
                yield process.joinpath("comm").read_text(encoding="utf-8", errors="replace").strip()


def _read_command_output(*command: str) -> list[str]:
    try:
        ran = subprocess.run(  # noqa: S603 - programs of the system, with fixed arguments
            command, capture_output=True, timeout=PROCESS_LIST_TIMEOUT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return ran.stdout.decode(errors="replace").splitlines()
