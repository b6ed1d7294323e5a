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

from paddock.clients.client import Client, ConfigLocation, OperatingSystem
from paddock.errors import PaddockError
from paddock.files import path_exists


class UnsupportedProjectError(PaddockError):
    """A client has no configuration for a single project."""

    code = "unsupported-project"


class UnknownLocationError(PaddockError):
    """A client has no file on this system that servers could be installed into."""

    code = "unknown-install-location"


@dataclass(frozen=True, slots=True)
class HostMachine:
    """The computer whose files are meant."""

    system: OperatingSystem
    environment: Mapping[str, str]
    home: str

    @classmethod
    def current(cls) -> HostMachine:
        """The one that this runs on."""
        systems: dict[str, OperatingSystem] = {"win32": "windows", "darwin": "macos"}
        return cls(systems.get(sys.platform, "linux"), os.environ, str(Path.home()))

    def resolve_template(self, template: str) -> PurePath:
        """The path that a template stands for (`Place` says how they are written)."""
        text = self._expand_variables(template)
        return PureWindowsPath(text) if self.system == "windows" else PurePosixPath(text)

    def resolve_local_path(self, template: str) -> Path:
        """The same as a path on the computer that this runs on."""
        path = self.resolve_template(template)
        real = Path(path.as_posix())
        return real if path.is_absolute() else real.absolute()

    def _expand_variables(self, template: str) -> str:
        text = self.home + template[1:] if template.startswith("~") else template
        start = text.find("${")
        if start < 0:
            return text
        end = _find_closing_brace(text, start)
        name, _, default = text[start + 2 : end].partition(":-")
        value = self._get_variable(name)
        return text[:start] + (value or self._expand_variables(default)) + self._expand_variables(text[end + 1 :])

    def get_locations(self, client: Client) -> list[ConfigLocation]:
        """The places of a client on this machine."""
        on_system = client.places.for_system(self.system)
        return [place for place in on_system if all(map(self._get_variable, _find_required_variables(place.path_template)))]

    def _get_variable(self, name: str) -> str:
        value = self.environment.get(name, "")
        # The XDG specification has relative paths ignored.
        is_ignored = name.startswith("XDG_") and not PurePosixPath(value).is_absolute()
        return "" if is_ignored and self.system != "windows" else value


def list_candidate_paths(client: Client, machine: HostMachine | None = None) -> list[PurePath]:
    """Every place in which a client may keep its servers; wildcards are not resolved."""
    machine = machine or HostMachine.current()
    return [machine.resolve_template(place.path_template) for place in machine.get_locations(client)]


def locate_config_files(
    client: Client,
    *,
    project: str | os.PathLike[str] | None = None,
    machine: HostMachine | None = None,
) -> list[Path]:
    """The files to write for a client: of its user, or of one project. Mostly one, never none.

    Raises:
        UnsupportedProjectError: when the client reads no file of a project.
        UnknownLocationError: when it has no file on this system.
    """
    if project is not None:
        return [_get_project_file(client, Path(project))]
    machine = machine or HostMachine.current()
    places = machine.get_locations(client)
    if not places:
        raise _make_unknown_location_error(client, machine)
    if client.all_places:
        found = [file for place in places for file in iterate_location_files(machine, place)]
        return found or [machine.resolve_local_path(places[0].path_template)]
    return [_select_location_file(machine, places)]


def list_merged_files(
    client: Client, *, project: str | os.PathLike[str] | None = None, machine: HostMachine | None = None
) -> list[Path]:
    """All files that a client reads as one with those that `locate` gives."""
    if not client.merges_files:
        return []
    if project is not None:
        files = [Path(project).expanduser().absolute() / name for name in client.project]
    else:
        machine = machine or HostMachine.current()
        files = [machine.resolve_local_path(place.path_template) for place in machine.get_locations(client)]
    return [file for file in files if path_exists(file)]


def _select_location_file(machine: HostMachine, places: list[ConfigLocation]) -> Path:
    signed = (place for place in places if place.marker_path and path_exists(machine.resolve_local_path(place.marker_path)))
    for place in signed:
        return machine.resolve_local_path(place.path_template)
    files = [machine.resolve_local_path(place.path_template) for place in places]
    return next((file for file in files if path_exists(file)), files[0])


def iterate_location_files(machine: HostMachine, place: ConfigLocation) -> Iterator[Path]:
    """The files of a place whose directory is there; more than one where it has a wildcard."""
    folder = machine.resolve_local_path(place.path_template).parent
    parts = folder.parts
    wild = next((i for i, part in enumerate(parts) if "*" in part), None)
    if wild is None:
        if path_exists(folder) and folder.is_dir():
            yield machine.resolve_local_path(place.path_template)
        return
    for match in sorted(Path(*parts[:wild]).glob(parts[wild])):
        yield match.joinpath(*parts[wild + 1 :], machine.resolve_local_path(place.path_template).name)


def _get_project_file(client: Client, directory: Path) -> Path:
    if not client.project:
        raise UnsupportedProjectError(
            f"{client.name} has no configuration for a single project",
            hint=f"install for the user: paddock install {client.id}",
        )
    files = [directory.expanduser().absolute() / name for name in client.project]
    return next((file for file in files if path_exists(file)), files[0])


def _make_unknown_location_error(client: Client, machine: HostMachine) -> UnknownLocationError:
    if client.project:
        hint = f"install for a project: paddock install {client.id} --project DIRECTORY"
    elif client.has_file:
        hint = "name its file: --file FILE"
    else:
        hint = f"use its own settings; paddock install {client.id} prints what to paste there"
    reason = f"on {machine.system}" if client.has_file else "for servers"
    return UnknownLocationError(f"{client.name} has no known file {reason}", hint=hint)


def _find_required_variables(template: str) -> list[str]:
    """The variables of a template that have no default."""
    return re.findall(r"\$\{(\w+)\}", template)


def _find_closing_brace(text: str, start: int) -> int:
    depth = 0
    for index in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if text[index] == "}" and depth == 0:
            return index
    raise ValueError(f"a variable is not closed in {text!r}")
