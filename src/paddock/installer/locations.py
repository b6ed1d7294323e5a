"""Locations of clients' config files, and installation destinations.

Three steps lead from what a user names (a client, a project, or a file) to the files to write:
resolving a client's path templates on a machine, recognizing the client that a file belongs to,
and combining both in an `InstallDestination`.
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
from paddock.installer.config_files.editable_document import load_document
from paddock.installer.entry_location import EntryLocation
from paddock.installer.file_writer import read_content

if TYPE_CHECKING:
    from os import PathLike

    from paddock.installer.config_files.document import ConfigFormat

USER_SCOPE, FILE_SCOPE = "user", "file"
PREFERRED_CLIENT_IDS = ("claude-code", "vscode", "codex", "opencode", "trae")
"""The clients to prefer if more than one reads the same file: `.mcp.json` is Claude Code's, etc."""
FORMATS_BY_SUFFIX: dict[str, ConfigFormat] = {
    ".json": "json",
    ".jsonc": "json",
    ".toml": "toml",
    ".yaml": "yaml",
    ".yml": "yaml",
}


class UnsupportedProjectError(PaddockError):
    """A client does not support per-project configuration."""

    code = "unsupported-project"


class UnknownLocationError(PaddockError):
    """A client has no config file on this system, or the project directory does not exist."""

    code = "unknown-install-location"


class DestinationError(PaddockError):
    """The destination of an installation is missing or ambiguous."""

    code = "unclear-destination"


@dataclass(frozen=True, slots=True)
class HostMachine:
    """A computer, described by its system, environment variables and home directory.

    Paths can be resolved for any machine, but the existence of files is always checked on this one.
    """

    system: OperatingSystem
    environment: Mapping[str, str]
    home: str

    @classmethod
    def current(cls) -> HostMachine:
        """Return the machine that this process runs on."""
        systems: dict[str, OperatingSystem] = {"win32": "windows", "darwin": "macos"}
        return cls(systems.get(sys.platform, "linux"), os.environ, str(Path.home()))

    def resolve_template(self, template: str) -> PurePath:
        """Return the path for a template. See `ConfigLocation` for the syntax."""
        text = self._expand_variables(template)
        return PureWindowsPath(text) if self.system == "windows" else PurePosixPath(text)

    def resolve_local_path(self, template: str) -> Path:
        """Return a template's path as an absolute path in this process's file system."""
        path = self.resolve_template(template)
        local_path = Path(path.as_posix())
        return local_path if path.is_absolute() else local_path.absolute()

    def _expand_variables(self, template: str) -> str:
        """Replace `~` and environment variables in a path template.

        A variable is written as `${NAME:-default}`, and the default can contain variables too.
        """
        text = self.home + template[1:] if template.startswith("~") else template
        start = text.find("${")
        if start < 0:
            return text
        end = _find_closing_brace(text, start)
        name, _, default = text[start + 2 : end].partition(":-")
        value = self._get_variable(name) or self._expand_variables(default)
        return text[:start] + value + self._expand_variables(text[end + 1 :])

    def get_locations(self, client: Client) -> list[ConfigLocation]:
        """Return the locations of a client whose required variables are set on this machine."""
        return [
            location
            for location in client.places.get(self.system, ())
            if all(map(self._get_variable, _find_required_variables(location.path_template)))
        ]

    def _get_variable(self, name: str) -> str:
        value = self.environment.get(name, "")
        # The XDG Base Directory Specification requires that relative paths are ignored.
        is_ignored = name.startswith("XDG_") and not PurePosixPath(value).is_absolute()
        return "" if is_ignored and self.system != "windows" else value


def _find_required_variables(template: str) -> list[str]:
    """Return a template's variables that have no default."""
    return re.findall(r"\$\{(\w+)\}", template)


def _find_closing_brace(text: str, start: int) -> int:
    """Return the offset of the brace that closes a variable reference `${…}`.

    References inside its default are skipped.

    Args:
        text: The path template.
        start: The offset of the reference.

    Raises:
        ValueError: The reference is not closed.
    """
    depth = 0
    for index in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if text[index] == "}" and depth == 0:
            return index
    raise ValueError(f"a variable reference is not closed in {text!r}")


