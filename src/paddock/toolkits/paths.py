"""Resolution of path arguments, and the folders that tools may access.

A relative path starts at the client's first root. Tools may access files below the client's roots,
the working directory, the temporary directory, and the folders that the user allows. Over HTTP, the
client may be untrusted and on another machine, so its roots and the temporary directory are not
allowed. These rules do not apply to evaluated code, which is restricted by its kernel's sandbox.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from paddock.authoring.handler_errors import ToolError
from paddock.authoring.tool import Option
from paddock.protocol.server_requests import AskError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.authoring.context import Context

ALLOWED_FOLDERS_VARIABLE = "PADDOCK_ALLOWED_FOLDERS"
ALLOWED_FOLDERS_OPTION_NAME = "AllowedFolders"
ALLOWED_FOLDERS_OPTIONS = {
    ALLOWED_FOLDERS_OPTION_NAME: Option(
        [], list[str], "Folders that tools may read and write besides the client's roots"
    )
}
RELATIVE_PATH_HINT = "relative paths start at the client's first root"


class PathNotAllowedError(ToolError):
    """A path is outside the folders that tools may access."""

    code = "folder-not-allowed"


def resolve_path(path: str, ctx: Context) -> Path:
    """Return the absolute path for a path argument, with symbolic links resolved.

    Every tool that takes a path calls this function first, so this is where the allowed folders
    are enforced. The path does not have to exist.

    A stateless server may have to ask the client for its roots. That ends the call, and the client
    repeats the call with the answer. A handler must therefore resolve all its paths before its
    first side effect.

    Raises:
        PathNotAllowedError: The path is outside the folders that tools may access.
        ToolError: The text is not a valid path, or the system denies access to it.
    """
    try:
        raw_path = Path(path).expanduser()
        if raw_path.is_absolute():
            resolved = raw_path.resolve()
            # Asking the client costs a round trip, so the server's folders are checked first.
            if _is_in_folders(resolved, _list_server_folders(ctx)):
                return resolved
            folders = [*_list_server_folders(ctx), *_list_client_roots(ctx)]
        else:
            roots = _list_client_roots(ctx)
            resolved = ((roots[0] if roots else Path.cwd()) / raw_path).resolve()
            folders = [*_list_server_folders(ctx), *roots]
    except (OSError, ValueError, RuntimeError) as error:
        raise ToolError(f"{path!r} is not a valid path: {error}") from None
    if not _is_in_folders(resolved, folders):
        raise PathNotAllowedError(
            f"{resolved} is outside the folders that this tool may access: "
            + ", ".join(str(folder) for folder in folders),
            hint="to allow more folders, set the tool option "
            f"{ALLOWED_FOLDERS_OPTION_NAME} or the variable {ALLOWED_FOLDERS_VARIABLE} of the "
            "server",
        )
    _check_accessible(resolved)
    return resolved


def require_path(path: str, ctx: Context, error: type[ToolError]) -> Path:
    """Resolve the path of an existing file or directory.

    The caller chooses the error class, so a missing path is reported with the tool's error code.

    Args:
        path: The path that the call names.
        ctx: The context of the call.
        error: The error class for a missing path.

    Raises:
        ToolError: The path does not exist (an instance of `error`), or it is not allowed.
    """
    resolved = resolve_path(path, ctx)
    if not resolved.exists():
        raise error(
            f"the file or directory does not exist: {path}",
            where=str(resolved),
            hint=RELATIVE_PATH_HINT,
        )
    return resolved


def require_file(path: str, ctx: Context, error: type[ToolError]) -> Path:
    """Resolve the path of an existing regular file.

    Like `require_path`, but directories are rejected too.

    Raises:
        ToolError: The file does not exist (an instance of `error`), or its path is not allowed.
    """
    resolved = resolve_path(path, ctx)
    if not resolved.is_file():
        raise error(
            f"the file does not exist: {path}", where=str(resolved), hint=RELATIVE_PATH_HINT
        )
    return resolved


def _check_accessible(path: Path) -> None:
    """Raise a readable error if the operating system denies access to a path.

    A missing path is accepted because tools also resolve paths of files that they will create.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise ToolError(f"{path} cannot be accessed: {error.strerror or error}") from None


