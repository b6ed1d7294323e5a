"""Where a client keeps its files, on this machine or on one that is described.

A machine is a system, its environment and a home directory; nothing else is asked of the computer
that the code runs on, except whether files exist.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

from paddock.clients.client import Client, Place, System
from paddock.errors import PaddockError
from paddock.files import is_there


class UnsupportedProjectError(PaddockError):
    """A client has no configuration for a single project."""

    code = "unsupported-project"


class UnknownLocationError(PaddockError):
    """A client has no file on this system that servers could be installed into."""

    code = "unknown-install-location"


@dataclass(frozen=True, slots=True)
class Machine:
    """The computer whose files are meant."""

    system: System
    environment: Mapping[str, str]
    home: str

    @classmethod
    def here(cls) -> Machine:
        """The one that this runs on."""
        systems: dict[str, System] = {"win32": "windows", "darwin": "macos"}
        return cls(systems.get(sys.platform, "linux"), os.environ, str(Path.home()))

    def path(self, template: str) -> PurePath:
        """The path that a template stands for (`Place` says how they are written)."""
        text = self._expand(template)
        return PureWindowsPath(text) if self.system == "windows" else PurePosixPath(text)

    def real(self, template: str) -> Path:
        """The same as a path on the computer that this runs on."""
        path = self.path(template)
        real = Path(path.as_posix())
        return real if path.is_absolute() else real.absolute()

    def _expand(self, template: str) -> str:
        text = self.home + template[1:] if template.startswith("~") else template
        start = text.find("${")
        if start < 0:
            return text
        end = _closing_brace(text, start)
        name, _, default = text[start + 2 : end].partition(":-")
        value = self._value(name)
        return text[:start] + (value or self._expand(default)) + self._expand(text[end + 1 :])

    def places(self, client: Client) -> list[Place]:
        """The places of a client on this machine."""
        on_system = client.places.on(self.system)
        return [place for place in on_system if all(map(self._value, _bare_variables(place.file)))]

    def _value(self, name: str) -> str:
        value = self.environment.get(name, "")
        # The XDG specification has relative paths ignored.
        is_ignored = name.startswith("XDG_") and not PurePosixPath(value).is_absolute()
        return "" if is_ignored and self.system != "windows" else value


def candidates(client: Client, machine: Machine | None = None) -> list[PurePath]:
    """Every place in which a client may keep its servers; wildcards are not resolved."""
    machine = machine or Machine.here()
    return [machine.path(place.file) for place in machine.places(client)]


def locate(
    client: Client,
    *,
    project: str | os.PathLike[str] | None = None,
    machine: Machine | None = None,
) -> list[Path]:
    """The files to write for a client: of its user, or of one project. Mostly one, never none.

    Raises:
        UnsupportedProjectError: when the client reads no file of a project.
        UnknownLocationError: when it has no file on this system.
    """
    if project is not None:
        return [_project_file(client, Path(project))]
    machine = machine or Machine.here()
    places = machine.places(client)
    if not places:
        raise _nowhere(client, machine)
    if client.all_places:
        found = [file for place in places for file in existing(machine, place)]
        return found or [machine.real(places[0].file)]
    return [_chosen(machine, places)]


def read_together(
    client: Client, *, project: str | os.PathLike[str] | None = None, machine: Machine | None = None
) -> list[Path]:
    """All files that a client reads as one with those that `locate` gives."""
    if not client.merges_files:
        return []
    if project is not None:
        files = [Path(project).expanduser().absolute() / name for name in client.project]
    else:
        machine = machine or Machine.here()
        files = [machine.real(place.file) for place in machine.places(client)]
    return [file for file in files if is_there(file)]


def _chosen(machine: Machine, places: list[Place]) -> Path:
    signed = (place for place in places if place.sign and is_there(machine.real(place.sign)))
    for place in signed:
        return machine.real(place.file)
    files = [machine.real(place.file) for place in places]
    return next((file for file in files if is_there(file)), files[0])


def existing(machine: Machine, place: Place) -> Iterator[Path]:
    """The files of a place whose directory is there; more than one where it has a wildcard."""
    folder = machine.real(place.file).parent
    parts = folder.parts
    wild = next((i for i, part in enumerate(parts) if "*" in part), None)
    if wild is None:
        if is_there(folder) and folder.is_dir():
            yield machine.real(place.file)
        return
    for match in sorted(Path(*parts[:wild]).glob(parts[wild])):
        yield match.joinpath(*parts[wild + 1 :], machine.real(place.file).name)


def _project_file(client: Client, directory: Path) -> Path:
    if not client.project:
        raise UnsupportedProjectError(
            f"{client.name} has no configuration for a single project",
            hint=f"install for the user: paddock install {client.id}",
        )
    files = [directory.expanduser().absolute() / name for name in client.project]
    return next((file for file in files if is_there(file)), files[0])


def _nowhere(client: Client, machine: Machine) -> UnknownLocationError:
    if client.project:
        hint = f"install for a project: paddock install {client.id} --project DIRECTORY"
    elif client.has_file:
        hint = "name its file: --file FILE"
    else:
        hint = f"use its own settings; paddock install {client.id} prints what to paste there"
    reason = f"on {machine.system}" if client.has_file else "for servers"
    return UnknownLocationError(f"{client.name} has no known file {reason}", hint=hint)


def _bare_variables(template: str) -> list[str]:
    """The variables of a template that have no default."""
    return re.findall(r"\$\{(\w+)\}", template)


def _closing_brace(text: str, start: int) -> int:
    depth = 0
    for index in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if text[index] == "}" and depth == 0:
            return index
    raise ValueError(f"a variable is not closed in {text!r}")
