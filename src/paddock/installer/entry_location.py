"""An entry in the content of a client's file: put in, and taken out again.

Everything here is a function of bytes; files are read and written by `applying`. What is needed to
take an entry out again, so that the file is byte for byte as it was, is remembered as an `Undo`.
While nobody has changed the text that was put in, it is cut out as text; after that the entry is
removed as the format has it, and whatever stood in its place is put back.

One change of a file as bytes, which can be taken back later.

A splice says where a file was changed, what went and what came. Taking it back is certain while the
file is as the change left it, and otherwise a matter of finding what came: `taken_back` gives what
the file may have to be, the likeliest first, and the caller, who understands the format, says which
of them is right.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from paddock.installer.client_app import Client
from paddock.installer.config_files.data_changes import find_value, is_same_data, put_value
from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    DocumentFile,
    NamedElementStep,
    load_document,
)
from paddock.named_servers.installations import Installation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paddock.installer.config_files.document import EditableDocument


CONTEXT_BYTES = 60
"""How many bytes on each side tell one place from others with the same text."""


class TextSplice(Struct, frozen=True, kw_only=True):
    """What one change did to the bytes of a file."""

    start: int
    removed: bytes
    added: bytes
    left: bytes
    """What stood before the place, up to `CONTEXT` bytes."""
    right: bytes
    digest: str
    """Of the whole content after the change."""


def compute_splice(before: bytes, after: bytes) -> TextSplice:
    """The smallest single change that leads from one content to another.

    Where several places would do, it begins at the start of a line: what a person adds next to it
    then stays out of it.
    """
    start = _measure_common_prefix(before, after)
    shorter = min(len(before), len(after)) - start
    end = min(_measure_common_prefix(before[::-1], after[::-1]), shorter)
    if start + end == len(before) and after[start : start + 1] != b",":
        start, end = _align_to_line_start(before, after, start, end)
    removed = before[start : len(before) - end]
    added = after[start : len(after) - end]
    return TextSplice(
        start=start,
        removed=removed,
        added=added,
        left=before[max(0, start - CONTEXT_BYTES) : start],
        right=before[len(before) - end :][:CONTEXT_BYTES],
        digest=compute_digest(after),
    )


def is_untouched(splice: TextSplice, now: bytes) -> bool:
    """Whether a file is still as the change left it."""
    return compute_digest(now) == splice.digest


def iterate_reverted_contents(splice: TextSplice, now: bytes) -> Iterator[bytes]:
    """What a file may be without the change, the likeliest first; certain if it is untouched."""
    if is_untouched(splice, now):
        yield _revert_at(splice, now, splice.start)
        return
    for left, right in ((splice.left, splice.right), (splice.left, b""), (b"", splice.right)):
        place = _find_unique(now, left + splice.added + right)
        if place is not None and (splice.added or (left and right)):
            yield _revert_at(splice, now, place + len(left))
    place = _find_unique(now, splice.added)
    if place is not None:
        yield _revert_at(splice, now, place)


def compute_digest(content: bytes) -> str:
    """What tells this content from any other."""
    return hashlib.sha256(content).hexdigest()


def _revert_at(splice: TextSplice, now: bytes, start: int) -> bytes:
    return now[:start] + splice.removed + now[start + len(splice.added) :]


def _find_unique(text: bytes, pattern: bytes) -> int | None:
    """Where a pattern stands, if it does so once."""
    first = text.find(pattern) if pattern else -1
    if first < 0 or text.find(pattern, first + 1) >= 0:
        return None
    return first


def _measure_common_prefix(one: bytes, other: bytes) -> int:
    """The length of what two texts begin with alike, found by halving: files may be large."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _align_to_line_start(before: bytes, after: bytes, start: int, end: int) -> tuple[int, int]:
    """Slide an insertion to the left, as long as the result is the same, to the start of a line."""
    place, rest = start, end
    while place > 0 and before[place - 1 : place] != b"\n":
        if after[place - 1] != after[len(after) - rest - 1]:
            return start, end
        place, rest = place - 1, rest + 1
    return place, rest


