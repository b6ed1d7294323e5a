"""Folders of Markdown that the user has named; each section of a file is a page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import data_directory
from paddock.docsearch.corpora.files import below, read_bytes, stamped
from paddock.docsearch.page import Page
from paddock.errors import PaddockError
from paddock.files import locked, read_ordinary, telling_faults, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.docsearch.page import Source

NAME = "folders"
SUFFIXES = frozenset((".md", ".markdown", ".mdx"))
MOST_BYTES = 1_000_000
"""Of the file that says which folders there are."""
_HEADING = re.compile(r"(#{1,3})\s+(.+?)\s*#*\s*\Z")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")


class FolderListError(PaddockError):
    """The list of the user's folders cannot be used, or has no such folder."""

    code = "folder-list"


class MarkdownFolders:
    """The corpus of the user's folders; each file is a source."""

    name = NAME

    def sources(self) -> list[Source]:
        """The Markdown files in all folders."""
        return stamped(file for folder in folders() for file in below(Path(folder), SUFFIXES))

    def pages(self, key: str) -> Iterator[Page]:
        """A page for each section of a file, down to the third level."""
        text = read_bytes(key).decode("utf-8", "replace")
        top = Path(key).stem
        for number, (title, body) in enumerate(_sections(text)):
            if number == 0 and title:
                top = title
            if body.strip():
                full = title if not title or title == top else f"{top}: {title}"
                yield Page(full or top, key, body.strip(), (title or top,))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    title, lines, is_fenced = "", [], False
    for line in text.splitlines():
        if _FENCE.match(line):
            is_fenced = not is_fenced
        heading = None if is_fenced else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        if title or any(lines):
            yield title, "\n".join(lines)
        title, lines = heading[2], []
    yield title, "\n".join(lines)


def folders() -> list[str]:
    """The folders that the user has named.

    Raises:
        FolderListError: when the list is damaged.
        DataDirectoryError: when it cannot be read.
    """
    file = _file()
    with telling_faults(file):
        try:
            found = json.loads(read_ordinary(file, MOST_BYTES))
        except FileNotFoundError:
            return []
        except ValueError as error:
            raise FolderListError(
                f"the list of folders is damaged: {error}", where=str(file), hint="delete it"
            ) from None
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def add_folder(folder: Path) -> bool:
    """Name a folder; False when it was named already.

    Raises:
        FolderListError: when there is no such folder.
    """
    full = folder.expanduser().resolve()
    if not full.is_dir():
        raise FolderListError(
            "there is no such folder", where=str(full), hint="name a folder with Markdown files"
        )
    return _change(str(full), is_there=True)


def remove_folder(folder: Path) -> bool:
    """Name a folder no longer; False when it was not named."""
    return _change(str(folder.expanduser().resolve()), is_there=False)


def _change(folder: str, *, is_there: bool) -> bool:
    file = _file()
    with locked(file):
        known = folders()
        if (folder in known) == is_there:
            return False
        rest = [one for one in known if one != folder]
        new = [*rest, folder] if is_there else rest
        with telling_faults(file):
            write_atomically(file, (json.dumps(new, indent=2) + "\n").encode())
    return True


def _file() -> Path:
    return Path(data_directory()) / "docsearch" / "folders.json"
