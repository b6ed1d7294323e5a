"""The definition files of a paclet.

An item is defined in its own file, `<Root>/Tools/NAME.wxf` or `.wl`, or in a combined file,
`<Root>/Tools.wxf` or `.wl`. The item's own file takes precedence even if it is broken. `.mx` files
have a closed format that only one kernel version can read. They are ignored if there are other
files; otherwise, they are an error.
"""

from __future__ import annotations

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
    describe_value,
    is_missing,
    to_key,
    to_table,
)
from paddock.wolfram.expressions import Node, has_any_head, has_head
from paddock.wolfram.literals import DataError, evaluate, iter_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from paddock.extensions.paclets.definition_source import DefinitionContent
    from paddock.extensions.paclets.files import ExtensionFiles
    from paddock.extensions.paclets.property_tables import PropertyDict
    from paddock.wolfram.expressions import Expression

MX_SUFFIX = ".mx"
PACLET_DEFINITION_SUFFIXES = (".wxf", ".wl", MX_SUFFIX)
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


class _ParsedFile(NamedTuple):
    """A definition file with its contents as data."""

    content: DefinitionContent
    data: object
    items: PropertyDict | None
    """The items by name, if this is a combined file that contains a table."""


_combined_files: ParseCache[_ParsedFile] = ParseCache()


class PacletDefinition(DefinitionFile, frozen=True, kw_only=True):
    """The definition of a tool, prompt or server in a file of a paclet (a Wolfram package)."""

    files: ExtensionFiles
    inner_path: str
    """The name of the file in the paclet."""
    paclet: str
    version: str | None
    description: str | None = None
    """The description from `PacletInfo`, used if the definition does not have one."""

    def read_properties(self) -> PropertyDict:
        """Return the properties as written, with functions as unevaluated expressions.

        Raises:
            LoadError: The file cannot be read, or does not define the item.
        """
        return self._read_item_properties()[0]

    def is_evaluated_on_load(self, key: str) -> bool:
        """Return whether a kernel would evaluate a property when it loads the file.

        It does so if the property is written with `->` rather than `:>`. Validation warns about
        code in such properties.

        Raises:
            LoadError: The file cannot be read.
        """
        definition: Expression | None = self._load_file().content.expression
        if self.is_combined:
            # A combined file has a rule `"name" -> definition` for each item.
            item_rule = _find_rule(definition, self.item)
            definition = None if item_rule is None else item_rule.args[1]
        property_rule = _find_rule(definition, key)
        return property_rule is not None and has_head(property_rule, "Rule")

    def load(self) -> object:
        """Return the item's properties, with its Wolfram functions as Python handlers.

        The result has the same keys as a definition in TOML, so that `make_tool`, `make_prompt` and
        `parse_definition` accept both.

        Raises:
            LoadError: The file cannot be read, or does not define the item.
            SpecificationError: A required property is missing or invalid.
        """
        table, where = self._read_item_properties()
        if self.description is not None and is_missing(table.get(_DESCRIPTION_KEY)):
            table = {**table, _DESCRIPTION_KEY: self.description}
        kind = self.kind.removesuffix("s")
        owner = FunctionOwner(self.paclet, kind, self.item, self.version, self.files)
        try:
            return _PROPERTY_MAKERS[self.kind](table, owner, where)
        except DataError as error:
            raise LoadError(error.message, where=where) from None

    def _read_item_properties(self) -> tuple[PropertyDict, str]:
        """Return the item's properties as written, and the location for errors.

        Raises:
            LoadError: The file cannot be read, or does not define the item.
        """
        content, value, items = self._load_file()
        if self.is_combined and (items is None or self.item not in items):
            raise self._make_definition_error(value if items is None else items, content)
        if items is not None:
            value = items[self.item]
        try:
            table = read_tool_table(value) if self.kind == "tools" else to_table(value)
        except DataError as error:
            raise LoadError(error.message, where=content.location) from None
        if table is None:
            raise self._make_definition_error(value, content)
        return table, content.location

    def _load_file(self) -> _ParsedFile:
        """Return the parsed file. Combined files are cached."""
        if not self.is_combined:
            return self._parse_file()
        return _combined_files.get_or_parse(
            str(self.path), self.files.get_backing_file(self.inner_path), self._parse_file
        )

    def _parse_file(self) -> _ParsedFile:
        """Read and parse the definition file, without using the cache.

        Raises:
            LoadError: The file cannot be read or parsed.
        """
        if self.path.suffix == MX_SUFFIX:
            raise _make_mx_error(self.path)
        data = self.files.read_file(self.inner_path, MAX_DEFINITION_BYTES)
        content = parse_content(data, self.path.suffix, str(self.path))
        value = content.to_data()
        return _ParsedFile(content, value, to_table(value) if self.is_combined else None)

    def _make_definition_error(self, value: object, content: DefinitionContent) -> LoadError:
        """Return the error for a file that does not define the item.

        Args:
            value: The data in the file, which the message describes.
            content: The parsed file, for the location.
        """
        item_kind = self.kind.removesuffix("s")
        expected = f'<| "{self.item}" -> <| … |>, … |>' if self.is_combined else "<| … |>"
        actual = describe_value(value)
        return LoadError(
            f"contains no definition of the {item_kind} {self.item!r}, but {actual}",
            where=content.location,
            hint=f"expected {expected}, as data: nothing is evaluated to read it",
        )


def _find_rule(expression: Expression | None, key: str) -> Node | None:
    """Return the rule `key -> value` or `key :> value` for a key, or None.

    Args:
        expression: An association, a list of rules, or an `LLMTool[…]` that contains one of these.
        key: The key.
    """
    while has_head(expression, LLM_TOOL_HEAD) and expression.args:
        expression = expression.args[0]
    if not has_any_head(expression, _TABLE_HEADS):
        return None
    rules = (rule for rule in iter_rules(expression.args) if has_any_head(rule, _RULE_HEADS))
    for rule in rules:
        if len(rule.args) == _PAIR_LENGTH and to_key(evaluate(rule.args[0])) == key:
            return rule
    return None


def _make_mx_error(path: Path) -> LoadError:
    """Return the error for an item that is only defined in an `.mx` file.

    Such a file is a memory dump in an undocumented format. The hint is a Wolfram command that the
    author can use to convert it.
    """
    return LoadError(
        "is in the closed .mx format, which only the Wolfram kernel that wrote it can read",
        where=str(path),
        hint=f"ask the paclet's author to add {path.stem}.wl or {path.stem}.wxf: "
        f'in a kernel, Export["{path.stem}.wxf", Get["{path.name}"]]',
    )
