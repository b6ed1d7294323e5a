"""Which file a path in an argument means, and whether tools may touch it.

A relative path begins where the client works. Files are touched below the directories that the
client works in, the working directory, the one for temporary files, and those that the user allows.
A client that comes over HTTP may be anybody, so what it says about directories is not asked for: it
has the working directory and those that the user allows.
Code that is evaluated is another matter: it reaches what its kernel lets it.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from paddock.authoring.handler_errors import ToolError
from paddock.authoring.tool_option import Option
from paddock.protocol.server_requests import AskError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.authoring.context import Context

ALLOWED_FOLDERS_VARIABLE = "PADDOCK_ALLOWED_FOLDERS"
ALLOWED_FOLDERS_OPTION_NAME = "AllowedFolders"
ALLOWED_FOLDERS_OPTION = Option(
    [], list[str], "Folders that may be read and written besides the client's"
)


class PathNotAllowedError(ToolError):
    """A path leads to where tools may not go."""

    code = "folder-not-allowed"


def resolve_path(path: str, ctx: Context) -> Path:
    """The file or directory that an argument means, links followed; it need not exist.

    In the stateless era this may end the call, which then comes again with the client's answer:
    resolve paths before doing anything else.

    Raises:
        FolderError: when it is outside the folders that tools may touch.
        ToolError: when the text cannot be a path, or nobody may look at what is there.
    """
    try:
        given = Path(path).expanduser()
        if given.is_absolute():
            found = given.resolve()
            if _is_in_folders(found, _list_server_folders(ctx)):
                return found
            folders = [*_list_server_folders(ctx), *_list_client_roots(ctx)]
        else:
            roots = _list_client_roots(ctx)
            found = ((roots[0] if roots else Path.cwd()) / given).resolve()
            folders = [*_list_server_folders(ctx), *roots]
    except (OSError, ValueError, RuntimeError) as error:
        raise ToolError(f"{path!r} cannot be a path: {error}") from None
    if not _is_in_folders(found, folders):
        raise PathNotAllowedError(
            f"{found} is outside the folders that this tool may touch: "
            + ", ".join(str(folder) for folder in folders),
            hint=f"whoever runs this server can allow more in the tool option {ALLOWED_FOLDERS_OPTION_NAME} or the "
            f"variable {ALLOWED_FOLDERS_VARIABLE}",
        )
    _check_accessible(found)
    return found


def _check_accessible(path: Path) -> None:
    """Have the system say now what is wrong with a path, so that no tool stumbles over it."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise ToolError(f"{path} cannot be used: {error.strerror or error}") from None


def get_working_directory(ctx: Context) -> Path:
    """Where programs that tools start begin: the client's first directory, else ours."""
    roots = _list_client_roots(ctx)
    return roots[0] if roots else Path.cwd()


class AllowedFiles(NamedTuple):
    """The files of a directory that a tool may work on."""

    files: list[Path]
    skipped: list[Path]
    """What is called like them, but leads out of the directory or to nothing."""


def list_allowed_files(place: Path, suffixes: tuple[str, ...], *, is_deep: bool) -> AllowedFiles:
    """The files of a resolved directory that end so, in order; also of those in it if `is_deep`.

    Directories that may not be read have no files.
    """
    files: list[Path] = []
    left_out: list[Path] = []
    for folder, folders, names in os.walk(place):
        for name in names:
            file = Path(folder, name)
            if file.suffix in suffixes:
                (files if _is_file_in_folder(file, place) else left_out).append(file)
        if not is_deep:
            folders.clear()
    return AllowedFiles(sorted(files), sorted(left_out))


def _is_file_in_folder(file: Path, place: Path) -> bool:
    try:
        return file.resolve(strict=True).is_relative_to(place) and file.is_file()
    except (OSError, RuntimeError):  # such as a link that leads to itself
        return False


def _is_in_folders(path: Path, folders: list[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _list_server_folders(ctx: Context) -> list[Path]:
    """What may be touched without asking the client."""
    chosen = [
        *ctx.options.get(ALLOWED_FOLDERS_OPTION_NAME, ()),
        *os.environ.get(ALLOWED_FOLDERS_VARIABLE, "").split(os.pathsep),
    ]
    allowed = [Path(folder).expanduser().resolve() for folder in chosen if folder]
    usual = [Path.cwd(), Path(tempfile.gettempdir())] if ctx.is_local else [Path.cwd()]
    return [*_exclude_filesystem_roots(usual), *allowed]


def _exclude_filesystem_roots(folders: list[Path]) -> list[Path]:
    """Without the root of a file system, where some clients start servers: that allows nothing."""
    resolved = [folder.resolve() for folder in folders]
    return [folder for folder in resolved if folder != folder.parent]


def _list_client_roots(ctx: Context) -> list[Path]:
    """The directories of this machine that the client works in."""
    if not ctx.is_local or "roots" not in ctx.client_capabilities:
        return []
    try:
        answer = ctx.roots(key="roots").wait()
    except AskError:
        return []
    return _exclude_filesystem_roots(list(_resolve_root_uris(root.uri for root in answer)))


def _resolve_root_uris(uris: Iterator[str]) -> Iterator[Path]:
    for uri in uris:
        # One that cannot be a path is no reason to go without the others.
        with suppress(OSError, ValueError, RuntimeError):
            place = _parse_file_uri(uri.replace("\\", "/"))
            if place is not None and place.is_dir():
                yield place


def _parse_file_uri(uri: str) -> Path | None:
    """The path of a file URI, also of one that lacks a slash before the drive."""
    from urllib.request import url2pathname  # noqa: PLC0415 - brings ssl and sockets, 15 ms

    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    has_drive = len(parts.netloc) == 2 and parts.netloc[1] == ":"
    path = f"/{parts.netloc}{parts.path}" if has_drive else parts.path
    return Path(url2pathname(path))
