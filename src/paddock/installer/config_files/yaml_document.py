"""YAML that is changed in place: the text stays as it is but for the entry.

`yaml_nodes` says what a text means and where it stands, before and after. New entries go after the
last one of their collection, in the style of those around them; an empty `{}`, `[]` or nothing at
all below a key becomes lines below it, and a collection that loses its last entry becomes `{}` or
`[]` again. Anchors, aliases and tags of others stay, or the change is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from paddock.installer.config_files.data_changes import (
    EDIT_BY_HAND_HINT,
    UNSAFE_CHANGE_MESSAGE,
    add_error_location,
    check_change,
    find_value,
    is_same_data,
    put_value,
    remove_value,
    reparse,
)
from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    DocumentPath,
    NamedElementStep,
    UneditableError,
    detect_newline,
    format_location,
    format_path,
)
from paddock.installer.config_files.line_edits import (
    BracketedItems,
    append_item,
    find_content_end,
    find_line_end,
    find_line_start,
    has_blank_line_above,
    insert_lines,
    is_blank,
    remove_item,
    remove_lines,
    replace_lines,
    skip_attached_comments,
)
from paddock.installer.config_files.yaml_reader import (
    YamlMember,
    YamlNode,
    YamlTree,
    parse_yaml,
    walk_nodes,
)
from paddock.installer.config_files.yaml_writer import (
    detect_block_style,
    format_block_lines,
    format_element_lines,
    format_flow,
    format_pair_lines,
    format_scalar,
    get_nested_column,
    is_nested,
)

if TYPE_CHECKING:
    from paddock.installer.config_files.document import JsonDialect

_NODE_PROPERTIES = re.compile(r"(?:[ \t]*[&!][^\s]*)*")
_EMPTY_FLOW_COLLECTION = re.compile(r" (?:\{\}|\[\])[ \t]*(?:[ \t]#.*)?\r?\n?")


def read(text: str, *, where: str, dialect: JsonDialect = "jsonc") -> YamlDocument:
    """Parse a text; an empty one is a document without entries.

    Raises:
        ConfigurationError: when it is not one YAML document, a mapping or a list, with line and
            column.
    """
    document = YamlDocument(text, where)
    root = document.tree.root
    is_nothing = root is None or (root.is_null and not root.text)
    if root is not None and not is_nothing and root.kind not in ("mapping", "sequence"):
        raise ConfigurationError(
            f"the file holds the single value {root.text!r}, expected a mapping",
            where=format_location(where, text, root.start),
            hint="put it right by hand; nothing was changed",
        )
    return document


@dataclass(frozen=True)
class _MemberLocation:
    """A member of a collection, by which a node is reached."""

    collection: YamlNode
    index: int

    @property
    def member(self) -> YamlMember:
        return self.collection.members[self.index]

    @property
    def node(self) -> YamlNode:
        return self.member.value


@dataclass(frozen=True)
class YamlDocument:
    """A YAML document; see `document.Document`."""

    text: str
    where: str

    def to_data(self) -> Any:
        """What the text says."""
        root = self.tree.root
        return {} if root is None or root.data is None else root.data

    def get(self, path: DocumentPath) -> object:
        """What stands at a path, or `MISSING`."""
        return find_value(self.to_data(), path)

    def put(self, path: DocumentPath, value: object) -> YamlDocument:
        """Add or replace just the value at a path; null in place of a container is an empty one."""
        expected = put_value(self.to_data(), path, value, place=self._format_location)
        old = self.get(path)
        if old is not MISSING and is_same_data(old, value):
            return self
        slots = self._find_member_locations(path)
        with add_error_location(self.where):
            text = self._replace_in_same_form(slots[-1], value) if len(slots) == len(path) else None
            text = self._add_value(slots, path, value) if text is None else text
        return self._check_change(text, path, [expected])

    def remove(self, path: DocumentPath, *, prune: int = 0) -> YamlDocument:
        """Take away the value at a path, and up to `prune` containers that it leaves empty."""
        document = self
        while document.get(path) is not MISSING:
            document = self._reparse(document.remove_text(path))
        if document is self:
            return self
        for length in reversed(range(max(len(path) - prune, 1), len(path))):
            if document.is_empty_collection(path[:length]):
                document = self._reparse(document.remove_text(path[:length]))
        # Those with comments stay.
        expected = [remove_value(self.to_data(), path, prune=count) for count in range(len(path))]
        return self._check_change(document.text, path, expected)

    def remove_text(self, path: DocumentPath) -> str:
        """The text without one member of a collection."""
        slots = self._find_member_locations(path)
        if len(slots) < len(path):
            raise self._make_alias_error(path)
        holder, index = slots[-1].collection, slots[-1].index
        if holder.is_flow:
            return remove_item(self.text, self._to_bracketed_items(holder), index)
        start, end = self._get_line_range(slots[-1])
        floor = 0
        if index:
            before = holder.members[index - 1].value
            floor = find_line_end(self.text, before.end)
            if _get_last_node(before).keeps_line_ends and start == floor:
                end = self._skip_blank_lines(end)
        text = remove_lines(
            self.text, start, end, floor=floor, is_first=index == 0 and len(holder.members) > 1
        )
        if len(holder.members) > 1 or holder is self.tree.root:
            return text
        return self._insert_empty_brackets(text, slots)

    def is_empty_collection(self, path: DocumentPath) -> bool:
        """Whether a path leads to an empty collection without comments in or beside it."""
        slots = self._find_member_locations(path)
        if len(slots) < len(path) or slots[-1].node.members or slots[-1].node.data is None:
            return False
        slot = slots[-1]
        if slot.collection.is_flow:
            return "#" not in self.text[slot.node.start : slot.node.end]
        start, end = (
            find_line_start(self.text, slot.member.start),
            find_line_end(self.text, slot.node.end),
        )
        end = skip_attached_comments(self.text, end, column=slot.collection.column + 1)
        return "#" not in self.text[start:end]

    @cached_property
    def tree(self) -> YamlTree:
        """Where everything stands."""
        return parse_yaml(self.text, self.where)

    def _format_location(self, path: DocumentPath) -> str:
        slots = self._find_member_locations(path)
        return format_location(self.where, self.text, slots[-1].node.start if slots else 0)

    def _find_member_locations(self, path: DocumentPath) -> list[_MemberLocation]:
        """The way along a path, as far as it is written out."""
        slots: list[_MemberLocation] = []
        node = self.tree.root
        for step in path:
            index = _find_member_index(node, step) if node is not None else None
            if node is None or index is None:
                break
            slots.append(_MemberLocation(node, index))
            node = slots[-1].node
        return slots

    def _reparse(self, text: str) -> YamlDocument:
        return reparse(lambda changed: read(changed, where=self.where), text, self.where)

    def _check_change(self, text: str, path: DocumentPath, expected: list[object]) -> YamlDocument:
        changed = check_change(self._reparse(text), expected, self.where)
        if changed.list_anchors_and_tags(path) != self.list_anchors_and_tags(path):
            raise UneditableError(UNSAFE_CHANGE_MESSAGE, where=self.where, hint=EDIT_BY_HAND_HINT)
        return changed

    def list_anchors_and_tags(self, path: DocumentPath) -> list[tuple[str, str | None, str | None]]:
        """All aliases, anchors and tags, but those of what stands at a path."""
        slots = self._find_member_locations(path)
        entry = slots[-1].node if len(slots) == len(path) else None
        nodes = walk_nodes(self.tree.root, entry) if self.tree.root else ()
        return [
            (node.text, node.anchor, node.tag)
            for node in nodes
            if node.kind == "alias" or node.anchor or node.tag
        ]

    def _replace_in_same_form(self, slot: _MemberLocation, value: object) -> str | None:
        """The text with another value where one is; nothing when its form cannot hold it."""
        node = slot.node
        style = detect_block_style(self.tree.root, slot.collection, self.text)
        if node.is_block and not (is_nested(value) and not (node.tag or node.anchor)):
            return None
        if node.is_block:
            column = node.column
            if isinstance(value, dict) != (node.kind == "mapping"):
                column = get_nested_column(value, slot.collection.column, style)
            lines = format_block_lines(value, column, style)
            start, end = node.members[0].start, find_line_end(self.text, node.end)
            begin = find_line_start(self.text, start)
            if is_blank(self.text, begin, start):
                start = begin
            else:
                lines[0] = lines[0].lstrip(" ")
                lines = [self.text[begin:start] + lines[0], *lines[1:]]
                start = begin
            return replace_lines(self.text, start, end, lines, newline=detect_newline(self.text))
        if is_nested(value) and not slot.collection.is_flow and not node.members:
            return None
        gap = "" if node.start < node.end or slot.member.indicator is None else " "
        return f"{self.text[: node.start]}{gap}{format_flow(value, style)}{self.text[node.end :]}"

    def _add_value(self, slots: list[_MemberLocation], path: DocumentPath, value: object) -> str:
        """The text with a value that is not there, or not in a form that can hold the new one."""
        if len(slots) == len(path):
            return self._rewrite_value(slots[-1], value)
        rest = path[len(slots) :]
        node = slots[-1].node if slots else self.tree.root
        if node is not None and node.kind == "alias":
            raise self._make_alias_error(path)
        if node is not None and node.members:
            return self._append_member(node, rest, value)
        if slots:
            if node is not None and node.is_flow and not self._can_unfold(slots[-1]):
                return self._append_member(node, rest, value)
            return self._rewrite_value(slots[-1], put_value(MISSING, rest, value))
        if node is not None and node.is_flow:
            return self._append_member(node, rest, value)
        return self._append_member(YamlNode("mapping", 0), rest, value)

    def _append_member(self, holder: YamlNode, rest: DocumentPath, value: object) -> str:
        """The text with one more member at the end of a collection."""
        step = rest[0]
        style = detect_block_style(self.tree.root, holder, self.text)
        value = find_value(put_value(MISSING, rest, value), rest[:1])
        if holder.is_flow:
            item = format_flow(value, style)
            if isinstance(step, str):
                item = f"{format_scalar(step, style)}: {item}"
            return append_item(
                self.text, self._to_bracketed_items(holder), item, detect_newline(self.text)
            )
        if isinstance(step, NamedElementStep):
            lines = format_element_lines(value, holder.column, style)
        elif is_nested(value) and _has_flow_entries(holder):
            pad = " " * holder.column
            lines = [f"{pad}{format_scalar(step, style)}: {format_flow(value, style)}"]
        else:
            lines = format_pair_lines(step, value, holder.column, style)
        at = self._find_insertion_offset(holder)
        blank = any(has_blank_line_above(self.text, member.start) for member in holder.members[1:])
        if _get_last_node(holder).keeps_line_ends:
            blank = False
        return insert_lines(self.text, at, lines, newline=detect_newline(self.text), blank=blank)

    def _find_insertion_offset(self, holder: YamlNode) -> int:
        """Where the next member of a block collection goes."""
        if not holder.members:
            return find_content_end(self.text, self.tree.end)
        at = find_line_end(self.text, holder.end)
        last = _get_last_node(holder)
        is_open = at == len(self.text) and not self.text.endswith("\n")
        if is_open and last.style in ("|", ">") and not last.strips_line_ends:
            raise UneditableError(
                "the file ends within a block text, which a line end behind it would change",
                where=format_location(self.where, self.text, last.start),
                hint="end the file with a line end",
            )
        if holder is self.tree.root:
            return max(at, find_content_end(self.text, self.tree.end))
        return skip_attached_comments(self.text, at, column=holder.column)

    def _can_unfold(self, slot: _MemberLocation) -> bool:
        """Whether an empty flow collection can become lines below its key."""
        member = slot.member
        if slot.collection.is_flow or member.key is None or member.indicator is None:
            return False
        written = self.text[member.indicator : find_line_end(self.text, member.indicator)]
        return _EMPTY_FLOW_COLLECTION.fullmatch(written) is not None

    def _rewrite_value(self, slot: _MemberLocation, value: object) -> str:
        """The text with a value below or behind a key, in place of whatever stands there."""
        node, member = slot.node, slot.member
        style = detect_block_style(self.tree.root, slot.collection, self.text)
        if member.indicator is None or member.key is None:
            return self.text[: node.start] + format_flow(value, style) + self.text[node.end :]
        if slot.collection.is_flow or not is_nested(value):
            head = self.text[: member.indicator]
            return f"{head} {format_flow(value, style)}{self.text[node.end :]}"
        if node.is_block:
            text = self.text[: member.indicator] + self.text[node.end :]
            start = member.indicator
        else:
            start = node.start - (1 if node.start > member.indicator else 0)
            text = self.text[:start] + self.text[node.end :]
        lines = format_block_lines(
            value, get_nested_column(value, slot.collection.column, style), style
        )
        at = find_line_end(text, start)
        return insert_lines(text, at, lines, newline=detect_newline(self.text), blank=False)

    def _insert_empty_brackets(self, text: str, slots: list[_MemberLocation]) -> str:
        """The text with brackets for a block collection whose only member has been cut."""
        holder = slots[-1].collection
        member = slots[-2].member
        at = member.indicator
        if at is None or member.key is None:
            raise self._make_uneditable_error(
                "an element of a list would be left without anything", slots[-1].member.start
            )
        brackets = " {}" if holder.kind == "mapping" else " []"
        properties = _NODE_PROPERTIES.match(text, at)
        if properties and (holder.tag or holder.anchor):
            at = properties.end()
        return text[:at] + brackets + text[at:]

    def _get_line_range(self, slot: _MemberLocation) -> tuple[int, int]:
        start = find_line_start(self.text, slot.member.start)
        if not is_blank(self.text, start, slot.member.start):
            raise self._make_uneditable_error(
                "something else begins on the same line", slot.member.start
            )
        return start, find_line_end(self.text, slot.member.end)

    def _skip_blank_lines(self, start: int) -> int:
        while start < len(self.text) and is_blank(
            self.text, start, find_line_end(self.text, start)
        ):
            start = find_line_end(self.text, start)
        return start

    def _to_bracketed_items(self, node: YamlNode) -> BracketedItems:
        if node.bracket is None:
            raise self._make_uneditable_error(
                "a pair without brackets cannot be changed", node.start
            )
        items = tuple((member.start, member.end) for member in node.members)
        return BracketedItems(node.bracket, node.end, items)

    def _make_uneditable_error(self, message: str, offset: int) -> UneditableError:
        return UneditableError(
            message, where=format_location(self.where, self.text, offset), hint=EDIT_BY_HAND_HINT
        )

    def _make_alias_error(self, path: DocumentPath) -> UneditableError:
        slots = self._find_member_locations(path)
        offset = slots[-1].node.start if slots else 0
        what = format_path(path[: len(slots)])
        return self._make_uneditable_error(
            f"{what} is an alias of something that stands elsewhere", offset
        )


def _find_member_index(node: YamlNode, step: str | NamedElementStep) -> int | None:
    """The member of a collection that a step of a path means; aliases have none."""
    if isinstance(step, str) and node.kind == "mapping":
        return next((i for i, key in enumerate(node.data) if key == step), None)
    if isinstance(step, NamedElementStep) and node.kind == "sequence":
        found = [i for i, element in enumerate(node.data) if step.matches(element)]
        return found[-1] if found else None
    return None


def _get_last_node(node: YamlNode) -> YamlNode:
    """What stands last in a node."""
    while node.members and not node.is_flow:
        node = node.members[-1].value
    return node


def _has_flow_entries(holder: YamlNode) -> bool:
    """Whether the last entry that has members is written between brackets."""
    values = [member.value for member in holder.members if member.value.members]
    return bool(values) and values[-1].is_flow