def get_working_directory(ctx: Context) -> Path:
    """Return the client's first root, or the server's working directory."""
    roots = _list_client_roots(ctx)
    return roots[0] if roots else Path.cwd()


class AllowedFiles(NamedTuple):
    """The files in a directory that a tool may access."""

    files: list[Path]
    skipped: list[Path]
    """Matching names that are broken links or lead out of the directory."""


def list_allowed_files(
    directory: Path, suffixes: tuple[str, ...], *, include_subfolders: bool
) -> AllowedFiles:
    """Return the sorted files in a resolved directory that have one of the suffixes.

    Links that lead out of the directory are reported as skipped, so a link cannot give a tool
    access to files outside the allowed folders. Unreadable directories are treated as empty.

    Args:
        directory: The directory, without links in its path.
        suffixes: File name suffixes, including the dot.
        include_subfolders: Whether to search subfolders too.
    """
    files: list[Path] = []
    skipped: list[Path] = []
    for folder, subfolders, names in os.walk(directory):
        for name in names:
            file = Path(folder, name)
            if file.suffix not in suffixes:
                continue
            if _is_file_in_folder(file, directory):
                files.append(file)
            else:
                skipped.append(file)
        if not include_subfolders:
            subfolders.clear()
    return AllowedFiles(sorted(files), sorted(skipped))


def _is_file_in_folder(file: Path, directory: Path) -> bool:
    try:
        return file.resolve(strict=True).is_relative_to(directory) and file.is_file()
    except (OSError, RuntimeError):  # RuntimeError: a link that leads to itself
        return False


def _is_in_folders(path: Path, folders: list[Path]) -> bool:
    """Return True if a resolved path is one of the folders or below one of them."""
    return any(path.is_relative_to(folder) for folder in folders)


def _list_server_folders(ctx: Context) -> list[Path]:
    """Return the folders that are allowed without asking the client.

    These are the folders configured by the user, the working directory and, for local connections,
    the temporary directory.
    """
    configured = [
        *ctx.options.get(ALLOWED_FOLDERS_OPTION_NAME, ()),
        *os.environ.get(ALLOWED_FOLDERS_VARIABLE, "").split(os.pathsep),
    ]
    allowed = [Path(folder).expanduser().resolve() for folder in configured if folder]
    defaults = [Path.cwd(), Path(tempfile.gettempdir())] if ctx.is_local else [Path.cwd()]
    return [*_exclude_filesystem_roots(defaults), *allowed]


def _exclude_filesystem_roots(folders: list[Path]) -> list[Path]:
    # Some clients start servers in the file system root, which would allow every file.
    resolved = [folder.resolve() for folder in folders]
    return [folder for folder in resolved if folder != folder.parent]


def _list_client_roots(ctx: Context) -> list[Path]:
    """Return the directories that the client offers to the server (its MCP roots).

    The list is empty over HTTP, for clients without the roots capability, and for clients that do
    not answer the request.
    """
    if not ctx.is_local or "roots" not in ctx.client_capabilities:
        return []
    try:
        client_roots = ctx.roots(key="roots").wait()
    except AskError:
        return []
    return _exclude_filesystem_roots(list(_resolve_root_uris(root.uri for root in client_roots)))


def _resolve_root_uris(uris: Iterator[str]) -> Iterator[Path]:
    """Yield the existing directories for the URIs of a client's roots, such as `file:///project`."""
    for uri in uris:
        # One unusable URI must not hide the other roots.
        with suppress(OSError, ValueError, RuntimeError):
            directory = _parse_file_uri(uri.replace("\\", "/"))
            if directory is not None and directory.is_dir():
                yield directory


def _parse_file_uri(uri: str) -> Path | None:
    """Return the path of a `file:` URI, or None for another scheme.

    The form `file://C:/…` is also accepted. It lacks the slash after the empty host, so the drive
    is parsed as the host and has to be moved back into the path.
    """
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    has_drive = len(parts.netloc) == 2 and parts.netloc[1] == ":"
    path = unquote(f"/{parts.netloc}{parts.path}" if has_drive else parts.path)
    # In a URI, a slash precedes the drive of a Windows path.
    is_windows_path = os.name == "nt" and path[2:3] == ":"
    return Path(path[1:] if is_windows_path else path)
