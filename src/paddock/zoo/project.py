"""A project's zoo settings, stored in `.paddock/zoo.toml`.

For example:

    default = "sage"               # the default agent of the project

    [sync]
    agents = ["sage", "ember"]     # agents whose files are synchronized
    formats = ["claude-code"]      # the formats of those files
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from paddock.errors import PaddockError
from paddock.files import read_regular_file, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable

PROJECT_FILE_PATH = Path(".paddock") / "zoo.toml"
MAX_PROJECT_FILE_BYTES = 1_000_000
PROJECT_FILE_MODE = 0o644


class ProjectFileError(PaddockError):
    """A project's zoo.toml cannot be read, written or parsed."""

    code = "zoo-project"


class ProjectSyncSettings(msgspec.Struct, kw_only=True):
    """The agents and formats that a project synchronizes."""

    agents: list[str] = msgspec.field(default_factory=list)
    formats: list[str] = msgspec.field(default_factory=list)


class ZooProject(msgspec.Struct, kw_only=True):
    """The zoo settings of a project."""

    default: str | None = None
    """ID of the default agent."""
    sync: ProjectSyncSettings = msgspec.field(default_factory=ProjectSyncSettings)


def get_project_file(folder: Path) -> Path:
    """Return the path of a project's settings file, which may not exist."""
    return folder / PROJECT_FILE_PATH


def find_project(start: Path) -> Path | None:
    """Return the nearest folder with a settings file, searching upwards from `start`."""
    for folder in (start, *start.parents):
        if get_project_file(folder).is_file():
            return folder
    return None


def read_project(folder: Path) -> ZooProject:
    """Return a project's settings.

    A project without a settings file gets the defaults.

    Raises:
        ProjectFileError: The file cannot be read, or its content is invalid.
    """
    path = get_project_file(folder)
    try:
        data = read_regular_file(path, MAX_PROJECT_FILE_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return ZooProject()
    except OSError as error:
        raise ProjectFileError(
            f"cannot be read: {error.strerror or error}", where=str(path)
        ) from None
    try:
        return msgspec.toml.decode(data, type=ZooProject)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProjectFileError(
            f"is invalid: {error}",
            where=str(path),
            hint='expected default = "agent-id", and [sync] with lists of agents and formats',
        ) from None


def get_default_agent(start: Path) -> str | None:
    """Return the ID of the default agent for a folder, or None.

    Raises:
        ProjectFileError: The file cannot be read, or its content is invalid.
    """
    folder = find_project(start)
    return None if folder is None else read_project(folder).default


def set_default_agent(folder: Path, agent_id: str | None) -> Path:
    """Set or remove a project's default agent, leaving the rest of the file unchanged.

    Raises:
        ProjectFileError: The file cannot be read or written.
    """
    return _update_project_file(folder, {"default": agent_id})


def set_sync_settings(folder: Path, *, agents: Iterable[str], formats: Iterable[str]) -> Path:
    """Set the agents and formats that a project synchronizes, and return the settings file.

    Args:
        folder: The folder of the project.
        agents: Agent IDs.
        formats: Format names, such as `claude-code`.

    Raises:
        ProjectFileError: The file cannot be read or written.
    """
    return _update_project_file(
        folder, {"sync": {"agents": list(agents), "formats": list(formats)}}
    )


def _update_project_file(folder: Path, values: dict[str, object]) -> Path:
    """Set or remove keys in a project's settings file, keeping its comments and layout.

    Args:
        folder: The folder of the project.
        values: New values by key. None removes the key, and a table is merged into the existing
            table.

    Returns:
        The path of the settings file.

    Raises:
        ProjectFileError: The file is invalid, or cannot be written.
    """
    import tomlkit  # noqa: PLC0415 - needed only for writing

    # This raises an error for an invalid file before anything is changed.
    read_project(folder)
    path = get_project_file(folder)
    before = path.read_bytes() if path.is_file() else b""
    document = tomlkit.parse(before)
    for key, value in values.items():
        if isinstance(value, dict):
            table = document.setdefault(key, tomlkit.table())
            table.update(value)
        elif value is not None:
            document[key] = value
        else:
            document.pop(key, None)
    after = tomlkit.dumps(document).encode()
    # Writing an unchanged file would wake file watchers and version control.
    if after == before:
        return path
    try:
        # A symbolic link in a cloned repository must not make Paddock write outside of it.
        if path.exists() and not path.resolve().is_relative_to(folder.resolve()):
            raise PermissionError("a symbolic link leads out of the project")
        write_atomically(path, after, mode=PROJECT_FILE_MODE)
    except OSError as error:
        raise ProjectFileError(
            f"cannot be written: {error.strerror or error}", where=str(path)
        ) from None
    return path
