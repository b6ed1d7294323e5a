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
from paddock.extensions.definition_files import MAX_DEFINITION_BYTES, DefinitionFile, ParseCache
from paddock.extensions.paclets.definition_source import parse_content
from paddock.extensions.paclets.function_owner import FunctionOwner
from paddock.extensions.paclets.info import ITEM_LISTS
from paddock.extensions.paclets.item_definitions import (
    LLM_TOOL_HEAD,
    make_prompt_properties,
    make_server_properties,
    make_tool_properties,
    read_tool_table,
)
from paddock.extensions.paclets.property_tables import (
    is_missing,
    to_key,
    to_plain_data,
    to_table,
)
from paddock.extensions.properties import shorten_repr
from paddock.wolfram.expressions import Node, has_head
from paddock.wolfram.literals import DataError, evaluate, iter_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paddock.extensions.manifest import ItemKind
    from paddock.extensions.paclets.definition_source import DefinitionContent
    from paddock.extensions.paclets.files import PacletFiles
    from paddock.extensions.paclets.property_tables import PropertyDict
    from paddock.wolfram.expressions import Expression

    _ParsedFile = tuple[DefinitionContent, object, PropertyDict | None]

PACLET_DEFINITION_SUFFIXES = (".wxf", ".wl")
MX_SUFFIX = ".mx"
_DESCRIPTION_KEY = "Description"
_TABLE_HEADS = ("Association", "List")
_RULE_HEADS = ("Rule", "RuleDelayed")
_PAIR_LENGTH = 2
DEFINITION_FOLDERS = {kind: folder for folder, kind in ITEM_LISTS.items()}

_PROPERTY_MAKERS: dict[str, Callable[[PropertyDict, FunctionOwner, str], Mapping[str, object]]] = {
    "tools": make_tool_properties,
    "prompts": make_prompt_properties,
    "servers": make_server_properties,
}


_combined_files: ParseCache[_ParsedFile] = ParseCache()


class PacletItemFiles(NamedTuple):
    """All files that could define an item, by their names in the paclet, the first to count."""

    own: tuple[str, ...] = ()
    """Those of its own."""
    combined: tuple[str, ...] = ()
    """Those of all items of its kind."""

    @property
    def selected_file(self) -> str | None:
        """The one that counts."""
        return next(iter(self.own or self.combined), None)

    @property
    def mx_files(self) -> tuple[str, ...]:
        """Those that cannot be read here."""
        return tuple(one for one in (*self.own, *self.combined) if one.endswith(MX_SUFFIX))


def find_item_files(files: PacletFiles, root: str, kind: ItemKind, item: str) -> PacletItemFiles:
    """The files that could define an item; none of them is read."""
    folder = DEFINITION_FOLDERS.get(kind)
    if folder is None:
        return PacletItemFiles()
    base = PurePosixPath(root) / folder
    own = [f"{base / item}{ending}" for ending in (*PACLET_DEFINITION_SUFFIXES, MX_SUFFIX)]
    combined = [f"{base}{ending}" for ending in (*PACLET_DEFINITION_SUFFIXES, MX_SUFFIX)]
    return PacletItemFiles(
        tuple(filter(files.has_file, own)), tuple(filter(files.has_file, combined))
    )


def make_missing_files_error(paclet: str, root: Path, kind: ItemKind, item: str) -> LoadError:
    """The complaint about an item that is declared and not defined."""
    folder = DEFINITION_FOLDERS.get(kind, kind)
    return LoadError(
        f"the {kind.removesuffix('s')} '{paclet}/{item}' is declared and has no definition",
        where=str(root),
        hint=f"expected {root / folder / item}.wl, or .wxf",
    )


