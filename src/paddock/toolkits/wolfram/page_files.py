"""The files of reference pages: where they are, what is around them, and how they are changed.

A file is changed as a whole or not at all, by one at a time, and keeps every byte that is not part
of the change.
"""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from paddock.authoring.handler_errors import ToolError
from paddock.files import lock_file, read_regular_file, write_atomically
from paddock.toolkits.paths import resolve_path
from paddock.wolfram.reference_pages import SymbolPage

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.context import Context

SYMBOL_PAGES_PATH = ("Documentation", "English", "ReferencePages", "Symbols")
"""Where the pages of a paclet's symbols are."""
_BYTE_ORDER_MARK = "\ufeff"
_NEW_FILE_MODE = 0o644
_MAX_PAGE_BYTES = 100_000_000
_MAX_CODE_FILES, _MAX_CODE_BYTES = 200, 1_000_000
_USAGE_PATTERN = re.compile(rb"([A-Za-z$][A-Za-z0-9$]*)::usage\b")


class PageNotFoundError(ToolError):
    """There is no such notebook."""

    code = "notebook-not-found"


class PageExistsError(ToolError):
    """There is a page of that symbol already."""

    code = "notebook-file-exists"


class PageFileError(ToolError):
    """The file of a page cannot be read or written."""

    code = "notebook-file"


def require_page_path(notebook: str, ctx: Context) -> Path:
    """The file that an argument means: a path, or an address of a file.

    Raises:
        PageNotFoundError: when there is none.
    """
    parts = urlsplit(notebook)
    path = resolve_path(url2pathname(parts.path) if parts.scheme == "file" else notebook, ctx)
    if path.is_file():
        return path
    found = "a directory" if path.is_dir() else "no file"
    raise PageNotFoundError(
        f"There is {found} at {path}",
        hint="give the path of a .nb file; relative paths begin where the client works",
    )


def resolve_new_page_path(directory: str, symbol: str, ctx: Context) -> Path:
    """Where the page of a symbol of a paclet goes."""
    return resolve_path(str(Path(directory, *SYMBOL_PAGES_PATH, f"{symbol}.nb")), ctx)


def check_page_absent(path: Path) -> None:
    """Go on only if there is nothing at a path.

    Raises:
        PageExistsError: when there is something.
    """
    if path.exists():
        raise PageExistsError(
            f"There is a page already: {path}",
            hint="change it with EditSymbolDoc and EditSymbolDocExamples, or delete it first",
        )


def write_new_page(path: Path, text: str) -> None:
    """Write a page that is not there yet, with the directories that it needs.

    Raises:
        PageExistsError: when it is there meanwhile.
        PageFileError: when it cannot be written.
    """
    try:
        with lock_file(path):
            write_atomically(path, text.encode("ascii"), mode=_NEW_FILE_MODE, is_new=True)
    except OSError as error:
        if isinstance(error, FileExistsError):
            check_page_absent(path)
        raise PageFileError(f"Cannot write {path}: {error.strerror or error}") from None


def read_page_file(path: Path) -> SymbolPage:
    """The page in a file.

    Raises:
        PageFileError: when it cannot be read.
        InvalidPageError: when it is no page.
    """
    return _parse_page(_read_bytes(path))


def edit_page_file(path: Path, change: Callable[[SymbolPage], None]) -> None:
    """Change a page in its file; when anything goes wrong the file is as it was.

    Raises:
        PageFileError: when it cannot be read or written, or somebody else writes it meanwhile.
        ReferencePageError: when it is no page, or cannot be changed so.
    """
    with lock_file(path):
        before = _read_bytes(path)
        page = _parse_page(before)
        change(page)
        mark = _BYTE_ORDER_MARK if before.startswith(_BYTE_ORDER_MARK.encode()) else ""
        after = (mark + page.to_text()).encode("utf-8", "surrogateescape")
        _parse_page(after)

        def check() -> None:
            if _read_bytes(path) != before:
                raise PageFileError(
                    f"{path} was changed by another program meanwhile", hint="try again"
                )

        try:
            write_atomically(path, after, before_replacing=check)
        except OSError as error:
            raise PageFileError(f"Cannot write {path}: {error.strerror or error}") from None


def _read_bytes(path: Path) -> bytes:
    try:
        return read_regular_file(path, _MAX_PAGE_BYTES)
    except OSError as error:
        raise PageFileError(f"Cannot read {path}: {error.strerror or error}") from None


def _parse_page(data: bytes) -> SymbolPage:
    # What is no UTF-8 comes back as the bytes that it was.
    return SymbolPage(data.decode("utf-8", "surrogateescape").removeprefix(_BYTE_ORDER_MARK))


def get_paclet_directory(path: Path) -> Path | None:
    """The directory of the paclet that a page is in."""
    depth = len(SYMBOL_PAGES_PATH)
    if path.parts[-depth - 1 : -1] != SYMBOL_PAGES_PATH:
        return None
    return path.parents[depth]


def find_paclet_symbols(path: Path) -> set[str]:
    """The symbols of the paclet that a page is in: those with a page, or a usage in its code."""
    found = {path.stem}
    try:
        found |= {page.stem for page in path.parent.glob("*.nb")}
        paclet = get_paclet_directory(path)
        if paclet is not None:
            for file in islice(_list_code_files(paclet), _MAX_CODE_FILES):
                found |= {name.decode() for name in _USAGE_PATTERN.findall(_read_head(file))}
    except OSError:
        # They are for links only: a directory that cannot be listed has none.
        pass
    return found


def _list_code_files(paclet: Path) -> list[Path]:
    patterns = ("*.wl", "*.m", "Kernel/**/*.wl", "Kernel/**/*.m")
    return sorted(file for pattern in patterns for file in paclet.glob(pattern) if file.is_file())


def _read_head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(_MAX_CODE_BYTES)
