"""The location of one entry in a client's config file, and its insertion and removal.

Everything here is a function of the file's bytes; `file_writer` reads and writes files. An
insertion returns an `UndoRecord`, which lets removal restore the file byte for byte: as long as
the inserted text can be found, it is cut out as text. If the user has edited it, the entry is
removed by the rules of the format, and the entry that was there before is restored.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, structs

from paddock.installer.client_app import Client
from paddock.installer.config_files.data_changes import find_value, is_same_data, put_value
from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    MissingType,
    NamedElementStep,
)
from paddock.installer.config_files.editable_document import DocumentFile, load_document
from paddock.named_servers.installations import Installation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paddock.installer.config_files.editable_document import EditableDocument


CONTEXT_BYTES = 60
"""The number of bytes on each side of a change that distinguish it from equal text elsewhere."""
EMPTY_DOCUMENT_TEXTS = frozenset({"", "{}", "[]"})


class TextSplice(Struct, frozen=True, kw_only=True):
    """A change to one span of a file, with enough context to revert it later.

    It is stored in the installation records, so the fields are a file format.
    """

    start: int
    """The byte offset of the change."""
    removed: bytes
    added: bytes
    left: bytes
    """The content before the change, up to `CONTEXT_BYTES`."""
    right: bytes
    """The content after the change, up to `CONTEXT_BYTES`."""
    digest: str
    """The digest of the whole content after the change."""


def compute_splice(before: bytes, after: bytes) -> TextSplice:
    """Return the shortest change to one span that converts one version of a file to another.

    If the change could begin at several offsets, it begins at the start of a line. Lines that the
    user later adds next to it are then outside the changed span.
    """
    prefix_length = _measure_common_prefix(before, after)
    max_suffix_length = min(len(before), len(after)) - prefix_length
    suffix_length = min(_measure_common_prefix(before[::-1], after[::-1]), max_suffix_length)
    # An insertion that begins with a comma is not moved, because the comma belongs to the previous
    # item.
    is_insertion = prefix_length + suffix_length == len(before)
    if is_insertion and after[prefix_length : prefix_length + 1] != b",":
        prefix_length, suffix_length = _align_to_line_start(
            before, after, prefix_length, suffix_length
        )
    removed = before[prefix_length : len(before) - suffix_length]
    added = after[prefix_length : len(after) - suffix_length]
    return TextSplice(
        start=prefix_length,
        removed=removed,
        added=added,
        left=before[max(0, prefix_length - CONTEXT_BYTES) : prefix_length],
        right=before[len(before) - suffix_length :][:CONTEXT_BYTES],
        digest=compute_digest(after),
    )


def is_untouched(splice: TextSplice, content: bytes) -> bool:
    """Return whether a file still has the content that the change produced."""
    return compute_digest(content) == splice.digest


def iterate_reverted_contents(splice: TextSplice, content: bytes) -> Iterator[bytes]:
    """Yield the possible contents of a file after reverting a change, most likely first.

    If the file has not been changed since, there is exactly one result, which is certain.
    Otherwise, the added text is searched for with less and less context. The caller must verify
    each result, because the same text can occur elsewhere in the file.

    Args:
        splice: The change.
        content: The current content of the file.
    """
    if is_untouched(splice, content):
        yield _revert_at(splice, content, splice.start)
        return
    for left, right in ((splice.left, splice.right), (splice.left, b""), (b"", splice.right)):
        offset = _find_unique(content, left + splice.added + right)
        if offset is not None and (splice.added or (left and right)):
            yield _revert_at(splice, content, offset + len(left))
    offset = _find_unique(content, splice.added)
    if offset is not None:
        yield _revert_at(splice, content, offset)


def compute_digest(content: bytes) -> str:
    """Return a digest that identifies a content."""
    return hashlib.sha256(content).hexdigest()


def _revert_at(splice: TextSplice, content: bytes, start: int) -> bytes:
    return content[:start] + splice.removed + content[start + len(splice.added) :]


def _find_unique(text: bytes, pattern: bytes) -> int | None:
    """Return the offset of a pattern if it occurs exactly once."""
    first = text.find(pattern) if pattern else -1
    if first < 0 or text.find(pattern, first + 1) >= 0:
        return None
    return first


def _measure_common_prefix(left: bytes, right: bytes) -> int:
    """Return the length of the common prefix of two contents, in bytes."""
    # A binary search that compares slices is fast, because slices are compared in C. Comparing byte
    # by byte in Python would be slow for a file of many megabytes.
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _align_to_line_start(before: bytes, after: bytes, start: int, end: int) -> tuple[int, int]:
    """Move an inserted span to the start of its line if that does not change the content.

    An insertion can be moved left by one byte if the byte before it equals its last byte.

    Args:
        before: The content before the insertion.
        after: The content after it.
        start: The length of the common prefix.
        end: The length of the common suffix.

    Returns:
        The new lengths of prefix and suffix, or the old ones if the line start is out of reach.
    """
    line_start, suffix = start, end
    while line_start > 0 and before[line_start - 1 : line_start] != b"\n":
        if after[line_start - 1] != after[len(after) - suffix - 1]:
            return start, end
        line_start, suffix = line_start - 1, suffix + 1
    return line_start, suffix


class UndoRecord(Struct, frozen=True, kw_only=True):
    """The data needed to remove an installed entry and restore the file.

    It is stored in the installation records, so the fields are a file format.
    """

    splice: TextSplice
    entry: object
    """The inserted entry, as plain data."""
    existed: bool = True
    """False if the file was created for the entry."""
    replaced: tuple[object, ...] = ()
    """The replaced entry of another program, or empty."""
    made: int = 0
    """The number of dictionaries and lists around the entry that were created for it."""
    directories: tuple[str, ...] = ()
    """Directories that were created for the file, the innermost first."""
    previous: tuple[Installation, ...] = ()
    """The records of the replaced entry, if it was one of Paddock's."""

    def inherit_cleanup(self, removed: UndoRecord) -> UndoRecord:
        """Return a copy of this record that also cleans up after another entry.

        Called if the other entry is removed first. The file, its directories and the dictionaries
        around the entry are still needed then, and have to be removed together with this entry.
        """
        return structs.replace(
            self,
            existed=self.existed and removed.existed,
            made=max(self.made, removed.made),
            directories=self.directories or removed.directories,
        )