class PacletDefinition(DefinitionFile, frozen=True, kw_only=True):
    """The file of a paclet that holds the definition of an item."""

    files: PacletFiles
    inner_path: str
    """Its name in the paclet."""
    paclet: str
    version: str | None
    description: str | None = None
    """What the paclet declares it with, for a definition that has none."""

    def read_properties(self) -> PropertyDict:
        """The properties as they are written: keys as they are, functions as expressions.

        Raises:
            LoadError: when the file cannot be read, or does not hold the item.
        """
        return self._read_item_table()[0]

    def is_immediate(self, key: str) -> bool:
        """Whether a property is written with `->`, so that a kernel works it out on loading.

        Raises:
            LoadError: when the file cannot be read.
        """
        content, _, _ = self._load_file()
        expression: Expression | None = content.expression
        if self.is_combined:
            rule = _find_rule(expression, self.item)
            expression = None if rule is None else rule.args[1]
        rule = _find_rule(expression, key)
        return rule is not None and has_head(rule, "Rule")

    def load(self) -> object:
        """The properties, ready to become a tool, a prompt or a server.

        Raises:
            LoadError: when the file cannot be read, or does not hold the item.
            SpecificationError: when it lacks what such an item needs.
        """
        table, where = self._read_item_table()
        if self.description is not None and is_missing(table.get(_DESCRIPTION_KEY)):
            table = {**table, _DESCRIPTION_KEY: self.description}
        kind = self.kind.removesuffix("s")
        owner = FunctionOwner(self.paclet, kind, self.item, self.version, self.files)
        try:
            return _PROPERTY_MAKERS[self.kind](table, owner, where)
        except DataError as error:
            raise LoadError(error.message, where=where) from None

    def _read_item_table(self) -> tuple[PropertyDict, str]:
        """The table, and where it stands."""
        content, value, items = self._load_file()
        if self.is_combined:
            if items is None or self.item not in items:
                raise self._make_definition_error(value if items is None else items, content)
            value = items[self.item]
        try:
            table = read_tool_table(value) if self.kind == "tools" else to_table(value)
        except DataError as error:
            raise LoadError(error.message, where=content.location) from None
        if table is None:
            raise self._make_definition_error(value, content)
        return table, content.location

    def _load_file(self) -> _ParsedFile:
        """What the file holds; one that defines several items is read once."""
        if not self.is_combined:
            return self._parse_file()
        return _combined_files.get_or_parse(
            str(self.path), self.files.get_backing_file(self.inner_path), self._parse_file
        )

    def _parse_file(self) -> _ParsedFile:
        """What the file holds: with its source, as data, and as a table of items if it is one."""
        if self.path.suffix == MX_SUFFIX:
            raise _make_mx_error(self.path)
        data = self.files.read_file(self.inner_path, MAX_DEFINITION_BYTES)
        content = parse_content(data, self.path.suffix, str(self.path))
        value = content.to_data()
        return content, value, to_table(value) if self.is_combined else None

    def _make_definition_error(self, value: object, content: DefinitionContent) -> LoadError:
        word = self.kind.removesuffix("s")
        expected = f'<| "{self.item}" -> <| … |>, … |>' if self.is_combined else "<| … |>"
        return LoadError(
            f"holds no definition of the {word} {self.item!r}, but {shorten_repr(to_plain_data(value))}",
            where=content.location,
            hint=f"expected {expected}, written out: nothing is evaluated to read it",
        )


def _find_rule(expression: Expression | None, key: str) -> Node | None:
    """The rule for a key in an association, a list of rules, or a tool that is made of one."""
    while isinstance(expression, Node) and has_head(expression, LLM_TOOL_HEAD) and expression.args:
        expression = expression.args[0]
    if not isinstance(expression, Node) or not any(
        has_head(expression, one) for one in _TABLE_HEADS
    ):
        return None
    rules = (one for one in iter_rules(expression.args) if isinstance(one, Node))
    return next((one for one in rules if _is_rule(one) and _get_rule_key(one) == key), None)


def _is_rule(node: Node) -> bool:
    return len(node.args) == _PAIR_LENGTH and any(has_head(node, head) for head in _RULE_HEADS)


def _get_rule_key(rule: Node) -> str | None:
    return to_key(evaluate(rule.args[0]))


def _make_mx_error(path: Path) -> LoadError:
    return LoadError(
        "is in the closed .mx format, which only the Wolfram kernel that wrote it can read",
        where=str(path),
        hint=f"have the paclet's author put {path.stem}.wl or {path.stem}.wxf beside it: "
        f'in a kernel, Export["{path.stem}.wxf", Get["{path.name}"]]',
    )