EMPTY_DOCUMENT_TEXTS = frozenset({"", "{}", "[]"})


class UndoRecord(Struct, frozen=True, kw_only=True):
    """What is needed to take an entry out again."""

    splice: TextSplice
    entry: object
    """What we wrote, as plain data."""
    existed: bool = True
    """Whether there was a file."""
    replaced: tuple[object, ...] = ()
    """The entry that stood in this place and was not ours, if there was one."""
    made: int = 0
    """How many containers around the entry are ours."""
    directories: tuple[str, ...] = ()
    """Directories that were made for the file, the innermost first."""
    previous: tuple[Installation, ...] = ()
    """The records of the entry that was replaced, where it was one of ours."""


@dataclass(frozen=True)
class EntryLocation:
    """The place of one entry in one file of a client."""

    client: Client
    file: Path
    key: str
    is_project: bool = False

    def load_document(self, content: bytes | None) -> DocumentFile:
        """The file as a document; one that does not exist is empty.

        Raises:
            ConfigurationError: when the client could not read it either.
        """
        client = self.client
        where = str(self.file)
        return load_document(content or b"", client.format, dialect=client.dialect, where=where)

    def read_entry(self, content: bytes | None) -> object:
        """What stands there, as plain data, or `MISSING`."""
        return self.load_document(content).document.get(self.path)

    def read_entries(self, content: bytes | None) -> dict[str, object]:
        """All entries of the file, by key."""
        servers: object = self.load_document(content).document.get(
            self.client.get_servers_path(self.file)
        )
        if isinstance(servers, list):
            named = (one for one in servers if isinstance(one, dict))
            return {str(one["name"]): one for one in named if "name" in one}
        return dict(servers) if isinstance(servers, dict) else {}

    def insert(
        self,
        now: bytes | None,
        entry: object,
        *,
        is_ours: bool = False,
        undo: UndoRecord | None = None,
    ) -> tuple[bytes, UndoRecord]:
        """The file with an entry, and how to take it out.

        An older entry of ours in this place leaves nothing behind when the new one is taken out;
        any other is put back then.
        """
        opened = self.load_document(now)
        document = opened.document
        old = document.get(self.path)
        base: bytes | None = now
        replaced: tuple[object, ...] = () if old is MISSING else (old,)
        previous: tuple[Installation, ...] = ()
        if old is not MISSING and is_ours:
            base, replaced = self.remove(now, undo), undo.replaced if undo else ()
            previous = undo.previous if undo else ()
        for path, value in self._get_defaults().items():
            if document.get(path) is MISSING:
                document = document.put(path, value)
        after = opened.replace_document(document.put(self.path, entry)).to_bytes()
        return after, UndoRecord(
            splice=compute_splice(base or b"", after),
            entry=entry,
            existed=base is not None,
            replaced=replaced,
            made=self._count_missing_containers(base),
            directories=() if undo is None or base is not None else undo.directories,
            previous=previous,
        )

    def remove(self, now: bytes | None, undo: UndoRecord | None) -> bytes | None:
        """The file without the entry; None when there shall be no file.

        Without `undo` the entry goes, and nothing else.
        """
        cut = None if undo is None else self.cut(now, undo)
        if cut is not None:
            return cut.content
        opened = self.load_document(now)
        left = opened.replace_document(self._remove_from_document(opened.document, undo))
        return (
            left.to_bytes()
            if undo is None
            else self._build_remainder(left.to_bytes(), undo).content
        )

    def cut(self, now: bytes | None, undo: UndoRecord) -> RemainingContent | None:
        """The file without the text that was put in; None where that text cannot be told."""
        if now is None:
            return None
        if is_untouched(undo.splice, now):
            return self._build_remainder(next(iterate_reverted_contents(undo.splice, now)), undo)
        document = self.load_document(now).document
        wanted = self._remove_from_document(document, undo)
        for content in iterate_reverted_contents(undo.splice, now):
            if self._has_same_data(content, wanted):
                return self._build_remainder(content, undo)
        return None

    def _build_remainder(self, content: bytes, undo: UndoRecord) -> RemainingContent:
        """What is left of a file; nothing where it was made for us and holds nothing else."""
        is_ours = not undo.existed and self._is_empty(self.load_document(content).document)
        return RemainingContent(None if is_ours else content)

    @property
    def path(self) -> tuple[str | NamedElementStep, ...]:
        """The keys that lead to the entry."""
        return self.client.get_entry_path(self.key, self.file)

    def _remove_from_document(
        self, document: EditableDocument, undo: UndoRecord | None
    ) -> EditableDocument:
        if undo is not None and undo.replaced:
            return document.put(self.path, undo.replaced[0])
        return document.remove(self.path, prune=undo.made if undo else 0)

    def _has_same_data(self, content: bytes, wanted: EditableDocument) -> bool:
        """Whether content is what a document says, or that without what we put in besides."""
        try:
            found = self.load_document(content).document.to_data()
        except ConfigurationError:
            return False
        found = self._replace_null_container(found)
        return is_same_data(found, wanted.to_data()) or is_same_data(
            found, self._remove_defaults(wanted).to_data()
        )

    def _replace_null_container(self, data: object) -> object:
        """Data with an empty container where a null stands in its place."""
        for depth in range(1, len(self.path)):
            if find_value(data, self.path[:depth]) is None:
                empty: object = [] if isinstance(self.path[depth], NamedElementStep) else {}
                return put_value(data, self.path[:depth], empty)
        return data

    def _is_empty(self, document: EditableDocument) -> bool:
        """Whether a document holds nothing but what we put in besides the entry."""
        return self._remove_defaults(document).text.strip() in EMPTY_DOCUMENT_TEXTS

    def _remove_defaults(self, document: EditableDocument) -> EditableDocument:
        """A document without what its client needs besides the servers."""
        for path, value in self._get_defaults().items():
            if is_same_data(document.get(path), value):
                document = document.remove(path, prune=len(path))
        return document

    def _get_defaults(self) -> Mapping[tuple[str, ...], object]:
        client = self.client
        if self.is_project and client.project_defaults is not None:
            return client.project_defaults
        return client.defaults

    def _count_missing_containers(self, base: bytes | None) -> int:
        document = self.load_document(base).document
        inner = (self.path[:length] for length in range(1, len(self.path)))
        return sum(document.get(path) is MISSING for path in inner)


