"""Parses YAML text into a tree of nodes and their positions in the text.

The tree is built from ruamel.yaml's events and tokens, because its nodes lack the positions of
aliases, empty values and dashes, and its collections end where the next node begins. Plain scalars
are resolved by the core schema of YAML 1.2.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML, events
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.reader import ReaderError
from ruamel.yaml.tokens import BlockEntryToken, ValueToken

from paddock.authoring.yaml_scalars import parse_scalar
from paddock.installer.config_files.data_changes import FIX_BY_HAND_HINT
from paddock.installer.config_files.document import ConfigurationError, format_location
from paddock.installer.config_files.line_edits import find_line_start

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_NODE_VALUES = 1_000_000
"""The maximum number of values after alias expansion, which can multiply a few lines endlessly."""

_TRIVIA = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BLANK = re.compile(r"[ \t\r\n]")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_BLOCK_HEAD = re.compile(r"(?:^|\s)[|>]([0-9+-]*)")


@dataclass
class YamlNode:
    """A value in the text of a YAML file: a scalar, an alias `*name`, a mapping or a list.

    Collections are mappings and lists. A flow collection is written in brackets, and a block
    collection on indented lines. Positions are offsets of characters.
    """

    kind: str
    """`scalar`, `alias`, `mapping` or `sequence`."""
    start: int
    """The offset of its first character, including anchor and tag."""
    end: int = 0
    """The offset just after its last member, excluding comments that follow."""
    text: str = ""
    """The value of a scalar, or the name of an alias."""
    style: str | None = None
    """The quotation mark of a scalar, or `|` or `>` for a block scalar."""
    anchor: str | None = None
    tag: str | None = None
    is_flow: bool = False
    """True for a flow collection."""
    bracket: int | None = None
    """The offset of the opening bracket. None for a block collection, and for a single pair in a
    flow list, which YAML allows without brackets."""
    keeps_line_ends: bool = False
    """True for a block scalar with `+`, which includes all line endings after it."""
    strips_line_ends: bool = False
    """True for a block scalar with `-`, which does not include any line ending after it."""
    column: int = 0
    """The column of a block collection's keys or dashes."""
    members: list[YamlMember] = field(default_factory=list)
    data: Any = None
    """The value as plain data."""
    value_count: int = 1
    """The number of values in the data, with aliases expanded."""

    @property
    def is_block(self) -> bool:
        """True for a block collection."""
        return self.kind in ("mapping", "sequence") and not self.is_flow

    @property
    def is_null(self) -> bool:
        """True for null in any notation, including an empty value."""
        return self.kind == "scalar" and self.data is None and self.tag is None


@dataclass
class YamlMember:
    """The position of a key and its value in a mapping, or of a list element."""

    value: YamlNode
    indicator: int | None
    """The offset after the colon or dash before the value; members of flow lists have none."""
    key: YamlNode | None = None

    @property
    def start(self) -> int:
        """The offset of the key, the dash, or the value."""
        if self.key is not None:
            return self.key.start
        return self.value.start if self.indicator is None else self.indicator - 1

    @property
    def end(self) -> int:
        """The offset just after the value, excluding comments that follow."""
        return max(self.value.end, self.indicator or 0, self.key.end if self.key else 0)


@dataclass(frozen=True)
class YamlTree:
    """The document of a text; a text with only comments has no root."""

    root: YamlNode | None
    end: int
    """The offset of the document end marker, or of the end of the text."""


@lru_cache(maxsize=16)
def parse_yaml(text: str, where: str) -> YamlTree:
    """Parse the text of a YAML file into a tree of nodes with positions.

    The tree is cached, because parsing YAML is slow. It must not be modified.

    Raises:
        ConfigurationError: The text is not one YAML document; `where` has line and column.
    """
    # ruamel.yaml treats a carriage return alone as a line ending, but the line edits do not.
    lone_return = _LONE_RETURN.search(text)
    if lone_return:
        raise ConfigurationError(
            "a line ends in a carriage return only, expected a line feed",
            where=format_location(where, text, lone_return.start()),
            hint="save the file with other line ends; nothing was changed",
        )
    try:
        return _YamlTreeBuilder(text, where).build()
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        location = format_location(where, text, mark.index) if mark else where
        message = ", ".join(part for part in (error.context, error.problem) if part)
        if mark and text.startswith("\t", mark.index):
            message = "found a tab, expected spaces"
    except ReaderError as error:
        location = format_location(where, text, error.position)
        message = f"the character U+{error.character:04X} is not allowed"
    except RecursionError:
        location, message = where, "the values are nested too deeply"
    except YAMLError as error:
        location, message = where, str(error)
    raise _make_parse_error(f"not valid YAML: {message}", location)


