"""Where a server is to be installed: a client, its files, and for whom.

Users name a client, a client and the directory of a project, or a file; a file says by itself whose
it is, as far as that can be told.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.clients.applying import read_content
from paddock.clients.client import Client
from paddock.clients.editing.opening import load_document
from paddock.clients.guessing import FORMATS_BY_SUFFIX, guess_client
from paddock.clients.paths import UnknownLocationError, locate_config_files
from paddock.clients.placing import EntryLocation
from paddock.clients.table import STANDARD_CLIENT, UnsupportedClientError, find_client
from paddock.errors import PaddockError
from paddock.files import path_exists

if TYPE_CHECKING:
    from os import PathLike

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
    return InstallDestination(row, tuple(locate_config_files(row, project=directory)), str(directory))


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
