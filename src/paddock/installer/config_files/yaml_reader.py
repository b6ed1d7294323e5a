"""A YAML text as a tree that knows where everything stands, comments and styles left in the text.

Made of ruamel.yaml's events and tokens: its nodes do not say where an alias, an empty value or the
dash of an element stands, and its collections end where the next thing begins. What plain scalars
mean is the core schema of YAML 1.2.
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
from paddock.installer.config_files.document import ConfigurationError, format_location
from paddock.installer.config_files.line_edits import find_line_start

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_NODE_VALUES = 1_000_000
"""Values that a text may stand for; aliases of aliases make many of few lines."""

_TRIVIA = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_BLOCK_HEAD = re.compile(r"(?:^|\s)[|>]([0-9+-]*)")


@dataclass
class YamlNode:
    """One value: a scalar, an alias, a mapping or a list."""

    kind: str
    """`scalar`, `alias`, `mapping` or `sequence`."""
    start: int
    """Where it begins, with its anchor and tag."""
    end: int = 0
    """Where the last thing in it ends, without comments behind it."""
    text: str = ""
    """Of a scalar its value, of an alias its name."""
    style: str | None = None
    anchor: str | None = None
    tag: str | None = None
    is_flow: bool = False
    bracket: int | None = None
    """Where the bracket of a flow collection stands; a pair in a flow list has none."""
    keeps_line_ends: bool = False
    """Of a block scalar: all line ends after it are its own."""
    strips_line_ends: bool = False
    """Of a block scalar: no line end after it is its own."""
    column: int = 0
    """Of a block collection: where its keys or dashes stand."""
    members: list[YamlMember] = field(default_factory=list)
    data: Any = None
    """What it says, as plain data."""
    value_count: int = 1

    @property
    def is_block(self) -> bool:
        """Whether it is a collection on lines of its own."""
        return self.kind in ("mapping", "sequence") and not self.is_flow

    @property
    def is_null(self) -> bool:
        """Whether it is nothing, however that is written."""
        return self.kind == "scalar" and self.data is None and self.tag is None


@dataclass
class YamlMember:
    """One member of a collection."""

    value: YamlNode
    indicator: int | None
    """The place after the colon or the dash that the value follows; flow lists have none."""
    key: YamlNode | None = None

    @property
    def start(self) -> int:
        """Where it begins: the key, the dash, or the value itself."""
        if self.key is not None:
            return self.key.start
        return self.value.start if self.indicator is None else self.indicator - 1

    @property
    def end(self) -> int:
        """Where it ends, without comments behind it."""
        return max(self.value.end, self.indicator or 0, self.key.end if self.key else 0)


@dataclass(frozen=True)
class YamlTree:
    """The one document of a text; nothing but comments has no root."""

    root: YamlNode | None
    end: int
    """Where the document ends: its end mark, or the end of the text."""


@lru_cache(maxsize=16)
def parse_yaml(text: str, where: str) -> YamlTree:
    """The tree of a text, which nobody may change: it is kept, since reading YAML is slow.

    Raises:
        ConfigurationError: when it is not one YAML document, with line and column.
    """
    alone = _LONE_RETURN.search(text)
    if alone:
        raise ConfigurationError(
            "a line ends in a carriage return alone, expected a line feed",
            where=format_location(where, text, alone.start()),
            hint="save the file with other line ends; nothing was changed",
        )
    try:
        return _YamlTreeBuilder(text, where).build()
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = format_location(where, text, mark.index) if mark else where
        message = ", ".join(part for part in (error.context, error.problem) if part)
        if mark and text.startswith("\t", mark.index):
            message = "found a tab, expected blanks"
    except ReaderError as error:
        place = format_location(where, text, error.position)
        message = f"the character U+{error.character:04X} is not allowed"
    except RecursionError:
        place, message = where, "the values are nested too deeply"
    except YAMLError as error:
        place, message = where, str(error)
    raise _make_parse_error(f"not YAML: {message}", place)


def walk_nodes(node: YamlNode, leave_out: YamlNode | None = None) -> Iterator[YamlNode]:
    """A node and all below it in the order of the text; keys before values."""
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
    def __init__(self, text: str, where: str) -> None:
        self._text = text
        self._where = where
        self._anchors: dict[str, YamlNode] = {}
        self._open_anchors: set[str] = set()
        self._colons: list[int] = []
        self._dashes: list[int] = []

    def build(self) -> YamlTree:
        for token in _make_yaml_parser().scan(self._text):
            if isinstance(token, ValueToken):
                self._colons.append(token.start_mark.index)
            elif isinstance(token, BlockEntryToken):
                self._dashes.append(token.start_mark.index)
        self._events = iter(_make_yaml_parser().parse(self._text))
        root: YamlNode | None = None
        end = len(self._text)
        documents = 0
        for event in self._events:
            if isinstance(event, events.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._make_error(
                        "a second YAML document begins here, expected one only",
                        event.start_mark.index,
                    )
                root = self._build_node(next(self._events))
            elif isinstance(event, events.DocumentEndEvent) and event.explicit:
                end = event.start_mark.index
        return YamlTree(root, end)

    def _build_node(self, event: Any, after: int | None = None) -> YamlNode:
        """The node that an event begins; `after` is the place that an empty one stands at."""
        start = event.start_mark.index
        if isinstance(event, events.AliasEvent):
            return self._build_alias(event)
        node = YamlNode("scalar", start, anchor=event.anchor, tag=_get_tag(event))
        if node.anchor:
            self._open_anchors.add(node.anchor)
        if isinstance(event, events.ScalarEvent):
            self._fill_scalar(node, event, after)
        elif isinstance(event, events.MappingStartEvent):
            self._fill_mapping(node, event)
        elif isinstance(event, events.SequenceStartEvent):
            self._fill_sequence(node, event)
        if node.value_count > MAX_NODE_VALUES:
            raise self._make_error("the aliases stand for too many values", node.start)
        if node.anchor:
            self._open_anchors.discard(node.anchor)
            self._anchors[node.anchor] = node
        return node

    def _build_alias(self, event: events.AliasEvent) -> YamlNode:
        name = event.anchor
        start, end = event.start_mark.index, event.end_mark.index
        target = self._anchors.get(name)
        if name in self._open_anchors:
            raise self._make_error(f"the alias *{name} stands within its own anchor", start)
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
        """Blank lines after it are its own only where it keeps them, or they are long enough."""
        written = self._text[node.start : node.end]
        head, *lines = written.splitlines(keepends=True)
        node.keeps_line_ends, node.strips_line_ends = _parse_chomping(head)
        if not node.keeps_line_ends:
            first = next((line for line in lines if line.strip()), "")
            indent = len(first) - len(first.lstrip(" "))
            while lines and not lines[-1].strip() and len(lines[-1].rstrip("\r\n")) <= indent:
                lines.pop()
        whole = "".join([head, *lines])
        return node.start + len(whole) - whole.endswith("\n")

    def _fill_mapping(self, node: YamlNode, event: events.MappingStartEvent) -> None:
        node.kind, node.data, node.is_flow = "mapping", {}, bool(event.flow_style)
        while not isinstance(event := next(self._events), events.MappingEndEvent):
            key = self._build_node(event)
            colon = self._find_colon(key)
            after = key.end if colon is None else colon + 1
            value = self._build_node(next(self._events), after)
            member = YamlMember(value, None if colon is None else after, key)
            name = self._get_key_name(key)
            if name in node.data:
                raise self._make_error(f"the key {name} stands twice in one mapping", key.start)
            node.data[name] = value.data
            node.value_count += value.value_count
            node.members.append(member)
        self._set_bounds(node, event)

    def _fill_sequence(self, node: YamlNode, event: events.SequenceStartEvent) -> None:
        node.kind, node.data, node.is_flow = "sequence", [], bool(event.flow_style)
        values: list[YamlNode] = []
        while not isinstance(event := next(self._events), events.SequenceEndEvent):
            values.append(self._build_node(event))
        dashes = [] if node.is_flow else self._find_dashes(node.start, event.start_mark.index)
        for index, value in enumerate(values):
            indicator = None if node.is_flow else dashes[index] + 1
            if indicator is not None and value.is_null and not (value.text or value.anchor):
                value.start = value.end = indicator
            node.data.append(value.data)
            node.value_count += value.value_count
            node.members.append(YamlMember(value, indicator))
        self._set_bounds(node, event)

    def _set_bounds(self, node: YamlNode, end_event: Any) -> None:
        """Where a collection begins and ends; the end event of a block one says neither."""
        end = end_event.end_mark.index
        if end > end_event.start_mark.index and node.is_flow:
            node.end, node.bracket = end, self._find_bracket(node)
            return
        node.end = node.members[-1].end
        start = node.members[0].start
        begin = find_line_start(self._text, start)
        mark = re.search(r"\?[ \t]+$", self._text[begin:start])
        node.column = mark.start() if mark else start - begin

    def _find_bracket(self, node: YamlNode) -> int:
        """The bracket of a flow collection, behind its anchor and tag."""
        place = node.start
        while self._text[place] in "&!":
            blank = re.compile(r"[ \t\r\n]").search(self._text, place)
            place = blank.start() if blank else len(self._text)
            trivia = _TRIVIA.match(self._text, place)
            place = trivia.end() if trivia else place
        return place

    def _find_colon(self, key: YamlNode) -> int | None:
        index = bisect_left(self._colons, key.end)
        if index == len(self._colons):
            return None
        colon = self._colons[index]
        between = _TRIVIA.fullmatch(self._text, key.end, colon)
        return colon if between else None

    def _find_dashes(self, start: int, end: int) -> list[int]:
        """The dashes of one list: those below its first one."""
        first = bisect_left(self._dashes, start)
        last = bisect_left(self._dashes, end)
        found = self._dashes[first:last]
        column = found[0] - find_line_start(self._text, found[0])
        return [dash for dash in found if dash - find_line_start(self._text, dash) == column]

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
    """Whether the first line of a block scalar says to keep all line ends, or none."""
    found = _BLOCK_HEAD.search(head)
    signs = found[1] if found else ""
    return "+" in signs, "-" in signs


def _get_tag(event: Any) -> str | None:
    return None if event.tag is None else str(event.tag)


def _resolve_scalar(node: YamlNode) -> object:
    """What a scalar says by the core schema; other tags are texts to us."""
    if node.style is not None or node.tag is not None:
        return node.text
    return parse_scalar(node.text)


def _make_parse_error(message: str, place: str) -> ConfigurationError:
    return ConfigurationError(
        message, where=place, hint="put it right by hand; nothing was changed"
    )
