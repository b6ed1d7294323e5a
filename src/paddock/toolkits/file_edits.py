"""Safe edits to the user's files, and the shared part of writing all kinds of notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.files import lock_file, read_regular_file, write_atomically
from paddock.toolkits.notebooks import is_jupyter_path
from paddock.toolkits.paths import resolve_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.toolkits.notebooks import NotebookWriteArguments

MAX_NOTEBOOK_BYTES = 200_000_000
NEW_FILE_MODE = 0o644


class FileChangedError(OSError):
    """Another program has changed a file during an edit."""

    def __init__(self) -> None:
        super().__init__("another program has changed the file; try again")


def edit_file(
    path: Path, read: Callable[[Path], bytes | None], edit: Callable[[bytes | None], bytes]
) -> None:
    """Replace the content of a file with the result of a function.

    The file is replaced atomically under a lock: it has either the old or the new content, even if
    the process is killed. It is read again just before that to detect changes by other programs.

    Args:
        path: The file.
        read: Returns the content of the file, or None if it does not exist.
        edit: Returns the new content.

    Raises:
        FileChangedError: Another program has changed the file.
        OSError: The file cannot be written.
        FileBusyError: Another Paddock process is editing the file.
    """
    with lock_file(path):
        before = read(path)
        after = edit(before)

        def check_unchanged() -> None:
            # Only Paddock uses this lock. Editors, Jupyter and front ends write without it.
            if read(path) != before:
                raise FileChangedError

        write_atomically(path, after, mode=NEW_FILE_MODE, before_replacing=check_unchanged)


def write_new_file(path: Path, data: bytes) -> None:
    """Write a file that does not exist yet, and create missing parent directories.

    Raises:
        FileExistsError: The file exists.
        OSError: The file cannot be written.
        FileBusyError: Another Paddock process is writing the file.
    """
    with lock_file(path):
        write_atomically(path, data, mode=NEW_FILE_MODE, is_new=True)


def write_notebook_file(
    arguments: NotebookWriteArguments, ctx: Context, build: Callable[[bytes | None], bytes]
) -> str:
    """Write a notebook file and return its path, or a message if it cannot be written.

    If the file exists or cannot be written, no error is raised. Instead, the returned message
    explains to the model how to correct the call.

    Args:
        arguments: The arguments of `WriteNotebook`.
        ctx: The context of the call.
        build: Converts the previous content, which is None for a new file, to the new content.
    """
    path = resolve_path(arguments.file, ctx)
    exists_message = f"File already exists: {path}. Set overwrite to true to replace it."
    if path.is_dir():
        suffix = ".ipynb" if is_jupyter_path(arguments.file) else ".nb"
        return f"Cannot write {path}: it is a directory. Give the path of a {suffix} file."
    if not arguments.overwrite and path.exists():
        return exists_message

    def build_unless_cancelled(previous: bytes | None) -> bytes:
        """Build the new content. If the call was cancelled, stop before touching the file."""
        content = build(previous)
        ctx.raise_if_cancelled()
        return content

    try:
        if arguments.overwrite:
            edit_file(path, _read_if_exists, build_unless_cancelled)
        else:
            write_new_file(path, build_unless_cancelled(None))
    except OSError as error:
        # Another process may have created the file after the check above.
        if isinstance(error, FileExistsError) and path.is_file():
            return exists_message
        reason = error.strerror or str(error)
        if not path.parent.is_dir():
            return f"Cannot create the directory {path.parent}: {reason}"
        return f"Cannot write {path}: {reason}"
    return str(path)


def _read_if_exists(path: Path) -> bytes | None:
    try:
        return read_regular_file(path, MAX_NOTEBOOK_BYTES)
    except FileNotFoundError:
        return None