@dataclass(frozen=True)
class EntryLocation:
    """The location of one entry: a client's file and the key of the entry in it."""

    client: Client
    file: Path
    key: str
    is_project: bool = False

    @property
    def path(self) -> tuple[str | NamedElementStep, ...]:
        """The path of the entry in the document."""
        return self.client.get_entry_path(self.key, self.file)

    def load_document(self, content: bytes | None) -> DocumentFile:
        """Parse the content of the configuration file; None for a file that does not exist.

        Raises:
            ConfigurationError: The content is not valid, so the client cannot parse it either.
        """
        client = self.client
        return load_document(
            content or b"", client.format, dialect=client.dialect, where=str(self.file)
        )

    def read_entry(self, content: bytes | None) -> object:
        """Return the entry as plain data, or `MISSING`."""
        return self.load_document(content).document.get(self.path)

    def read_entries(self, content: bytes | None) -> dict[str, object]:
        """Return the data of all server entries in the file's content, by key."""
        servers: object = self.load_document(content).document.get(
            self.client.get_servers_path(self.file)
        )
        if isinstance(servers, list):
            entries = (entry for entry in servers if isinstance(entry, dict) and "name" in entry)
            return {str(entry["name"]): entry for entry in entries}
        return dict(servers) if isinstance(servers, dict) else {}

    def insert(
        self,
        content: bytes | None,
        entry: object,
        *,
        is_own: bool = False,
        undo: UndoRecord | None = None,
    ) -> tuple[bytes, UndoRecord]:
        """Return the content of the file with an entry inserted or replaced, and an undo record.

        An existing entry of another program is stored in the record, and is restored when the new
        entry is removed. Nothing is written.

        Args:
            content: The content of the file; None if it does not exist.
            entry: The data of the new entry.
            is_own: True if the existing entry belongs to Paddock. It will not be restored.
            undo: The undo record of the existing entry, if there is one.
        """
        document_file = self.load_document(content)
        document = document_file.document
        old_entry = document.get(self.path)
        base: bytes | None = content
        replaced: tuple[object, ...] = () if old_entry is MISSING else (old_entry,)
        previous: tuple[Installation, ...] = ()
        if old_entry is not MISSING and is_own:
            # The record must restore the file as it was before Paddock's first entry.
            base, replaced = self.remove(content, undo), undo.replaced if undo else ()
            previous = undo.previous if undo else ()
        for path, value in self._get_defaults().items():
            if document.get(path) is MISSING:
                document = document.put(path, value)
        after = document_file.replace_document(document.put(self.path, entry)).to_bytes()
        return after, UndoRecord(
            splice=compute_splice(base or b"", after),
            entry=entry,
            existed=base is not None,
            replaced=replaced,
            made=self._count_missing_containers(base),
            directories=() if undo is None or base is not None else undo.directories,
            previous=previous,
        )

    def remove(self, content: bytes | None, undo: UndoRecord | None) -> bytes | None:
        """Return the content of the file without the entry, or None if the file is to be deleted.

        The inserted text is cut out if it can be identified, which restores the previous content.
        Otherwise, the entry is removed by the rules of the format, and whitespace can differ.

        Args:
            content: The content of the file; None if it does not exist.
            undo: The record of the insertion. Without it, only the entry is removed, and nothing
                is restored.
        """
        remaining = MISSING if undo is None else self.cut_out(content, undo)
        if remaining is not MISSING:
            return remaining
        document_file = self.load_document(content)
        document = self._remove_from_document(document_file.document, undo)
        after = document_file.replace_document(document).to_bytes()
        return after if undo is None else self._delete_if_empty(after, undo)

    def cut_out(self, content: bytes | None, undo: UndoRecord) -> bytes | MissingType | None:
        """Return the content of the file without the text that was inserted for the entry.

        This restores the user's formatting and comments.

        Returns:
            The remaining content, None if the file is to be deleted, or `MISSING` if the inserted
            text cannot be identified.
        """
        if content is None:
            return MISSING
        candidates = iterate_reverted_contents(undo.splice, content)
        if is_untouched(undo.splice, content):
            return self._delete_if_empty(next(candidates), undo)
        # The same text can occur elsewhere in the file. Therefore, a cut is only accepted if the
        # data is the same as after removing the entry by the rules of the format.
        expected = self._remove_from_document(self.load_document(content).document, undo)
        for candidate in candidates:
            if self._has_expected_data(candidate, expected):
                return self._delete_if_empty(candidate, undo)
        return MISSING

    def _delete_if_empty(self, content: bytes, undo: UndoRecord) -> bytes | None:
        """Return the content, or None if Paddock created the file and it has no user content."""
        is_deleted = not undo.existed and self._is_empty(self.load_document(content).document)
        return None if is_deleted else content

    def _remove_from_document(
        self, document: EditableDocument, undo: UndoRecord | None
    ) -> EditableDocument:
        """Remove the entry by the rules of the format, or put back the entry that it replaced."""
        if undo is not None and undo.replaced:
            return document.put(self.path, undo.replaced[0])
        return document.remove(self.path, prune=undo.made if undo else 0)

    def _has_expected_data(self, content: bytes, expected: EditableDocument) -> bool:
        """Return whether a content contains the expected data, with or without default settings.

        An insertion can add the client's default settings. Cutting out the inserted text removes
        them again; removing the entry by the rules of the format does not.
        """
        try:
            data = self.load_document(content).document.to_data()
        except ConfigurationError:
            return False
        data = self._replace_null_container(data)
        return is_same_data(data, expected.to_data()) or is_same_data(
            data, self._remove_defaults(expected).to_data()
        )

    def _replace_null_container(self, data: object) -> object:
        """Replace a null on the entry's path with an empty dictionary or list.

        An insertion treats null as an empty dictionary or list, so the content before the insertion
        can contain null where the compared data has an empty one.
        """
        for depth in range(1, len(self.path)):
            if find_value(data, self.path[:depth]) is None:
                empty: object = [] if isinstance(self.path[depth], NamedElementStep) else {}
                return put_value(data, self.path[:depth], empty)
        return data

    def _is_empty(self, document: EditableDocument) -> bool:
        """Return whether a document contains nothing except the client's defaults."""
        return self._remove_defaults(document).text.strip() in EMPTY_DOCUMENT_TEXTS

    def _remove_defaults(self, document: EditableDocument) -> EditableDocument:
        """Remove the client's default settings, unless the user has changed their values."""
        for path, value in self._get_defaults().items():
            if is_same_data(document.get(path), value):
                document = document.remove(path, prune=len(path))
        return document

    def _get_defaults(self) -> Mapping[tuple[str, ...], object]:
        client = self.client
        if self.is_project and client.project_defaults is not None:
            return client.project_defaults
        return client.defaults

    def _count_missing_containers(self, content: bytes | None) -> int:
        """Return the number of containers around the entry that insertion has to create."""
        document = self.load_document(content).document
        container_paths = (self.path[:length] for length in range(1, len(self.path)))
        return sum(document.get(path) is MISSING for path in container_paths)


