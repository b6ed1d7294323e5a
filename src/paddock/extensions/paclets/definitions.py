"""Definition files of a paclet: which one holds an item, and what it holds.

An item has a file of its own, `<Root>/Tools/NAME.wxf` or `.wl`, or stands in a combined one,
`<Root>/Tools.wxf` or `.wl`. A file of its own wins even when it is broken. `.mx` files are in a
closed format of one version of one kernel: beside others they are passed over, alone they are an
error. What a definition means is left to `tools`, `prompts` and `servers`.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError
from paddock.extensions.definition_files import DefinitionFile
from paddock.extensions.paclets.info import LISTS
from paddock.extensions.paclets.owner import Owner
from paddock.extensions.paclets.prompts import prompt_properties
from paddock.extensions.paclets.servers import server_properties
from paddock.extensions.paclets.sources import MAX_BYTES, read_content
from paddock.extensions.paclets.tables import plain, table_of
from paddock.extensions.paclets.tools import tool_properties, tool_table
from paddock.extensions.properties import shown
from paddock.wolfram.data import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paddock.extensions.manifest import Kind
    from paddock.extensions.paclets.files import PacletFiles
    from paddock.extensions.paclets.sources import Content
    from paddock.extensions.paclets.tables import Table

ENDINGS = (".wxf", ".wl")
CLOSED = ".mx"
FOLDERS = {kind: folder for folder, kind in LISTS.items()}

_MAKE: dict[str, Callable[[Table, Owner, str], Mapping[str, object]]] = {
    "tools": tool_properties,
    "prompts": prompt_properties,
    "servers": server_properties,
}


class ItemFiles(NamedTuple):
    """All files that could define an item, by their names in the paclet, the first to count."""

    own: tuple[str, ...] = ()
    """Those of its own."""
    combined: tuple[str, ...] = ()
    """Those of all items of its kind."""

    @property
    def used(self) -> str | None:
        """The one that counts."""
        return next(iter(self.own or self.combined), None)

    @property
    def closed(self) -> tuple[str, ...]:
        """Those that cannot be read here."""
        return tuple(one for one in (*self.own, *self.combined) if one.endswith(CLOSED))


def find_files(files: PacletFiles, root: str, kind: Kind, item: str) -> ItemFiles:
    """The files that could define an item; none of them is read."""
    folder = FOLDERS.get(kind)
    if folder is None:
        return ItemFiles()
    base = PurePosixPath(root) / folder
    own = [f"{base / item}{ending}" for ending in (*ENDINGS, CLOSED)]
    combined = [f"{base}{ending}" for ending in (*ENDINGS, CLOSED)]
    return ItemFiles(tuple(filter(files.has, own)), tuple(filter(files.has, combined)))


def no_files(paclet: str, root: Path, kind: Kind, item: str) -> LoadError:
    """The complaint about an item that is declared and not defined."""
    folder = FOLDERS.get(kind, kind)
    return LoadError(
        f"the {kind.removesuffix('s')} '{paclet}/{item}' is declared and has no definition",
        where=str(root),
        hint=f"expected {root / folder / item}.wl, or .wxf",
    )


class PacletDefinition(DefinitionFile, frozen=True, kw_only=True):
    """The file of a paclet that holds the definition of an item."""

    files: PacletFiles
    inner: str
    """Its name in the paclet."""
    paclet: str
    version: str | None

    def content(self) -> Table:
        """The properties as they are written: keys as they are, functions as expressions.

        Raises:
            LoadError: when the file cannot be read, or does not hold the item.
        """
        return self._found()[0]

    def load(self) -> object:
        """The properties, ready to become a tool, a prompt or a server.

        Raises:
            LoadError: when the file cannot be read, or does not hold the item.
            SpecificationError: when it lacks what such an item needs.
        """
        table, where = self._found()
        kind = self.kind.removesuffix("s")
        owner = Owner(self.paclet, kind, self.item, self.version, self.files)
        try:
            return _MAKE[self.kind](table, owner, where)
        except DataError as error:
            raise LoadError(error.message, where=where) from None

    def _found(self) -> tuple[Table, str]:
        """The table, and where it stands."""
        suffix = self.path.suffix
        if suffix == CLOSED:
            raise _is_closed(self.path)
        content = read_content(self.files.read(self.inner, MAX_BYTES), suffix, str(self.path))
        value = content.value()
        if self.is_combined:
            items = table_of(value)
            if items is None or self.item not in items:
                raise self._refused(value if items is None else items, content)
            value = items[self.item]
        try:
            table = tool_table(value) if self.kind == "tools" else table_of(value)
        except DataError as error:
            raise LoadError(error.message, where=content.place) from None
        if table is None:
            raise self._refused(value, content)
        return table, content.place

    def _refused(self, value: object, content: Content) -> LoadError:
        word = self.kind.removesuffix("s")
        expected = f'<| "{self.item}" -> <| … |>, … |>' if self.is_combined else "<| … |>"
        return LoadError(
            f"holds no definition of the {word} {self.item!r}, but {shown(plain(value))}",
            where=content.place,
            hint=f"expected {expected}, written out: nothing is evaluated to read it",
        )


def _is_closed(path: Path) -> LoadError:
    return LoadError(
        "is in the closed .mx format, which only the Wolfram kernel that wrote it can read",
        where=str(path),
        hint=f"have the paclet's author put {path.stem}.wl or {path.stem}.wxf beside it: "
        f'in a kernel, Export["{path.stem}.wxf", Get["{path.name}"]]',
    )
