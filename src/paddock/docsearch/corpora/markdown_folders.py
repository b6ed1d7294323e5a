"""Folders of Markdown that the user has named; each section of a file is a page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import get_data_directory
from paddock.docsearch.corpora.registry import read_source_file, stamp_files, walk_files
from paddock.docsearch.model import DocPage
from paddock.errors import PaddockError
from paddock.files import convert_os_errors, lock_file, read_regular_file, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.docsearch.model import CorpusSource

CORPUS_NAME = "folders"
MARKDOWN_SUFFIXES = frozenset((".md", ".markdown", ".mdx"))
MAX_FOLDER_LIST_BYTES = 1_000_000
"""Of the file that says which folders there are."""
_HEADING_PATTERN = re.compile(r"(#{1,3})\s+(.+?)\s*#*\s*\Z")
_FENCE_PATTERN = re.compile(r"\s{0,3}(```|~~~)")


class FolderListError(PaddockError):
    """The list of the user's folders cannot be used, or has no such folder."""

    code = "folder-list"


class MarkdownFolders:
    """The corpus of the user's folders; each file is a source."""

    name = CORPUS_NAME

    def list_sources(self) -> list[CorpusSource]:
        """The Markdown files in all folders."""
        return stamp_files(
            file
            for folder in list_folders()
            for file in walk_files(Path(folder), MARKDOWN_SUFFIXES)
        )

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """A page for each section of a file, down to the third level."""
        text = read_source_file(key).decode("utf-8", "replace")
        top = Path(key).stem
        for number, (title, body) in enumerate(_split_sections(text)):
            if number == 0 and title:
                top = title
            if body.strip():
                full = title if not title or title == top else f"{top}: {title}"
                yield DocPage(full or top, key, body.strip(), (title or top,))


def _split_sections(text: str) -> Iterator[tuple[str, str]]:
    title, lines, is_fenced = "", [], False
    for line in text.splitlines():
        if _FENCE_PATTERN.match(line):
            is_fenced = not is_fenced
        heading = None if is_fenced else _HEADING_PATTERN.match(line)
        if heading is None:
            lines.append(line)
            continue
        if title or any(lines):
            yield title, "\n".join(lines)
        title, lines = heading[2], []
    yield title, "\n".join(lines)


def list_folders() -> list[str]:
    """The folders that the user has named.

    Raises:
        FolderListError: when the list is damaged.
        DataDirectoryError: when it cannot be read.
    """
    file = _get_folder_list_file()
    with convert_os_errors(file):
        try:
            found = json.loads(read_regular_file(file, MAX_FOLDER_LIST_BYTES))
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
    return _update_folder_list(str(full), is_there=True)


def remove_folder(folder: Path) -> bool:
    """Name a folder no longer; False when it was not named."""
    return _update_folder_list(str(folder.expanduser().resolve()), is_there=False)


def _update_folder_list(folder: str, *, is_there: bool) -> bool:
    file = _get_folder_list_file()
    with lock_file(file):
        known = list_folders()
        if (folder in known) == is_there:
            return False
        rest = [one for one in known if one != folder]
        new = [*rest, folder] if is_there else rest
        with convert_os_errors(file):
            write_atomically(file, (json.dumps(new, indent=2) + "\n").encode())
    return True


def _get_folder_list_file() -> Path:
    return Path(get_data_directory()) / "docsearch" / "folders.json"
