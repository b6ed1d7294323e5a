"""Text files that are changed in place: as a whole or not at all, and only what is to change."""

from __future__ import annotations

import io
import tokenize
from typing import TYPE_CHECKING

from paddock.authoring.failures import ToolError
from paddock.files import lock_file, read_regular_file, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MAX_SOURCE_BYTES = 20_000_000
_NEW_FILE_MODE = 0o644


class DocumentedFileError(ToolError):
    """A file that is to be documented cannot be read, changed or written."""

    code = "documented-file"


def read_source_file(path: Path) -> tuple[str, str]:
    """A text and its encoding, as Python reads it; ends of lines stay what they are.

    Raises:
        DocumentedFileError: when it cannot be read.
    """
    return _decode_source(_read_bytes(path), path)


def edit_source_file(path: Path, change: Callable[[str], str]) -> None:
    """Put in the place of a text what a function makes of it.

    Raises:
        DocumentedFileError: when it cannot be read or written, or another program writes it too.
    """
    with lock_file(path):
        before = _read_bytes(path)
        text, encoding = _decode_source(before, path)
        try:
            after = change(text).encode(encoding)
        except UnicodeEncodeError as error:
            sign = error.object[error.start]
            raise DocumentedFileError(
                f"It is in {encoding}, which has no {sign!r}", where=str(path), hint="spell it out"
            ) from None

        def check() -> None:
            if _read_bytes(path) != before:
                raise DocumentedFileError(
                    "Another program has changed it meanwhile", where=str(path), hint="try again"
                )

        _write_file(path, after, check)


def write_new_file(path: Path, text: str) -> None:
    """Write a file that is not there yet, with the directories that it needs.

    Raises:
        DocumentedFileError: when it is there, or cannot be written.
    """
    try:
        with lock_file(path):
            write_atomically(path, text.encode(), mode=_NEW_FILE_MODE, is_new=True)
    except FileExistsError:
        raise DocumentedFileError(
            "There is a file already", where=str(path), hint="change it, or delete it first"
        ) from None
    except OSError as error:
        reason = error.strerror or error
        raise DocumentedFileError(f"It cannot be written: {reason}", where=str(path)) from None


def _write_file(path: Path, data: bytes, check: Callable[[], None]) -> None:
    try:
        write_atomically(path, data, before_replacing=check)
    except OSError as error:
        reason = error.strerror or error
        raise DocumentedFileError(f"It cannot be written: {reason}", where=str(path)) from None


def _read_bytes(path: Path) -> bytes:
    try:
        return read_regular_file(path, MAX_SOURCE_BYTES)
    except OSError as error:
        reason = error.strerror or error
        raise DocumentedFileError(f"It cannot be read: {reason}", where=str(path)) from None


def _decode_source(data: bytes, path: Path) -> tuple[str, str]:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding), encoding
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise DocumentedFileError(f"It cannot be read: {error}", where=str(path)) from None