def list_candidate_paths(client: Client, machine: HostMachine | None = None) -> list[PurePath]:
    """Return all paths where a client may keep its servers, without resolving wildcards."""
    machine = machine or HostMachine.current()
    return [
        machine.resolve_template(location.path_template)
        for location in machine.get_locations(client)
    ]


def locate_config_files(
    client: Client,
    *,
    project: str | os.PathLike[str] | None = None,
    machine: HostMachine | None = None,
) -> list[Path]:
    """Return the configuration files that a client's entry is written to.

    There is at least one file. The files do not have to exist.

    Args:
        client: The client.
        project: The directory of a project, for its file instead of the user's.
        machine: The machine to resolve paths for; this one by default.

    Raises:
        UnsupportedProjectError: The client reads no project files.
        UnknownLocationError: The client has no file on this system.
    """
    if project is not None:
        return [_select_project_file(client, Path(project))]
    machine = machine or HostMachine.current()
    locations = machine.get_locations(client)
    if not locations:
        raise _make_unknown_location_error(client, machine)
    # Multiple variants of a client can be installed. For example, the installers of Claude Desktop
    # for Windows use different directories.
    if client.all_places:
        files = [
            file for location in locations for file in iterate_location_files(machine, location)
        ]
        return files or [machine.resolve_local_path(locations[0].path_template)]
    return [_select_location_file(machine, locations)]


def list_merged_files(
    client: Client,
    *,
    project: str | os.PathLike[str] | None = None,
    machine: HostMachine | None = None,
) -> list[Path]:
    """Return all existing files that a client merges into one configuration.

    In a merged configuration, an entry in one file can hide an entry with the same key in another.
    The list is empty for clients that read only one file.

    Args:
        client: The client.
        project: The directory of a project, for its files instead of the user's.
        machine: The machine to resolve paths for; this one by default.
    """
    if not client.merges_files:
        return []
    if project is not None:
        files = _list_project_files(client, Path(project))
    else:
        machine = machine or HostMachine.current()
        files = [
            machine.resolve_local_path(location.path_template)
            for location in machine.get_locations(client)
        ]
    return [file for file in files if path_exists(file)]


def _select_location_file(machine: HostMachine, locations: list[ConfigLocation]) -> Path:
    """Select the configuration file that a client uses from multiple possible locations.

    The existence of a location's marker path shows which variant of the client is installed.
    Without a marker, the first file that exists is used, or else the first location.
    """
    for location in locations:
        marker = location.marker_path
        if marker and path_exists(machine.resolve_local_path(marker)):
            return machine.resolve_local_path(location.path_template)
    files = [machine.resolve_local_path(location.path_template) for location in locations]
    return next((file for file in files if path_exists(file)), files[0])


def iterate_location_files(machine: HostMachine, location: ConfigLocation) -> Iterator[Path]:
    """Yield the configuration files at a location, if their directories exist.

    A path template with the wildcard `*` can match multiple directories. The files might not exist.
    """
    file = machine.resolve_local_path(location.path_template)
    parts = file.parent.parts
    wildcard_index = next((index for index, part in enumerate(parts) if "*" in part), None)
    if wildcard_index is None:
        if path_exists(file.parent) and file.parent.is_dir():
            yield file
        return
    parent_directory = Path(*parts[:wildcard_index])
    for matching_directory in sorted(parent_directory.glob(parts[wildcard_index])):
        yield matching_directory.joinpath(*parts[wildcard_index + 1 :], file.name)


def _list_project_files(client: Client, directory: Path) -> list[Path]:
    return [directory.expanduser().absolute() / name for name in client.project]


def _select_project_file(client: Client, directory: Path) -> Path:
    """Select a client's configuration file in a project directory.

    If none of the possible files exists, the first one is selected.

    Raises:
        UnsupportedProjectError: The client does not read project files.
    """
    if not client.project:
        raise UnsupportedProjectError(
            f"{client.name} has no configuration for single projects",
            hint=f"install for the user: paddock install {client.id}",
        )
    files = _list_project_files(client, directory)
    return next((file for file in files if path_exists(file)), files[0])


