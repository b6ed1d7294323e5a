"""The corpus of Markdown folders added by the user. Each section of a file is a page."""

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
    from collections.abc import Callable, Iterator

    from paddock.docsearch.model import CorpusSource

CORPUS_NAME = "folders"
MARKDOWN_SUFFIXES = frozenset((".md", ".markdown", ".mdx"))
MAX_FOLDER_LIST_BYTES = 1_000_000
_HEADING_PATTERN = re.compile(r"(#{1,3})\s+(.+?)\s*#*\s*\Z")
_FENCE_PATTERN = re.compile(r"\s{0,3}(```|~~~)")


class FolderListError(PaddockError):
    """The list of folders is damaged, or a folder does not exist."""

    code = "folder-list"


class MarkdownFolders:
    """The search corpus of the Markdown folders added by the user.

    Each file is a source, which is indexed again when it changes.
    """

    name = CORPUS_NAME

    def list_sources(self) -> list[CorpusSource]:
        """Return the Markdown files in all folders, with stamps that change with the files."""
        return stamp_files(
            file
            for folder in list_folders()
            for file in walk_files(Path(folder), MARKDOWN_SUFFIXES)
        )

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """Yield a page for each section of a Markdown file, down to the third heading level.

        Titles of sections after the first also include the document's title, because headings such
        as "Usage" mean little on their own.

        Args:
            key: The path of the file.
        """
        text = read_source_file(key).decode("utf-8", "replace")
        document_title = Path(key).stem
        for index, (heading, body) in enumerate(_split_sections(text)):
            if index == 0 and heading:
                document_title = heading
            title = heading or document_title
            full_title = title if title == document_title else f"{document_title}: {title}"
            if body.strip():
                yield DocPage(full_title, key, body.strip(), (title,))


def _split_sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield the heading and text of each section of a Markdown document.

    Text before the first heading has the heading "". Inside code fences, lines that look like
    headings are ignored.
    """
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
    """Return the paths of the Markdown folders added by the user.

    Raises:
        FolderListError: The list is damaged.
        DataDirectoryError: The list cannot be read.
    """
    file = _get_folder_list_file()
    with convert_os_errors(file):
        try:
            folders = json.loads(read_regular_file(file, MAX_FOLDER_LIST_BYTES))
        except FileNotFoundError:
            return []
        except ValueError as error:
            raise FolderListError(
                f"the list of folders is damaged: {error}", where=str(file), hint="delete it"
            ) from None
    if not isinstance(folders, list):
        return []
    return [folder for folder in folders if isinstance(folder, str)]


def add_folder(folder: Path) -> bool:
    """Add a folder to the user's list of Markdown folders.

    Returns:
        False if the folder is already listed.

    Raises:
        FolderListError: The folder does not exist.
    """
    path = folder.expanduser().resolve()
    if not path.is_dir():
        raise FolderListError(
            "the folder does not exist",
            where=str(path),
            hint="give a folder that contains Markdown files",
        )
    return _update_folder_list(
        lambda folders: folders if str(path) in folders else [*folders, str(path)]
    )


def remove_folder(folder: Path) -> bool:
    """Remove a folder. Return False if it was not in the list."""
    path = str(folder.expanduser().resolve())
    return _update_folder_list(lambda folders: [other for other in folders if other != path])


def _update_folder_list(change: Callable[[list[str]], list[str]]) -> bool:
    """Change the stored list of folders while preventing other processes from changing it.

    Args:
        change: Returns the new list, given the current one.

    Returns:
        False if the list remains the same.
    """
    file = _get_folder_list_file()
    with lock_file(file):
        folders = list_folders()
        changed_folders = change(folders)
        if changed_folders == folders:
            return False
        with convert_os_errors(file):
            write_atomically(file, (json.dumps(changed_folders, indent=2) + "\n").encode())
    return True


def _get_folder_list_file() -> Path:
    return Path(get_data_directory()) / "docsearch" / "folders.json"
