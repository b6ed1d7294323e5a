"""YAML documents, edited as text.

`yaml_reader` parses the text and locates values, before and after a change. A new entry goes after
the last one of its collection, in the style of its neighbours. An empty value, `{}` or `[]` below a
key becomes lines below it; a collection that loses its last entry becomes `{}` or `[]` again. A
change that would affect other anchors, aliases or tags is rejected.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from paddock.installer.config_files.data_changes import (
    FIX_BY_HAND_HINT,
    UNSAFE_CHANGE_MESSAGE,
    find_value,
    put_value,
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
from paddock.installer.config_files.editable_document import EditableDocument
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
    YamlBlockStyle,
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
    """Parse the text of a YAML file, whose root must be a mapping or a list. It can be empty.

    Args:
        text: The text of the file.
        where: The path of the file, for errors.
        dialect: Not used. The readers of all formats have the same parameters.

    Raises:
        ConfigurationError: The text is not valid, contains several documents, or has another root;
            `where` has line and column.
    """
    document = YamlDocument(text, where)
    root = document.tree.root
    is_empty = root is None or (root.is_null and not root.text)
    if root is not None and not is_empty and root.kind not in ("mapping", "sequence"):
        raise ConfigurationError(
            f"the whole file is the value {root.text!r}, expected a mapping",
            where=format_location(where, text, root.start),
            hint=FIX_BY_HAND_HINT,
        )
    return document


@dataclass(frozen=True)
class _MemberLocation:
    """The location of a value: a mapping or list, and the index of the member that holds it."""

    collection: YamlNode
    index: int

    @property
    def member(self) -> YamlMember:
        return self.collection.members[self.index]

    @property
    def node(self) -> YamlNode:
        return self.member.value


class YamlDocument(EditableDocument):
    """A YAML document."""

    @property
    def data(self) -> Any:
        """The data, which must not be modified."""
        root = self.tree.root
        return {} if root is None or root.data is None else root.data

    @cached_property
    def tree(self) -> YamlTree:
        """The text's nodes and their positions."""
        return parse_yaml(self.text, self.where)

    def _parse(self, text: str) -> YamlDocument:
        return read(text, where=self.where)

    def _write_value(self, path: DocumentPath, value: object) -> str:
        locations = self._find_member_locations(path)
        text = None
        if len(locations) == len(path):
            text = self._replace_in_same_form(locations[-1], value)
        return self._add_value(locations, path, value) if text is None else text

    def delete_text(self, path: DocumentPath) -> str:
        """Return the text of the document without the value at a path.

        If a nested mapping or list loses its only member, it becomes `{}` or `[]`, because a key
        with nothing below it would have the value null.

        Raises:
            UneditableError: The value is inside an alias, or shares a line with another value.
        """
        locations = self._find_member_locations(path)
        # A value that is in the data but not in the text comes from an alias.
        is_in_alias = len(locations) < len(path)
        if is_in_alias:
            raise self._make_alias_error(path)
        collection, index = locations[-1].collection, locations[-1].index
        if collection.is_flow:
            return remove_item(self.text, self._to_bracketed_items(collection), index)
        start, end = self._get_line_range(locations[-1])
        floor = 0
        if index:
            previous = collection.members[index - 1].value
            floor = find_line_end(self.text, previous.end)
            if _get_last_node(previous).keeps_line_ends and start == floor:
                # Blank lines after the member would become part of the previous block scalar.
                end = self._skip_blank_lines(end)
        text = remove_lines(
            self.text, start, end, floor=floor, is_first=index == 0 and len(collection.members) > 1
        )
        if len(collection.members) > 1 or collection is self.tree.root:
            return text
        return self._insert_empty_brackets(text, locations)

    def is_prunable(self, path: DocumentPath) -> bool:
        """Return whether the mapping or list at a path can be removed.

        It must be empty, with no comments in it or next to it.
        """
        locations = self._find_member_locations(path)
        if not path or len(locations) < len(path) or self.get(path) not in ({}, []):
            return False
        location = locations[-1]
        if location.collection.is_flow:
            return "#" not in self.text[location.node.start : location.node.end]
        start = find_line_start(self.text, location.member.start)
        end = find_line_end(self.text, location.node.end)
        end = skip_attached_comments(self.text, end, column=location.collection.column + 1)
        return "#" not in self.text[start:end]

    def _find_offset(self, path: DocumentPath) -> int:
        locations = self._find_member_locations(path)
        return locations[-1].node.start if locations else 0

    def _find_member_locations(self, path: DocumentPath) -> list[_MemberLocation]:
        """Return the locations of the values on a path, up to the last one in the text.

        The result is shorter than the path if a value does not exist or is inside an alias `*name`,
        whose text is elsewhere.
        """
        locations: list[_MemberLocation] = []
        node = self.tree.root
        for step in path:
            index = _find_member_index(node, step) if node is not None else None
            if node is None or index is None:
                break
            locations.append(_MemberLocation(node, index))
            node = locations[-1].node
        return locations

    def _check_change(
        self, document: YamlDocument, path: DocumentPath, expected: list[object]
    ) -> YamlDocument:
        # Comparing the data is not sufficient, because an alias and a copy have the same data.
        changed = super()._check_change(document, path, expected)
        if changed.list_anchors_and_tags(path) != self.list_anchors_and_tags(path):
            raise self._make_uneditable_error(UNSAFE_CHANGE_MESSAGE)
        return changed

    def list_anchors_and_tags(self, path: DocumentPath) -> list[tuple[str, str | None, str | None]]:
        """Return all aliases, anchors and tags of the document.

        Those in the value at a path are left out, because the value is being changed.

        Returns:
            The text, anchor and tag of each node.
        """
        locations = self._find_member_locations(path)
        changed_node = locations[-1].node if len(locations) == len(path) else None
        nodes = walk_nodes(self.tree.root, changed_node) if self.tree.root else ()
        return [
            (node.text, node.anchor, node.tag)
            for node in nodes
            if node.kind == "alias" or node.anchor or node.tag
        ]

    def _replace_in_same_form(self, location: _MemberLocation, value: object) -> str | None:
        """Return the text with a value replaced in its current notation, or None if impossible.

        A mapping or list on multiple lines is replaced with lines, and a one-line value with a
        one-line value.
        """
        node = location.node
        style = detect_block_style(self.tree.root, location.collection, self.text)
        if node.is_block:
            if not is_nested(value) or node.tag or node.anchor:
                return None
            return self._replace_block(location, value, style)
        if is_nested(value) and not location.collection.is_flow and not node.members:
            return None
        gap = "" if node.start < node.end or location.member.indicator is None else " "
        return f"{self.text[: node.start]}{gap}{format_flow(value, style)}{self.text[node.end :]}"

    def _replace_block(
        self, location: _MemberLocation, value: object, style: YamlBlockStyle
    ) -> str:
        """Return the text with the lines of a mapping or list replaced.

        The indentation is kept, unless a mapping becomes a list or the reverse.
        """
        node, column = location.node, location.node.column
        if isinstance(value, dict) != (node.kind == "mapping"):
            column = get_nested_column(value, location.collection.column, style)
        lines = format_block_lines(value, column, style)
        start, end = node.members[0].start, find_line_end(self.text, node.end)
        line_start = find_line_start(self.text, start)
        if not is_blank(self.text, line_start, start):  # after a dash on the same line
            lines[0] = self.text[line_start:start] + lines[0].lstrip(" ")
        return replace_lines(self.text, line_start, end, lines, newline=detect_newline(self.text))

    def _add_value(
        self, locations: list[_MemberLocation], path: DocumentPath, value: object
    ) -> str:
        """Return the text with a value added, or with a value rewritten in another notation.

        Args:
            locations: The locations of the values on the path, up to the last one in the text.
            path: The path of the value.
            value: The new value.
        """
        if len(locations) == len(path):
            return self._rewrite_value(locations[-1], value)
        missing_steps = path[len(locations) :]
        node = locations[-1].node if locations else self.tree.root
        if node is not None and node.kind == "alias":
            raise self._make_alias_error(path)
        if node is not None and node.members:
            return self._append_member(node, missing_steps, value)
        if locations:
            if node is not None and node.is_flow and not self._can_unfold(locations[-1]):
                return self._append_member(node, missing_steps, value)
            return self._rewrite_value(locations[-1], put_value(MISSING, missing_steps, value))
        if node is not None and node.is_flow:
            return self._append_member(node, missing_steps, value)
        return self._append_member(YamlNode("mapping", 0), missing_steps, value)

    def _append_member(self, collection: YamlNode, steps: DocumentPath, value: object) -> str:
        """Return the text with a member added at the end of a mapping or list.

        The member has the style of the other members.

        Args:
            collection: The innermost mapping or list on the path that exists.
            steps: The rest of the path. Mappings and lists for all but the first step are created.
            value: The value at the end of the path.
        """
        step = steps[0]
        style = detect_block_style(self.tree.root, collection, self.text)
        value = find_value(put_value(MISSING, steps, value), steps[:1])
        if collection.is_flow:
            item = format_flow(value, style)
            if isinstance(step, str):
                item = f"{format_scalar(step, style)}: {item}"
            return append_item(
                self.text, self._to_bracketed_items(collection), item, detect_newline(self.text)
            )
        if isinstance(step, NamedElementStep):
            lines = format_element_lines(value, collection.column, style)
        elif is_nested(value) and _has_flow_entries(collection):
            indent = " " * collection.column
            lines = [f"{indent}{format_scalar(step, style)}: {format_flow(value, style)}"]
        else:
            lines = format_pair_lines(step, value, collection.column, style)
        at = self._find_insertion_offset(collection)
        blank = any(
            has_blank_line_above(self.text, member.start) for member in collection.members[1:]
        )
        # After a block scalar such as `|+`, which keeps line endings, a blank line would be part of
        # its value.
        if _get_last_node(collection).keeps_line_ends:
            blank = False
        return insert_lines(self.text, at, lines, newline=detect_newline(self.text), blank=blank)

    def _find_insertion_offset(self, collection: YamlNode) -> int:
        """Return the offset for a new member at the end of a mapping or list on multiple lines.

        Raises:
            UneditableError: Another line would change the value of the last member.
        """
        if not collection.members:
            return find_content_end(self.text, self.tree.end)
        at = find_line_end(self.text, collection.end)
        last_node = _get_last_node(collection)
        lacks_line_end = at == len(self.text) and not self.text.endswith("\n")
        if lacks_line_end and last_node.style in ("|", ">") and not last_node.strips_line_ends:
            raise UneditableError(
                "the file ends in a block scalar, whose value another line would change",
                where=format_location(self.where, self.text, last_node.start),
                hint="add a line end to the end of the file",
            )
        if collection is self.tree.root:
            return max(at, find_content_end(self.text, self.tree.end))
        return skip_attached_comments(self.text, at, column=collection.column)

    def _can_unfold(self, location: _MemberLocation) -> bool:
        """Return whether an empty flow collection can become lines below its key."""
        member = location.member
        if location.collection.is_flow or member.key is None or member.indicator is None:
            return False
        line_rest = self.text[member.indicator : find_line_end(self.text, member.indicator)]
        return _EMPTY_FLOW_COLLECTION.fullmatch(line_rest) is not None

    def _rewrite_value(self, location: _MemberLocation, value: object) -> str:
        """Return the text with a value replaced, using the notation that suits the new value.

        A non-empty mapping or list is written on the lines below its key, and any other value after
        the key on the same line.
        """
        node, member = location.node, location.member
        style = detect_block_style(self.tree.root, location.collection, self.text)
        if member.indicator is None or member.key is None:
            return self.text[: node.start] + format_flow(value, style) + self.text[node.end :]
        if location.collection.is_flow or not is_nested(value):
            text_before = self.text[: member.indicator]
            return f"{text_before} {format_flow(value, style)}{self.text[node.end :]}"
        if node.is_block:
            text = self.text[: member.indicator] + self.text[node.end :]
            start = member.indicator
        else:
            start = node.start - (1 if node.start > member.indicator else 0)
            text = self.text[:start] + self.text[node.end :]
        lines = format_block_lines(
            value, get_nested_column(value, location.collection.column, style), style
        )
        at = find_line_end(text, start)
        return insert_lines(text, at, lines, newline=detect_newline(self.text), blank=False)

    def _insert_empty_brackets(self, text: str, locations: list[_MemberLocation]) -> str:
        """Insert `{}` or `[]` for a mapping or list whose only member has been removed.

        Without brackets, the value of its key would be null. They are inserted after the anchor or
        tag of the mapping or list, such as `&name`.

        Args:
            text: The text without the member.
            locations: The locations on the path of the removed member.

        Raises:
            UneditableError: The mapping or list is an element of another list.
        """
        collection = locations[-1].collection
        member = locations[-2].member
        at = member.indicator
        if at is None or member.key is None:
            raise self._make_uneditable_error(
                "the change would leave an empty list element", locations[-1].member.start
            )
        brackets = " {}" if collection.kind == "mapping" else " []"
        properties = _NODE_PROPERTIES.match(text, at)
        if properties and (collection.tag or collection.anchor):
            at = properties.end()
        return text[:at] + brackets + text[at:]

    def _get_line_range(self, location: _MemberLocation) -> tuple[int, int]:
        """Return the offsets of the whole lines of a member of a mapping or list.

        Raises:
            UneditableError: Another value begins on the same line, as in `- - value`.
        """
        start = find_line_start(self.text, location.member.start)
        if not is_blank(self.text, start, location.member.start):
            raise self._make_uneditable_error(
                "another value begins on the same line", location.member.start
            )
        return start, find_line_end(self.text, location.member.end)

    def _skip_blank_lines(self, start: int) -> int:
        while start < len(self.text) and is_blank(
            self.text, start, find_line_end(self.text, start)
        ):
            start = find_line_end(self.text, start)
        return start

    def _to_bracketed_items(self, node: YamlNode) -> BracketedItems:
        """Return the bracket and item positions of a mapping `{…}` or a list `[…]`.

        They are the input for the edits that TOML and YAML share.

        Raises:
            UneditableError: It is a single pair in a list, which YAML allows without braces.
        """
        if node.bracket is None:
            raise self._make_uneditable_error(
                "a key-value pair without brackets cannot be edited", node.start
            )
        items = tuple((member.start, member.end) for member in node.members)
        return BracketedItems(node.bracket, node.end, items)

    def _make_alias_error(self, path: DocumentPath) -> UneditableError:
        locations = self._find_member_locations(path)
        offset = locations[-1].node.start if locations else 0
        name = format_path(path[: len(locations)])
        return self._make_uneditable_error(
            f"{name} is an alias of a value in another place", offset
        )


def _find_member_index(node: YamlNode, step: str | NamedElementStep) -> int | None:
    """Return the index of the mapping or list member that a path step leads to, or None.

    The result is also None for an alias `*name`, because the text of its members is elsewhere.
    """
    if isinstance(step, str) and node.kind == "mapping":
        return next((index for index, key in enumerate(node.data) if key == step), None)
    if isinstance(step, NamedElementStep) and node.kind == "sequence":
        indices = [index for index, element in enumerate(node.data) if step.matches(element)]
        return indices[-1] if indices else None
    return None


def _get_last_node(node: YamlNode) -> YamlNode:
    """Return the innermost node at the end of a node."""
    while node.members and not node.is_flow:
        node = node.members[-1].value
    return node


def _has_flow_entries(collection: YamlNode) -> bool:
    """Return whether the last entry with members is a flow collection."""
    values = [member.value for member in collection.members if member.value.members]
    return bool(values) and values[-1].is_flow
