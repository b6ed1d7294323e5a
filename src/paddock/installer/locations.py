"""Where a client keeps its files, on this machine or on one that is described.

A machine is a system, its environment and a home directory; nothing else is asked of the computer
that the code runs on, except whether files exist.

Which client a file belongs to, from where it stands and what is in it.

Used when a user names a file and no client. A wrong guess writes an entry that the client does not
understand, so that what could be several is none.

Where a server is to be installed: a client, its files, and for whom.

Users name a client, a client and the directory of a project, or a file; a file says by itself whose
it is, as far as that can be told.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.files import path_exists
from paddock.installer.apps import (
    STANDARD_CLIENT,
    UnsupportedClientError,
    find_client,
    supported_clients,
)
from paddock.installer.client_app import OPERATING_SYSTEMS, Client, ConfigLocation, OperatingSystem
from paddock.installer.config_files.document import load_document
from paddock.installer.entry_location import EntryLocation
from paddock.installer.file_writer import read_content

if TYPE_CHECKING:
    from os import PathLike

    from paddock.installer.config_files.document import ConfigFormat


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
        return (
            text[:start]
            + (value or self._expand_variables(default))
            + self._expand_variables(text[end + 1 :])
        )

    def get_locations(self, client: Client) -> list[ConfigLocation]:
        """The places of a client on this machine."""
        on_system = client.places.for_system(self.system)
        return [
            place
            for place in on_system
            if all(map(self._get_variable, _find_required_variables(place.path_template)))
        ]

    def _get_variable(self, name: str) -> str:
        value = self.environment.get(name, "")
        # The XDG specification has relative paths ignored.
        is_ignored = name.startswith("XDG_") and not PurePosixPath(value).is_absolute()
        return "" if is_ignored and self.system != "windows" else value


def list_candidate_paths(client: Client, machine: HostMachine | None = None) -> list[PurePath]:
    """Every place in which a client may keep its servers; wildcards are not resolved."""
    machine = machine or HostMachine.current()
    return [
        machine.resolve_template(place.path_template) for place in machine.get_locations(client)
    ]


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
    client: Client,
    *,
    project: str | os.PathLike[str] | None = None,
    machine: HostMachine | None = None,
) -> list[Path]:
    """All files that a client reads as one with those that `locate` gives."""
    if not client.merges_files:
        return []
    if project is not None:
        files = [Path(project).expanduser().absolute() / name for name in client.project]
    else:
        machine = machine or HostMachine.current()
        files = [
            machine.resolve_local_path(place.path_template)
            for place in machine.get_locations(client)
        ]
    return [file for file in files if path_exists(file)]


def _select_location_file(machine: HostMachine, places: list[ConfigLocation]) -> Path:
    signed = (
        place
        for place in places
        if place.marker_path and path_exists(machine.resolve_local_path(place.marker_path))
    )
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
        yield match.joinpath(
            *parts[wild + 1 :], machine.resolve_local_path(place.path_template).name
        )


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


PREFERRED_CLIENT_IDS = ("claude-code", "vscode", "codex", "opencode", "trae")
"""Whose a file is when several read it: `.mcp.json` is Claude Code's, and so on."""
FORMATS_BY_SUFFIX: dict[str, ConfigFormat] = {
    ".json": "json",
    ".jsonc": "json",
    ".toml": "toml",
    ".yaml": "yaml",
    ".yml": "yaml",
}


def guess_client(path: Path, data: object, *, machine: HostMachine | None = None) -> Client | None:
    """The client whose file this is, or None when that cannot be told.

    The place decides, then the end of the path, then the content; `data` is what the file holds,
    and an empty mapping for one that is not there yet.
    """
    machine = machine or HostMachine.current()
    clients = sorted(supported_clients().values(), key=_rank_preference)
    absolute = path.expanduser().absolute()
    for client in clients:
        if any(absolute == Path(file.as_posix()) for file in list_candidate_paths(client, machine)):
            return client
    by_path = _match_by_path(clients, absolute, data)
    return by_path or _match_by_content(clients, absolute, data)


def _rank_preference(client: Client) -> int:
    return (
        PREFERRED_CLIENT_IDS.index(client.id)
        if client.id in PREFERRED_CLIENT_IDS
        else len(PREFERRED_CLIENT_IDS)
    )


def _match_by_path(clients: list[Client], path: PurePath, data: object) -> Client | None:
    """The client with the longest piece of path that this one ends in."""
    best: tuple[int, bool] = (0, False)
    found = None
    for client in clients:
        length = max(
            (_count_matching_parts(tail, path) for tail in _iterate_path_tails(client)), default=0
        )
        score = (length, length > 0 and _has_server_table(client, path, data))
        if length and score > best:
            best, found = score, client
    return found


def _iterate_path_tails(client: Client) -> Iterator[PurePath]:
    yield from (PurePosixPath(name) for name in (*client.project, *client.known_as))
    for system in OPERATING_SYSTEMS:
        unset = HostMachine(system, {}, "")
        yield from (
            _strip_root(unset.resolve_template(place.path_template))
            for place in unset.get_locations(client)
        )