class InsertedEntry(NamedTuple):
    """An entry that Paddock has inserted, and the record that reverts the insertion.

    Paddock's entries in one file form layers, because the text of an entry that was inserted later
    can enclose the text of an earlier one.
    """

    location: EntryLocation
    undo: UndoRecord
    installations: tuple[Installation, ...]
    """The installation records, one for each client that reads the entry."""


def reinsert_later_entries(
    content: bytes | None,
    first: InsertedEntry,
    later: list[InsertedEntry],
    new_data: object = MISSING,
) -> tuple[bytes | None, list[UndoRecord]] | None:
    """Return a file's content with an entry removed or replaced below later entries.

    An entry cannot be cut out while the text of entries that were inserted later encloses it.
    Therefore, all of them are cut out, the last one first, and the later ones are inserted again.

    Args:
        content: The content of the file.
        first: The entry to remove or replace.
        later: The entries that were inserted after it, in this order.
        new_data: The data that replaces the first entry; by default it is removed.

    Returns:
        The new content and the new undo records of the entries that were inserted again. None if
        the text of an entry cannot be identified.
    """
    insertions: list[tuple[EntryLocation, object]] = []
    for entry in [*reversed(later), first]:
        data = entry.location.read_entry(content)
        remaining = MISSING if data is MISSING else entry.location.cut_out(content, entry.undo)
        if remaining is MISSING:
            return None
        content = remaining
        insertions.insert(0, (entry.location, new_data if entry is first else data))
    undos: list[UndoRecord] = []
    for location, data in insertions:
        if data is not MISSING:
            content, undo = location.insert(content, data)
            undos.append(undo)
    if undos and not undos[0].existed:
        undos[0] = structs.replace(undos[0], directories=first.undo.directories)
    if new_data is not MISSING:
        undos[0] = structs.replace(undos[0], previous=first.undo.previous)
    return content, undos