def walk_nodes(node: YamlNode, leave_out: YamlNode | None = None) -> Iterator[YamlNode]:
    """Yield a node and the nodes below it in text order, skipping the subtree of `leave_out`."""
    pending = [node]
    while pending:
        current = pending.pop()
        if current is leave_out:
            continue
        yield current
        for member in reversed(current.members):
            pending.append(member.value)
            if member.key is not None:
                pending.append(member.key)


class _YamlTreeBuilder:
    """Builds the tree of one text from the parser's events, by recursive descent."""

    def __init__(self, text: str, where: str) -> None:
        self._text = text
        self._where = where
        self._anchors: dict[str, YamlNode] = {}
        self._open_anchors: set[str] = set()
        self._colons: list[int] = []
        self._dashes: list[int] = []

    def build(self) -> YamlTree:
        """Parse the text and return the tree of its only document.

        Raises:
            ConfigurationError: There is more than one document, or a value is invalid.
        """
        # The text is parsed twice, because the events of the parser do not contain the positions of
        # colons and dashes, and its tokens do.
        for token in _make_yaml_parser().scan(self._text):
            if isinstance(token, ValueToken):
                self._colons.append(token.start_mark.index)
            elif isinstance(token, BlockEntryToken):
                self._dashes.append(token.start_mark.index)
        self._events = iter(_make_yaml_parser().parse(self._text))
        root: YamlNode | None = None
        end = len(self._text)
        document_count = 0
        for event in self._events:
            if isinstance(event, events.DocumentStartEvent):
                document_count += 1
                if document_count > 1:
                    raise self._make_error(
                        "a second YAML document begins here, expected only one",
                        event.start_mark.index,
                    )
                root = self._build_node(next(self._events))
            elif isinstance(event, events.DocumentEndEvent) and event.explicit:
                end = event.start_mark.index
        return YamlTree(root, end)

    def _build_node(self, event: Any, after: int | None = None) -> YamlNode:
        """Create the node that begins with an event of the YAML parser.

        The events of its members are consumed.

        Args:
            event: The first event of the node.
            after: The offset after the colon of a mapping's key, which becomes the position of an
                empty value. The parser reports the position of the next token instead.
        """
        start = event.start_mark.index
        if isinstance(event, events.AliasEvent):
            return self._build_alias(event)
        node = YamlNode("scalar", start, anchor=event.anchor, tag=_get_tag(event))
        if node.anchor:
            self._open_anchors.add(node.anchor)
        if isinstance(event, events.ScalarEvent):
            self._fill_scalar(node, event, after)
        elif isinstance(event, events.MappingStartEvent):
            self._complete_mapping(node, event)
        elif isinstance(event, events.SequenceStartEvent):
            self._complete_sequence(node, event)
        if node.value_count > MAX_NODE_VALUES:
            raise self._make_error("the aliases expand to too many values", node.start)
        if node.anchor:
            self._open_anchors.discard(node.anchor)
            self._anchors[node.anchor] = node
        return node

    def _build_alias(self, event: events.AliasEvent) -> YamlNode:
        """Create the node of an alias `*name`, which has the data of the node with the anchor.

        Raises:
            ConfigurationError: No complete node with this anchor precedes the alias.
        """
        name = event.anchor
        start, end = event.start_mark.index, event.end_mark.index
        target = self._anchors.get(name)
        # Data that contains itself cannot be compared or written.
        if name in self._open_anchors:
            raise self._make_error(f"the alias *{name} refers to a value that contains it", start)
        if target is None:
            raise self._make_error(f"the alias *{name} has no anchor before it", start)
        return YamlNode("alias", start, end, name, data=target.data, value_count=target.value_count)

    def _fill_scalar(self, node: YamlNode, event: events.ScalarEvent, after: int | None) -> None:
        node.text, node.style, node.end = event.value, event.style, event.end_mark.index
        node.data = _resolve_scalar(node)
        if after is not None and not (node.text or node.style or node.anchor or node.tag):
            node.start = node.end = after
        if node.style in ("|", ">"):
            node.end = self._find_block_scalar_end(node)

    def _find_block_scalar_end(self, node: YamlNode) -> int:
        """Return the offset after a block scalar, a text on the lines after `|` or `>`.

        Also sets whether the scalar keeps or strips the line endings after it.
        """
        # The parser includes all blank lines after the scalar. They belong to it only if it keeps
        # them, or if they are indented more than its first line.
        header, *lines = self._text[node.start : node.end].splitlines(keepends=True)
        node.keeps_line_ends, node.strips_line_ends = _parse_chomping(header)
        if not node.keeps_line_ends:
            first_line = next((line for line in lines if line.strip()), "")
            indent = len(first_line) - len(first_line.lstrip(" "))
            while lines and not lines[-1].strip() and len(lines[-1].rstrip("\r\n")) <= indent:
                lines.pop()
        scalar_text = "".join([header, *lines])
        return node.start + len(scalar_text) - scalar_text.endswith("\n")

    def _complete_mapping(self, node: YamlNode, event: events.MappingStartEvent) -> None:
        """Complete the node of a mapping, consuming the events of its members.

        Raises:
            ConfigurationError: A key occurs twice.
        """
        node.kind, node.data, node.is_flow = "mapping", {}, bool(event.flow_style)
        while not isinstance(event := next(self._events), events.MappingEndEvent):
            key = self._build_node(event)
            colon = self._find_colon(key)
            after = key.end if colon is None else colon + 1
            value = self._build_node(next(self._events), after)
            member = YamlMember(value, None if colon is None else after, key)
            name = self._get_key_name(key)
            if name in node.data:
                raise self._make_error(f"duplicate key {name}", key.start)
            node.data[name] = value.data
            node.value_count += value.value_count
            node.members.append(member)
        self._set_bounds(node, event)

    def _complete_sequence(self, node: YamlNode, event: events.SequenceStartEvent) -> None:
        """Complete the node of a list, consuming the events of its elements.

        The dash before each element of a block list is assigned to the element.
        """
        node.kind, node.data, node.is_flow = "sequence", [], bool(event.flow_style)
        values: list[YamlNode] = []
        while not isinstance(event := next(self._events), events.SequenceEndEvent):
            values.append(self._build_node(event))
        dashes = [] if node.is_flow else self._find_dashes(node.start, event.start_mark.index)
        for index, value in enumerate(values):
            indicator = None if node.is_flow else dashes[index] + 1
            is_empty = value.is_null and not (value.text or value.anchor)
            if indicator is not None and is_empty:
                value.start = value.end = indicator
            node.data.append(value.data)
            node.value_count += value.value_count
            node.members.append(YamlMember(value, indicator))
        self._set_bounds(node, event)

    def _set_bounds(self, node: YamlNode, end_event: Any) -> None:
        """Set the end of a mapping or list, and its opening bracket or its column.

        The parser's events do not contain these positions.
        """
        end = end_event.end_mark.index
        if end > end_event.start_mark.index and node.is_flow:
            node.end, node.bracket = end, self._find_bracket(node)
            return
        node.end = node.members[-1].end
        start = node.members[0].start
        line_start = find_line_start(self._text, start)
        question_mark = re.search(r"\?[ \t]+$", self._text[line_start:start])
        node.column = question_mark.start() if question_mark else start - line_start

    def _find_bracket(self, node: YamlNode) -> int:
        """Return the offset of the opening bracket of a mapping `{…}` or a list `[…]`.

        The node begins with its anchor and tag, such as `&name`, if it has one.
        """
        offset = node.start
        while self._text[offset] in "&!":
            blank = _BLANK.search(self._text, offset)
            offset = blank.start() if blank else len(self._text)
            blanks_and_comments = _TRIVIA.match(self._text, offset)
            offset = blanks_and_comments.end() if blanks_and_comments else offset
        return offset

    def _find_colon(self, key: YamlNode) -> int | None:
        """Return the offset of the colon after a key, or None for a key without a colon."""
        index = bisect_left(self._colons, key.end)
        if index == len(self._colons):
            return None
        colon = self._colons[index]
        follows_key = _TRIVIA.fullmatch(self._text, key.end, colon)
        return colon if follows_key else None

    def _find_dashes(self, start: int, end: int) -> list[int]:
        """Return the dashes of one list: those in the column of its first one."""
        first = bisect_left(self._dashes, start)
        last = bisect_left(self._dashes, end)
        dashes = self._dashes[first:last]  # including those of nested lists
        column = dashes[0] - find_line_start(self._text, dashes[0])
        return [dash for dash in dashes if dash - find_line_start(self._text, dash) == column]

    def _get_key_name(self, key: YamlNode) -> str:
        if key.kind == "scalar":
            return key.text
        if key.kind == "alias" and not isinstance(key.data, dict | list):
            return str(key.data)
        return self._text[key.start : key.end]

    def _make_error(self, message: str, offset: int) -> ConfigurationError:
        return _make_parse_error(message, format_location(self._where, self._text, offset))


def _make_yaml_parser() -> YAML:
    return YAML(typ="safe", pure=True)


def _parse_chomping(head: str) -> tuple[bool, bool]:
    """Return whether a block scalar's header keeps all line endings, and whether it strips them."""
    header = _BLOCK_HEAD.search(head)
    indicators = header[1] if header else ""
    return "+" in indicators, "-" in indicators


def _get_tag(event: Any) -> str | None:
    return None if event.tag is None else str(event.tag)


def _resolve_scalar(node: YamlNode) -> object:
    """Return the value of a scalar, such as 3 for `3`, True for `true` and "3" for `"3"`.

    The types are those of YAML's core schema. A scalar in quotes or with a tag is a string.
    """
    if node.style is not None or node.tag is not None:
        return node.text
    return parse_scalar(node.text)


def _make_parse_error(message: str, where: str) -> ConfigurationError:
    return ConfigurationError(message, where=where, hint=FIX_BY_HAND_HINT)