def _make_unknown_location_error(client: Client, machine: HostMachine) -> UnknownLocationError:
    """Return the error for a client whose configuration file is not known on this system.

    The hint is the best alternative, such as an installation for a project.
    """
    if client.project:
        hint = f"install for a project: paddock install {client.id} --project DIRECTORY"
    elif client.has_file:
        hint = "name the config file: --file FILE"
    else:
        hint = f"use its settings; `paddock install {client.id}` prints the entry to paste there"
    message = f"on {machine.system}" if client.has_file else "for servers"
    return UnknownLocationError(f"{client.name} has no known config file {message}", hint=hint)


def guess_client(path: Path, data: object, *, machine: HostMachine | None = None) -> Client | None:
    """Guess the client application that a configuration file belongs to.

    Called if the user names a file but no client. The path is compared with the known locations of
    clients, then the end of the path, and then the content. The result is None if the content is
    ambiguous, because the client could not read an entry in the format of another one.

    Args:
        path: The file, which does not have to exist.
        data: The data in the file; an empty mapping if it does not exist.
        machine: The machine that the path is on; this one by default.
    """
    machine = machine or HostMachine.current()
    clients = sorted(supported_clients().values(), key=_rank_preference)
    absolute = path.expanduser().absolute()
    for client in clients:
        if any(absolute == Path(file.as_posix()) for file in list_candidate_paths(client, machine)):
            return client
    return _match_by_path(clients, absolute, data) or _match_by_content(clients, absolute, data)


def _rank_preference(client: Client) -> int:
    ids = PREFERRED_CLIENT_IDS
    return ids.index(client.id) if client.id in ids else len(ids)


def _match_by_path(clients: list[Client], path: PurePath, data: object) -> Client | None:
    """Return the client whose known file names match the longest end of a path, or None.

    For example, `backup/.cursor/mcp.json` ends like Cursor's file. If multiple clients match the
    same end, one that could have written the content is preferred.
    """
    best_score: tuple[int, bool] = (0, False)
    best_client = None
    for client in clients:
        length = max(
            (_count_matching_parts(tail, path) for tail in _iterate_path_tails(client)), default=0
        )
        score = (length, length > 0 and _get_server_entries(client, path, data) is not None)
        if length and score > best_score:
            best_score, best_client = score, client
    return best_client


def _iterate_path_tails(client: Client) -> Iterator[PurePath]:
    """Yield the endings of a client's file paths, such as `.cursor/mcp.json`."""
    yield from (PurePosixPath(name) for name in (*client.project, *client.known_as))
    for system in OPERATING_SYSTEMS:
        # On a machine without variables and a home directory, paths consist of these endings only.
        bare_machine = HostMachine(system, {}, "")
        for path in list_candidate_paths(client, bare_machine):
            yield path.relative_to(path.anchor)


def _count_matching_parts(tail: PurePath, path: PurePath) -> int:
    """Return the number of parts in a tail if a path ends in all of them, or 0 otherwise."""
    patterns = [part.casefold() for part in tail.parts]
    parts = [part.casefold() for part in path.parts[-len(patterns) :]]
    is_match = len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))
    return len(patterns) if is_match else 0


def _get_server_entries(client: Client, path: PurePath, data: object) -> list[object] | None:
    """Return a client's entries in a file's data, or None if their container is missing."""
    for key in client.get_servers_path(path):
        data = data.get(key) if isinstance(data, Mapping) else None
    if client.listed:
        return data if isinstance(data, list) else None
    return list(data.values()) if isinstance(data, Mapping) else None


