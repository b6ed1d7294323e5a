"""Which clients are on this machine.

A client is there when its file is, or the directory of that file, or its program on the PATH. The
home directory and a project's say nothing. Nothing is started to find out.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from paddock.clients.paths import HostMachine, iterate_location_files
from paddock.clients.table import supported_clients
from paddock.files import path_exists

if TYPE_CHECKING:
    from paddock.clients.client import Client, ConfigLocation


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