def _strip_root(path: PurePath) -> PurePath:
    return path.relative_to(path.anchor)


def _count_matching_parts(tail: PurePath, path: PurePath) -> int:
    """The number of parts of a tail that the path ends in, all of them or none."""
    wanted = [part.casefold() for part in tail.parts]
    given = [part.casefold() for part in path.parts[-len(wanted) :]]
    fits = len(given) == len(wanted) and all(map(fnmatchcase, given, wanted))
    return len(wanted) if fits else 0


def _has_server_table(client: Client, path: PurePath, data: object) -> bool:
    return _get_server_entries(client, path, data) is not None


def _get_server_entries(client: Client, path: PurePath, data: object) -> list[object] | None:
    """The entries that a file holds for a client; None where it has no place for them."""
    for key in client.get_servers_path(path):
        data = data.get(key) if isinstance(data, Mapping) else None
    if client.listed:
        return data if isinstance(data, list) else None
    return list(data.values()) if isinstance(data, Mapping) else None


def _match_by_content(clients: list[Client], path: PurePath, data: object) -> Client | None:
    format_ = FORMATS_BY_SUFFIX.get(path.suffix.casefold())
    fitting = [
        (client, servers)
        for client in clients
        if client.has_file and format_ in (None, client.format)
        if (servers := _get_server_entries(client, path, data)) is not None
    ]
    marked = [
        client
        for client, servers in fitting
        if client.marks and _has_marker_fields(client, servers)
    ]
    if marked:
        return marked[0]
    own = [
        client
        for client, servers in fitting
        if client.get_servers_path(path) != ("mcpServers",) or client.listed
        if all(client.shape.parse_entry(server) for server in servers)
    ]
    return own[0] if own else None


def _has_marker_fields(client: Client, servers: list[object]) -> bool:
    return any(isinstance(one, Mapping) and client.marks <= one.keys() for one in servers)


USER_SCOPE, FILE_SCOPE = "user", "file"


class DestinationError(PaddockError):
    """It is not said, or said twice, where to install."""

    code = "unclear-destination"


@dataclass(frozen=True)
class InstallDestination:
    """The files of one client in which a server is to stand."""

    client: Client
    files: tuple[Path, ...]
    scope: str
    """`user`, `file`, or the directory of a project."""

    @property
    def is_project(self) -> bool:
        """Whether it is for one project only."""
        return is_project_scope(self.scope)

    def get_entry_locations(self, key: str) -> list[EntryLocation]:
        """The place of one entry in each file."""
        return [make_entry_location(self.client, file, key, self.scope) for file in self.files]


def is_project_scope(scope: str) -> bool:
    """Whether a scope is the directory of a project."""
    return scope not in (USER_SCOPE, FILE_SCOPE)


def make_entry_location(client: Client, file: Path, key: str, scope: str) -> EntryLocation:
    """The place of an entry in a file that belongs to a user or a project."""
    is_project = is_project_scope(scope) or any(
        file.match(pattern) for pattern in (*client.project, *client.known_as)
    )
    return EntryLocation(client, file, key, is_project=is_project)


def resolve_destination(
    client: str | None,
    *,
    project: str | PathLike[str] | None = None,
    file: str | PathLike[str] | None = None,
) -> InstallDestination:
    """What a user means by a client, a project or a file.

    Raises:
        DestinationError: when it cannot be told.
        UnsupportedClientError: when there is no such client, or the file says not whose it is.
        UnsupportedProjectError: when the client knows no projects.
        UnknownLocationError: when it has no file here, or there is no such project.
    """
    if project is not None and file is not None:
        raise DestinationError("a project and a file are given", hint="give one of them")
    if file is not None:
        path = Path(file).expanduser().absolute()
        return InstallDestination(_identify_client(client, path), (path,), FILE_SCOPE)
    if client is None:
        raise DestinationError("no client is given", hint="see which there are: paddock clients")
    row = find_client(client)
    if project is None:
        return InstallDestination(row, tuple(locate_config_files(row)), USER_SCOPE)
    directory = Path(project).expanduser().absolute()
    if not directory.is_dir():
        raise UnknownLocationError(f"there is no directory {directory}", hint="check the path")
    return InstallDestination(
        row, tuple(locate_config_files(row, project=directory)), str(directory)
    )


def _identify_client(client: str | None, file: Path) -> Client:
    if client is not None:
        return find_client(client)
    format_ = FORMATS_BY_SUFFIX.get(file.suffix.casefold(), "json")  # what it is most often
    opened = load_document(read_content(file) or b"", format_, where=str(file))
    data = opened.document.to_data()
    found = guess_client(file, data)
    if found is None and format_ == "json" and path_exists(file) and _has_standard_layout(data):
        return STANDARD_CLIENT
    if found is None:
        raise UnsupportedClientError(
            "cannot tell which client this file belongs to",
            where=str(file),
            hint="name the client too; standard is the form that most clients read",
        )
    return found


def _has_standard_layout(data: object) -> bool:
    """Whether a file is empty, or has its servers where most clients have them."""
    if not isinstance(data, dict):
        return False
    return not data or isinstance(data.get(STANDARD_CLIENT.path[0]), dict)