def _match_by_content(clients: list[Client], path: PurePath, data: object) -> Client | None:
    """Return the client that a configuration file's content belongs to, or None.

    A client is recognized by fields that only it uses, or by a layout that few clients have.
    """
    format_ = FORMATS_BY_SUFFIX.get(path.suffix.casefold())
    candidates = [
        (client, entries)
        for client in clients
        if client.has_file and format_ in (None, client.format)
        if (entries := _get_server_entries(client, path, data)) is not None
    ]
    for client, entries in candidates:
        if client.marks and _has_marker_fields(client, entries):
            return client
    # A mapping `mcpServers` is not sufficient, because many clients have this layout.
    for client, entries in candidates:
        is_common_layout = client.get_servers_path(path) == ("mcpServers",) and not client.listed
        if not is_common_layout and all(client.shape.parse_entry(entry) for entry in entries):
            return client
    return None


def _has_marker_fields(client: Client, entries: list[object]) -> bool:
    return any(isinstance(entry, Mapping) and client.marks <= entry.keys() for entry in entries)


@dataclass(frozen=True)
class InstallDestination:
    """The client configuration files that a server is installed into."""

    client: Client
    files: tuple[Path, ...]
    scope: str
    """`user`, `file`, or the directory of a project."""

    @property
    def is_project(self) -> bool:
        """True if the installation is for one project only."""
        return is_project_scope(self.scope)

    def get_entry_locations(self, key: str) -> list[EntryLocation]:
        """Return the location of an entry in each file."""
        return [make_entry_location(self.client, file, key, self.scope) for file in self.files]


def is_project_scope(scope: str) -> bool:
    """Return whether a scope is the directory of a project."""
    return scope not in (USER_SCOPE, FILE_SCOPE)


def make_entry_location(client: Client, file: Path, key: str, scope: str) -> EntryLocation:
    """Return the location of an entry in a file that belongs to a user or a project."""
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
    """Return the configuration files for the client, project or file that the user has named.

    Args:
        client: The client, by any of its names. May be None if `file` is given, in which case the
            client is recognized by the file.
        project: The directory of a project, for its file instead of the user's.
        file: A file to use instead of the client's own files.

    Raises:
        DestinationError: Both a project and a file are given, or neither a client nor a file.
        UnsupportedClientError: There is no such client, or a file's client cannot be recognized.
        UnsupportedProjectError: The client reads no project files.
        UnknownLocationError: The client has no file here, or the project does not exist.
    """
    if project is not None and file is not None:
        raise DestinationError("both a project and a file are given", hint="give only one of them")
    if file is not None:
        path = Path(file).expanduser().absolute()
        return InstallDestination(_identify_client(client, path), (path,), FILE_SCOPE)
    if client is None:
        raise DestinationError("no client is given", hint="list the clients: paddock clients")
    client_app = find_client(client)
    if project is None:
        return InstallDestination(client_app, tuple(locate_config_files(client_app)), USER_SCOPE)
    directory = Path(project).expanduser().absolute()
    if not directory.is_dir():
        raise UnknownLocationError(
            f"the directory {directory} does not exist", hint="check the path"
        )
    return InstallDestination(
        client_app, tuple(locate_config_files(client_app, project=directory)), str(directory)
    )


def _identify_client(client: str | None, file: Path) -> Client:
    """Return the client that a configuration file belongs to.

    If the user has not named the client, it is recognized by the file's path and content.
    A JSON file with the most common layout is accepted even if its client is unknown.

    Raises:
        UnsupportedClientError: The client is not supported, or cannot be recognized.
    """
    if client is not None:
        return find_client(client)
    format_ = FORMATS_BY_SUFFIX.get(file.suffix.casefold(), "json")  # the most common format
    data = load_document(read_content(file) or b"", format_, where=str(file)).document.to_data()
    guess = guess_client(file, data)
    if guess is not None:
        return guess
    if format_ == "json" and path_exists(file) and _has_standard_layout(data):
        return STANDARD_CLIENT
    raise UnsupportedClientError(
        "cannot recognize the client that this file belongs to",
        where=str(file),
        hint="name the client as well; `standard` is the format that most clients read",
    )


def _has_standard_layout(data: object) -> bool:
    """Return whether data is empty or has servers under the key that most clients use."""
    if not isinstance(data, dict):
        return False
    return not data or isinstance(data.get(STANDARD_CLIENT.path[0]), dict)
