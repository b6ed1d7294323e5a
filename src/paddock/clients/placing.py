"""An entry in the content of a client's file: put in, and taken out again.

Everything here is a function of bytes; files are read and written by `applying`. What is needed to
take an entry out again, so that the file is byte for byte as it was, is remembered as an `Undo`.
While nobody has changed the text that was put in, it is cut out as text; after that the entry is
removed as the format has it, and whatever stood in its place is put back.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from paddock.clients.client import Client
from paddock.clients.editing.document import MISSING, ByName, ConfigurationError
from paddock.clients.editing.opening import OpenDocument, open_document
from paddock.clients.editing.plain_data import find, same, with_value
from paddock.clients.splice import Splice, is_untouched, splice_between, taken_back
from paddock.servers.installations import Installation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.clients.editing.document import Document

NOTHING_LEFT = frozenset({"", "{}", "[]"})


class Undo(Struct, frozen=True, kw_only=True):
    """What is needed to take an entry out again."""

    splice: Splice
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
class Spot:
    """The place of one entry in one file of a client."""

    client: Client
    file: Path
    key: str
    is_project: bool = False

    def opened(self, content: bytes | None) -> OpenDocument:
        """The file as a document; one that does not exist is empty.

        Raises:
            ConfigurationError: when the client could not read it either.
        """
        client = self.client
        where = str(self.file)
        return open_document(content or b"", client.format, dialect=client.dialect, where=where)

    def entry_in(self, content: bytes | None) -> object:
        """What stands there, as plain data, or `MISSING`."""
        return self.opened(content).document.get(self.path)

    def entries_in(self, content: bytes | None) -> dict[str, object]:
        """All entries of the file, by key."""
        servers: object = self.opened(content).document.get(self.client.servers_path(self.file))
        if isinstance(servers, list):
            named = (one for one in servers if isinstance(one, dict))
            return {str(one["name"]): one for one in named if "name" in one}
        return dict(servers) if isinstance(servers, dict) else {}

    def put_in(
        self, now: bytes | None, entry: object, *, is_ours: bool = False, undo: Undo | None = None
    ) -> tuple[bytes, Undo]:
        """The file with an entry, and how to take it out.

        An older entry of ours in this place leaves nothing behind when the new one is taken out;
        any other is put back then.
        """
        opened = self.opened(now)
        document = opened.document
        old = document.get(self.path)
        base: bytes | None = now
        replaced: tuple[object, ...] = () if old is MISSING else (old,)
        previous: tuple[Installation, ...] = ()
        if old is not MISSING and is_ours:
            base, replaced = self.take_out(now, undo), undo.replaced if undo else ()
            previous = undo.previous if undo else ()
        for path, value in self._defaults().items():
            if document.get(path) is MISSING:
                document = document.put(path, value)
        after = opened.with_document(document.put(self.path, entry)).bytes()
        return after, Undo(
            splice=splice_between(base or b"", after),
            entry=entry,
            existed=base is not None,
            replaced=replaced,
            made=self._missing_containers(base),
            directories=() if undo is None or base is not None else undo.directories,
            previous=previous,
        )

    def take_out(self, now: bytes | None, undo: Undo | None) -> bytes | None:
        """The file without the entry; None when there shall be no file.

        Without `undo` the entry goes, and nothing else.
        """
        cut = None if undo is None else self.cut_out(now, undo)
        if cut is not None:
            return cut.content
        opened = self.opened(now)
        left = opened.with_document(self._removed(opened.document, undo))
        return left.bytes() if undo is None else self._left(left.bytes(), undo).content

    def cut_out(self, now: bytes | None, undo: Undo) -> Cut | None:
        """The file without the text that was put in; None where that text cannot be told."""
        if now is None:
            return None
        if is_untouched(undo.splice, now):
            return self._left(next(taken_back(undo.splice, now)), undo)
        document = self.opened(now).document
        wanted = self._removed(document, undo)
        for content in taken_back(undo.splice, now):
            if self._says(content, wanted):
                return self._left(content, undo)
        return None

    def _left(self, content: bytes, undo: Undo) -> Cut:
        """What is left of a file; nothing where it was made for us and holds nothing else."""
        is_ours = not undo.existed and self._is_nothing(self.opened(content).document)
        return Cut(None if is_ours else content)

    @property
    def path(self) -> tuple[str | ByName, ...]:
        """The keys that lead to the entry."""
        return self.client.entry_path(self.key, self.file)

    def _removed(self, document: Document, undo: Undo | None) -> Document:
        if undo is not None and undo.replaced:
            return document.put(self.path, undo.replaced[0])
        return document.remove(self.path, prune=undo.made if undo else 0)

    def _says(self, content: bytes, wanted: Document) -> bool:
        """Whether content is what a document says, or that without what we put in besides."""
        try:
            found = self.opened(content).document.data()
        except ConfigurationError:
            return False
        found = self._without_null(found)
        return same(found, wanted.data()) or same(found, self._bare(wanted).data())

    def _without_null(self, data: object) -> object:
        """Data with an empty container where a null stands in its place."""
        for depth in range(1, len(self.path)):
            if find(data, self.path[:depth]) is None:
                empty: object = [] if isinstance(self.path[depth], ByName) else {}
                return with_value(data, self.path[:depth], empty)
        return data

    def _is_nothing(self, document: Document) -> bool:
        """Whether a document holds nothing but what we put in besides the entry."""
        return self._bare(document).text.strip() in NOTHING_LEFT

    def _bare(self, document: Document) -> Document:
        """A document without what its client needs besides the servers."""
        for path, value in self._defaults().items():
            if same(document.get(path), value):
                document = document.remove(path, prune=len(path))
        return document

    def _defaults(self) -> Mapping[tuple[str, ...], object]:
        client = self.client
        if self.is_project and client.project_defaults is not None:
            return client.project_defaults
        return client.defaults

    def _missing_containers(self, base: bytes | None) -> int:
        document = self.opened(base).document
        inner = (self.path[:length] for length in range(1, len(self.path)))
        return sum(document.get(path) is MISSING for path in inner)


@dataclass(frozen=True)
class Cut:
    """What is left of a file after text was cut out of it; None when there shall be no file."""

    content: bytes | None


def unwound(
    now: bytes | None,
    first: tuple[Spot, Undo],
    later: list[tuple[Spot, Undo]],
    value: object = MISSING,
) -> tuple[bytes | None, list[Undo]] | None:
    """Take out an entry around which later ones of ours were put in, as if it had never been there.

    The later ones come out in turn, the last first, and are put in again. With a value the entry
    is put in anew before them. None where that is not possible without guessing.
    """
    content = now
    values = []
    for spot, undo in [*reversed(later), first]:
        values.append(spot.entry_in(content))
        cut = None if values[-1] is MISSING else spot.cut_out(content, undo)
        if cut is None:
            return None
        content = cut.content
    again = [spot for spot, _ in later]
    wanted = list(reversed(values[:-1]))
    if value is not MISSING:
        again, wanted = [first[0], *again], [value, *wanted]
    undos: list[Undo] = []
    for spot, one in zip(again, wanted, strict=True):
        content, undo = spot.put_in(content, one)
        undos.append(undo)
    if undos and not undos[0].existed:
        undos[0] = structs.replace(undos[0], directories=first[1].directories)
    if value is not MISSING:
        undos[0] = structs.replace(undos[0], previous=first[1].previous)
    return content, undos
