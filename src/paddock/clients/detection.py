"""Which clients are on this machine.

A client is there when its file is, or the directory of that file, or its program on the PATH. The
home directory and a project's say nothing. Nothing is started to find out.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from paddock.clients.paths import Machine, existing
from paddock.clients.table import supported_clients
from paddock.files import is_there

if TYPE_CHECKING:
    from paddock.clients.client import Client, Place


def detected_clients(*, machine: Machine | None = None) -> list[Client]:
    """The clients that seem to be installed, in the order of the table."""
    machine = machine or Machine.here()
    return [client for client in supported_clients().values() if _is_there(client, machine)]


def _is_there(client: Client, machine: Machine) -> bool:
    return _has_files(client, machine) or _has_program(client, machine)


def _has_files(client: Client, machine: Machine) -> bool:
    if any(_shows(machine, place) for place in machine.places(client)):
        return True
    return any(is_there(machine.real(sign)) for sign in client.signs)


def _shows(machine: Machine, place: Place) -> bool:
    home = machine.real("~")
    return any(
        is_there(file) or not (place.is_shared or file.parent == home)
        for file in existing(machine, place)
    )


def _has_program(client: Client, machine: Machine) -> bool:
    path = machine.environment.get("PATH", "")
    return any(shutil.which(program, path=path) for program in client.programs)
