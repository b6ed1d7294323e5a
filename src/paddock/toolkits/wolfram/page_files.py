"""Reference page files: their location, and edits that leave all other bytes unchanged.

An edit locks the file and replaces it completely or not at all.
"""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit
from urllib.request import url2pathname

from paddock.authoring.handler_errors import ToolError
from paddock.files import read_regular_file
from paddock.toolkits.file_edits import edit_file, write_new_file
from paddock.toolkits.paths import RELATIVE_PATH_HINT, resolve_path
from paddock.wolfram.reference_pages import SymbolPage

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from paddock.authoring.context import Context

# Relative to the paclet directory.
SYMBOL_PAGES_PATH = ("Documentation", "English", "ReferencePages", "Symbols")
_BYTE_ORDER_MARK = "\ufeff"
_MAX_PAGE_BYTES = 100_000_000
_MAX_CODE_FILES, _MAX_CODE_BYTES = 200, 1_000_000
_USAGE_PATTERN = re.compile(rb"([A-Za-z$][A-Za-z0-9$]*)::usage\b")


class PageNotFoundError(ToolError):
    """The notebook does not exist."""

    code = "notebook-not-found"


class PageExistsError(ToolError):
    """The symbol already has a page."""

    code = "notebook-file-exists"


class PageFileError(ToolError):
    """A page file cannot be read or written."""

    code = "notebook-file"


def require_page_path(notebook: str, ctx: Context) -> Path:
    """Return the path of the existing notebook file that a call names.

    Args:
        notebook: The path of the file, or its `file:` URI.
        ctx: The context of the call.

    Raises:
        PageNotFoundError: The file does not exist.
    """
    parts = urlsplit(notebook)
    path = resolve_path(url2pathname(parts.path) if parts.scheme == "file" else notebook, ctx)
    if path.is_file():
        return path
    actual = "is a directory" if path.is_dir() else "does not exist"
    raise PageNotFoundError(
        f"{path} {actual}",
        hint=f"give the path of a .nb file; {RELATIVE_PATH_HINT}",
    )


def resolve_new_page_path(directory: str, symbol: str, ctx: Context) -> Path:
    """Return the path where the page for a paclet's symbol belongs."""
    return resolve_path(str(Path(directory, *SYMBOL_PAGES_PATH, f"{symbol}.nb")), ctx)


def require_page_absent(path: Path) -> None:
    """Raise an error if a reference page exists, because existing pages are never replaced.

    Raises:
        PageExistsError: The path exists.
    """
    if path.exists():
        raise PageExistsError(
            f"the page exists already: {path}",
            hint="edit it with EditSymbolDoc and EditSymbolDocExamples, or delete it first",
        )


def write_new_page(path: Path, text: str) -> None:
    """Write a new reference page, and create missing parent directories.

    Raises:
        PageExistsError: The file exists, or was created concurrently.
        PageFileError: The file cannot be written.
    """
    with _convert_os_errors("write", path):
        try:
            write_new_file(path, text.encode("ascii"))
        except FileExistsError:
            require_page_absent(path)
            raise


def read_page_file(path: Path) -> SymbolPage:
    """Read a symbol's reference page from a notebook file.

    Raises:
        PageFileError: The file cannot be read.
        InvalidPageError: The file is not a reference page.
    """
    return _parse_page(_read_bytes(path))


def edit_page_file(path: Path, edit: Callable[[SymbolPage], None]) -> None:
    """Edit the reference page in a notebook file. If anything fails, the file remains unchanged.

    The edited page is parsed again before the file is replaced, so an edit cannot leave behind a
    page that this module can no longer read. A byte order mark at the start of the file is kept.

    Raises:
        PageFileError: The file cannot be read or written, or another program changed it.
        ReferencePageError: The file is not a reference page, or the edit is invalid.
    """

    def apply_edit(before: bytes | None) -> bytes:
        """Return the content of the file after the edit."""
        previous_content = before or b""
        page = _parse_page(previous_content)
        edit(page)
        has_mark = previous_content.startswith(_BYTE_ORDER_MARK.encode())
        text = (_BYTE_ORDER_MARK if has_mark else "") + page.to_text()
        content = text.encode("utf-8", "surrogateescape")
        _parse_page(content)
        return content

    with _convert_os_errors("write", path):
        edit_file(path, _read_bytes, apply_edit)


@contextmanager
def _convert_os_errors(action: Literal["read", "write"], path: Path) -> Generator[None]:
    """Convert an OSError into an error that names the failed action and the file."""
    try:
        yield
    except OSError as error:
        raise PageFileError(f"Cannot {action} {path}: {error.strerror or error}") from None


def _read_bytes(path: Path) -> bytes:
    with _convert_os_errors("read", path):
        return read_regular_file(path, _MAX_PAGE_BYTES)


def _parse_page(data: bytes) -> SymbolPage:
    # Bytes that are not UTF-8 survive the round trip as surrogates.
    return SymbolPage(data.decode("utf-8", "surrogateescape").removeprefix(_BYTE_ORDER_MARK))


def get_paclet_directory(path: Path) -> Path | None:
    """Return the directory of the paclet that contains a reference page, or None.

    A paclet is a Wolfram Language package. Its directory is derived from the usual location of its
    reference pages. `PacletInfo.wl` is not read.
    """
    depth = len(SYMBOL_PAGES_PATH)
    if path.parts[-depth - 1 : -1] != SYMBOL_PAGES_PATH:
        return None
    return path.parents[depth]


def find_paclet_symbols(path: Path) -> set[str]:
    """Return the names of the symbols in the paclet that a reference page belongs to.

    These are the symbols that have a page and those with a usage message in the paclet's code. The
    number and size of the searched files are limited.
    """
    symbols = {path.stem}
    # The symbols are only used for links, so an unreadable directory is not an error.
    with suppress(OSError):
        symbols |= {page.stem for page in path.parent.glob("*.nb")}
        paclet = get_paclet_directory(path)
        if paclet is not None:
            for file in islice(_list_code_files(paclet), _MAX_CODE_FILES):
                symbols |= {name.decode() for name in _USAGE_PATTERN.findall(_read_head(file))}
    return symbols


def _list_code_files(paclet: Path) -> list[Path]:
    patterns = ("*.wl", "*.m", "Kernel/**/*.wl", "Kernel/**/*.m")
    return sorted(file for pattern in patterns for file in paclet.glob(pattern) if file.is_file())


def _read_head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(_MAX_CODE_BYTES)
