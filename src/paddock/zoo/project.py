"""What a project says about the zoo: the small file `.paddock/zoo.toml`.

default = "sage"               # the agent that works here unless another one is named

[sync]
agents = ["sage", "ember"]     # whose files are kept in step
formats = ["claude-code"]      # and for which programs
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
    """The file in which a project says something about the zoo cannot be used."""

    code = "zoo-project"


class ProjectSyncSettings(msgspec.Struct, kw_only=True):
    """What of the zoo a project has as files."""

    agents: list[str] = msgspec.field(default_factory=list)
    formats: list[str] = msgspec.field(default_factory=list)


class ZooProject(msgspec.Struct, kw_only=True):
    """What a project says about the zoo."""

    default: str | None = None
    """The id of the agent that works here unless another one is named."""
    sync: ProjectSyncSettings = msgspec.field(default_factory=ProjectSyncSettings)


def get_project_file(folder: Path) -> Path:
    """Where a project says it, whether it does or not."""
    return folder / PROJECT_FILE_PATH


def find_project(start: Path) -> Path | None:
    """The nearest folder, from one upwards, that has such a file."""
    for folder in (start, *start.parents):
        if get_project_file(folder).is_file():
            return folder
    return None


def read_project(folder: Path) -> ZooProject:
    """What a project says; nothing where there is no file.

    Raises:
        ProjectFileError: when the file cannot be read or is not what it should be.
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
            f"is not what it should be: {error}",
            where=str(path),
            hint='expected default = "agent-id", and [sync] with lists of agents and formats',
        ) from None


def get_default_agent(start: Path) -> str | None:
    """The id of the agent that works in a folder or in what it belongs to, if it is said.

    Raises:
        ProjectFileError: when the file cannot be read or is not what it should be.
    """
    folder = find_project(start)
    return None if folder is None else read_project(folder).default


def set_default_agent(folder: Path, agent_id: str | None) -> Path:
    """Say which agent works in a project, or that none does; the rest of the file stays.

    Raises:
        ProjectFileError: when the file cannot be read or written.
    """
    return _update_project_file(folder, {"default": agent_id})


def set_sync_settings(folder: Path, *, agents: Iterable[str], formats: Iterable[str]) -> Path:
    """Say which agents a project has as files, and for which programs.

    Raises:
        ProjectFileError: when the file cannot be read or written.
    """
    return _update_project_file(
        folder, {"sync": {"agents": list(agents), "formats": list(formats)}}
    )


def _update_project_file(folder: Path, values: dict[str, object]) -> Path:
    import tomlkit  # noqa: PLC0415 - only to write; reading needs no comments

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
    if after == before:
        return path
    try:
        if path.exists() and not path.resolve().is_relative_to(folder.resolve()):
            raise PermissionError("a link leads out of the project")
        write_atomically(path, after, mode=PROJECT_FILE_MODE)
    except OSError as error:
        raise ProjectFileError(
            f"cannot be written: {error.strerror or error}", where=str(path)
        ) from None
    return path
