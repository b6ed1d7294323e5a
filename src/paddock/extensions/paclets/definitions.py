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
from paddock.extensions.definition_files import MAX_BYTES, DefinitionFile
from paddock.extensions.paclets.info import LISTS
from paddock.extensions.paclets.owner import Owner
from paddock.extensions.paclets.prompts import prompt_properties
from paddock.extensions.paclets.servers import server_properties
from paddock.extensions.paclets.sources import read_content
from paddock.extensions.paclets.tables import is_missing, key_of, plain, table_of
from paddock.extensions.paclets.tools import TOOL, tool_properties, tool_table
from paddock.extensions.parsed_files import ParsedFiles
from paddock.extensions.properties import shown
from paddock.wolfram.data import DataError, evaluate, flat_rules
from paddock.wolfram.expressions import Node, has_head

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paddock.extensions.manifest import Kind
    from paddock.extensions.paclets.files import PacletFiles
    from paddock.extensions.paclets.sources import Content
    from paddock.extensions.paclets.tables import Table
    from paddock.wolfram.expressions import Expression

    _Read = tuple[Content, object, Table | None]

ENDINGS = (".wxf", ".wl")
CLOSED = ".mx"
_DESCRIPTION = "Description"
_TABLES = ("Association", "List")
_RULES = ("Rule", "RuleDelayed")
_PAIR = 2
FOLDERS = {kind: folder for folder, kind in LISTS.items()}

_MAKE: dict[str, Callable[[Table, Owner, str], Mapping[str, object]]] = {
    "tools": tool_properties,
    "prompts": prompt_properties,
    "servers": server_properties,
}


_combined: ParsedFiles[_Read] = ParsedFiles()


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
    description: str | None = None
    """What the paclet declares it with, for a definition that has none."""

    def content(self) -> Table:
        """The properties as they are written: keys as they are, functions as expressions.

        Raises:
            LoadError: when the file cannot be read, or does not hold the item.
        """
        return self._found()[0]

    def is_immediate(self, key: str) -> bool:
        """Whether a property is written with `->`, so that a kernel works it out on loading.

        Raises:
            LoadError: when the file cannot be read.
        """
        content, _, _ = self._kept()
        expression: Expression | None = content.expression
        if self.is_combined:
            rule = _rule_for(expression, self.item)
            expression = None if rule is None else rule.args[1]
        rule = _rule_for(expression, key)
        return rule is not None and has_head(rule, "Rule")

    def load(self) -> object:
        """The properties, ready to become a tool, a prompt or a server.

        Raises:
            LoadError: when the file cannot be read, or does not hold the item.
            SpecificationError: when it lacks what such an item needs.
        """
        table, where = self._found()
        if self.description is not None and is_missing(table.get(_DESCRIPTION)):
            table = {**table, _DESCRIPTION: self.description}
        kind = self.kind.removesuffix("s")
        owner = Owner(self.paclet, kind, self.item, self.version, self.files)
        try:
            return _MAKE[self.kind](table, owner, where)
        except DataError as error:
            raise LoadError(error.message, where=where) from None

    def _found(self) -> tuple[Table, str]:
        """The table, and where it stands."""
        content, value, items = self._kept()
        if self.is_combined:
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

    def _kept(self) -> _Read:
        """What the file holds; one that defines several items is read once."""
        if not self.is_combined:
            return self._read()
        return _combined.get(str(self.path), self.files.file(self.inner), self._read)

    def _read(self) -> _Read:
        """What the file holds: with its source, as data, and as a table of items if it is one."""
        if self.path.suffix == CLOSED:
            raise _is_closed(self.path)
        data = self.files.read(self.inner, MAX_BYTES)
        content = read_content(data, self.path.suffix, str(self.path))
        value = content.value()
        return content, value, table_of(value) if self.is_combined else None

    def _refused(self, value: object, content: Content) -> LoadError:
        word = self.kind.removesuffix("s")
        expected = f'<| "{self.item}" -> <| … |>, … |>' if self.is_combined else "<| … |>"
        return LoadError(
            f"holds no definition of the {word} {self.item!r}, but {shown(plain(value))}",
            where=content.place,
            hint=f"expected {expected}, written out: nothing is evaluated to read it",
        )


def _rule_for(expression: Expression | None, key: str) -> Node | None:
    """The rule for a key in an association, a list of rules, or a tool that is made of one."""
    while isinstance(expression, Node) and has_head(expression, TOOL) and expression.args:
        expression = expression.args[0]
    if not isinstance(expression, Node) or not any(has_head(expression, one) for one in _TABLES):
        return None
    rules = (one for one in flat_rules(expression.args) if isinstance(one, Node))
    return next((one for one in rules if _is_rule(one) and _key(one) == key), None)


def _is_rule(node: Node) -> bool:
    return len(node.args) == _PAIR and any(has_head(node, head) for head in _RULES)


def _key(rule: Node) -> str | None:
    return key_of(evaluate(rule.args[0]))


def _is_closed(path: Path) -> LoadError:
    return LoadError(
        "is in the closed .mx format, which only the Wolfram kernel that wrote it can read",
        where=str(path),
        hint=f"have the paclet's author put {path.stem}.wl or {path.stem}.wxf beside it: "
        f'in a kernel, Export["{path.stem}.wxf", Get["{path.name}"]]',
    )