@dataclass(frozen=True)
class RemainingContent:
    """What is left of a file after text was cut out of it; None when there shall be no file."""

    content: bytes | None


def reinsert_later_entries(
    now: bytes | None,
    first: tuple[EntryLocation, UndoRecord],
    later: list[tuple[EntryLocation, UndoRecord]],
    value: object = MISSING,
) -> tuple[bytes | None, list[UndoRecord]] | None:
    """Take out an entry around which later ones of ours were put in, as if it had never been there.

    The later ones come out in turn, the last first, and are put in again. With a value the entry
    is put in anew before them. None where that is not possible without guessing.
    """
    content = now
    values = []
    for spot, undo in [*reversed(later), first]:
        values.append(spot.read_entry(content))
        cut = None if values[-1] is MISSING else spot.cut(content, undo)
        if cut is None:
            return None
        content = cut.content
    again = [spot for spot, _ in later]
    wanted = list(reversed(values[:-1]))
    if value is not MISSING:
        again, wanted = [first[0], *again], [value, *wanted]
    undos: list[UndoRecord] = []
    for spot, one in zip(again, wanted, strict=True):
        content, undo = spot.insert(content, one)
        undos.append(undo)
    if undos and not undos[0].existed:
        undos[0] = structs.replace(undos[0], directories=first[1].directories)
    if value is not MISSING:
        undos[0] = structs.replace(undos[0], previous=first[1].previous)
    return content, undos
