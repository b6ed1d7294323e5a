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

from paddock.clients.editing.comma_items import Brackets, with_item, without_item
from paddock.clients.editing.document import (
    MISSING,
    ByName,
    ConfigurationError,
    Path,
    UneditableError,
    in_words,
    located,
    newline_of,
)
from paddock.clients.editing.lines import (
    after_comments,
    after_last_line,
    has_gap,
    is_blank,
    line_end,
    line_start,
    with_lines,
    with_lines_replaced,
    without_lines,
)
from paddock.clients.editing.plain_data import find, same, with_value, without
from paddock.clients.editing.verification import BY_HAND, CHANGES_MORE, placed, reread, verified
from paddock.clients.editing.yaml_nodes import Member, Node, Tree, parse, walk
from paddock.clients.editing.yaml_style import style_of
from paddock.clients.editing.yaml_values import (
    below,
    block_lines,
    element_lines,
    flow,
    is_nested,
    pair_lines,
    scalar,
)

if TYPE_CHECKING:
    from paddock.clients.editing.opening import Dialect

_PROPERTIES = re.compile(r"(?:[ \t]*[&!][^\s]*)*")
_EMPTY = re.compile(r" (?:\{\}|\[\])[ \t]*(?:[ \t]#.*)?\r?\n?")


def read(text: str, *, where: str, dialect: Dialect = "jsonc") -> YamlText:
    """Parse a text; an empty one is a document without entries.

    Raises:
        ConfigurationError: when it is not one YAML document, a mapping or a list, with line and
            column.
    """
    document = YamlText(text, where)
    root = document.tree.root
    is_nothing = root is None or (root.is_null and not root.text)
    if root is not None and not is_nothing and root.kind not in ("mapping", "sequence"):
        raise ConfigurationError(
            f"the file holds the single value {root.text!r}, expected a mapping",
            where=located(where, text, root.start),
            hint="put it right by hand; nothing was changed",
        )
    return document


@dataclass(frozen=True)
class _Slot:
    """A member of a collection, by which a node is reached."""

    holder: Node
    index: int

    @property
    def member(self) -> Member:
        return self.holder.members[self.index]

    @property
    def node(self) -> Node:
        return self.member.value


@dataclass(frozen=True)
class YamlText:
    """A YAML document; see `document.Document`."""

    text: str
    where: str

    def data(self) -> Any:
        """What the text says."""
        root = self.tree.root
        return {} if root is None or root.data is None else root.data

    def get(self, path: Path) -> object:
        """What stands at a path, or `MISSING`."""
        return find(self.data(), path)

    def put(self, path: Path, value: object) -> YamlText:
        """Add or replace just the value at a path; null in place of a container is an empty one."""
        expected = with_value(self.data(), path, value, place=self._place_of)
        old = self.get(path)
        if old is not MISSING and same(old, value):
            return self
        slots = self._slots(path)
        with placed(self.where):
            text = self._replaced(slots[-1], value) if len(slots) == len(path) else None
            text = self._added(slots, path, value) if text is None else text
        return self._checked(text, path, [expected])

    def remove(self, path: Path, *, prune: int = 0) -> YamlText:
        """Take away the value at a path, and up to `prune` containers that it leaves empty."""
        document = self
        while document.get(path) is not MISSING:
            document = self._reread(document.without(path))
        if document is self:
            return self
        for length in reversed(range(max(len(path) - prune, 1), len(path))):
            if document.is_bare(path[:length]):
                document = self._reread(document.without(path[:length]))
        # Those with comments stay.
        expected = [without(self.data(), path, prune=count) for count in range(len(path))]
        return self._checked(document.text, path, expected)

    def without(self, path: Path) -> str:
        """The text without one member of a collection."""
        slots = self._slots(path)
        if len(slots) < len(path):
            raise self._through_alias(path)
        holder, index = slots[-1].holder, slots[-1].index
        if holder.is_flow:
            return without_item(self.text, self._brackets(holder), index)
        start, end = self._lines(slots[-1])
        floor = 0
        if index:
            before = holder.members[index - 1].value
            floor = line_end(self.text, before.end)
            if _last(before).is_kept and start == floor:
                end = self._after_blank_lines(end)
        text = without_lines(
            self.text, start, end, floor=floor, is_first=index == 0 and len(holder.members) > 1
        )
        if len(holder.members) > 1 or holder is self.tree.root:
            return text
        return self._emptied(text, slots)

    def is_bare(self, path: Path) -> bool:
        """Whether a path leads to an empty collection without comments in or beside it."""
        slots = self._slots(path)
        if len(slots) < len(path) or slots[-1].node.members or slots[-1].node.data is None:
            return False
        slot = slots[-1]
        if slot.holder.is_flow:
            return "#" not in self.text[slot.node.start : slot.node.end]
        start, end = line_start(self.text, slot.member.start), line_end(self.text, slot.node.end)
        end = after_comments(self.text, end, column=slot.holder.column + 1)
        return "#" not in self.text[start:end]

    @cached_property
    def tree(self) -> Tree:
        """Where everything stands."""
        return parse(self.text, self.where)

    def _place_of(self, path: Path) -> str:
        slots = self._slots(path)
        return located(self.where, self.text, slots[-1].node.start if slots else 0)

    def _slots(self, path: Path) -> list[_Slot]:
        """The way along a path, as far as it is written out."""
        slots: list[_Slot] = []
        node = self.tree.root
        for step in path:
            index = _index(node, step) if node is not None else None
            if node is None or index is None:
                break
            slots.append(_Slot(node, index))
            node = slots[-1].node
        return slots

    def _reread(self, text: str) -> YamlText:
        return reread(lambda changed: read(changed, where=self.where), text, self.where)

    def _checked(self, text: str, path: Path, expected: list[object]) -> YamlText:
        changed = verified(self._reread(text), expected, self.where)
        if changed.marks(path) != self.marks(path):
            raise UneditableError(CHANGES_MORE, where=self.where, hint=BY_HAND)
        return changed

    def marks(self, path: Path) -> list[tuple[str, str | None, str | None]]:
        """All aliases, anchors and tags, but those of what stands at a path."""
        slots = self._slots(path)
        entry = slots[-1].node if len(slots) == len(path) else None
        nodes = walk(self.tree.root, entry) if self.tree.root else ()
        return [
            (node.text, node.anchor, node.tag)
            for node in nodes
            if node.kind == "alias" or node.anchor or node.tag
        ]

    def _replaced(self, slot: _Slot, value: object) -> str | None:
        """The text with another value where one is; nothing when its form cannot hold it."""
        node = slot.node
        style = style_of(self.tree.root, slot.holder, self.text)
        if node.is_block and not (is_nested(value) and not (node.tag or node.anchor)):
            return None
        if node.is_block:
            column = node.column
            if isinstance(value, dict) != (node.kind == "mapping"):
                column = below(value, slot.holder.column, style)
            lines = block_lines(value, column, style)
            start, end = node.members[0].start, line_end(self.text, node.end)
            begin = line_start(self.text, start)
            if is_blank(self.text, begin, start):
                start = begin
            else:
                lines[0] = lines[0].lstrip(" ")
                lines = [self.text[begin:start] + lines[0], *lines[1:]]
                start = begin
            return with_lines_replaced(self.text, start, end, lines, newline=newline_of(self.text))
        if is_nested(value) and not slot.holder.is_flow and not node.members:
            return None
        gap = "" if node.start < node.end or slot.member.indicator is None else " "
        return f"{self.text[: node.start]}{gap}{flow(value, style)}{self.text[node.end :]}"

    def _added(self, slots: list[_Slot], path: Path, value: object) -> str:
        """The text with a value that is not there, or not in a form that can hold the new one."""
        if len(slots) == len(path):
            return self._written_anew(slots[-1], value)
        rest = path[len(slots) :]
        node = slots[-1].node if slots else self.tree.root
        if node is not None and node.kind == "alias":
            raise self._through_alias(path)
        if node is not None and node.members:
            return self._appended(node, rest, value)
        if slots:
            if node is not None and node.is_flow and not self._can_unfold(slots[-1]):
                return self._appended(node, rest, value)
            return self._written_anew(slots[-1], with_value(MISSING, rest, value))
        if node is not None and node.is_flow:
            return self._appended(node, rest, value)
        return self._appended(Node("mapping", 0), rest, value)

    def _appended(self, holder: Node, rest: Path, value: object) -> str:
        """The text with one more member at the end of a collection."""
        step = rest[0]
        style = style_of(self.tree.root, holder, self.text)
        value = find(with_value(MISSING, rest, value), rest[:1])
        if holder.is_flow:
            item = flow(value, style)
            if isinstance(step, str):
                item = f"{scalar(step, style)}: {item}"
            return with_item(self.text, self._brackets(holder), item, newline_of(self.text))
        if isinstance(step, ByName):
            lines = element_lines(value, holder.column, style)
        elif is_nested(value) and _is_flow_like(holder):
            pad = " " * holder.column
            lines = [f"{pad}{scalar(step, style)}: {flow(value, style)}"]
        else:
            lines = pair_lines(step, value, holder.column, style)
        at = self._end_of(holder)
        blank = any(has_gap(self.text, member.start) for member in holder.members[1:])
        if _last(holder).is_kept:
            blank = False
        return with_lines(self.text, at, lines, newline=newline_of(self.text), blank=blank)

    def _end_of(self, holder: Node) -> int:
        """Where the next member of a block collection goes."""
        if not holder.members:
            return after_last_line(self.text, self.tree.end)
        at = line_end(self.text, holder.end)
        last = _last(holder)
        is_open = at == len(self.text) and not self.text.endswith("\n")
        if is_open and last.style in ("|", ">") and not last.is_stripped:
            raise UneditableError(
                "the file ends within a block text, which a line end behind it would change",
                where=located(self.where, self.text, last.start),
                hint="end the file with a line end",
            )
        if holder is self.tree.root:
            return max(at, after_last_line(self.text, self.tree.end))
        return after_comments(self.text, at, column=holder.column)

    def _can_unfold(self, slot: _Slot) -> bool:
        """Whether an empty flow collection can become lines below its key."""
        member = slot.member
        if slot.holder.is_flow or member.key is None or member.indicator is None:
            return False
        written = self.text[member.indicator : line_end(self.text, member.indicator)]
        return _EMPTY.fullmatch(written) is not None

    def _written_anew(self, slot: _Slot, value: object) -> str:
        """The text with a value below or behind a key, in place of whatever stands there."""
        node, member = slot.node, slot.member
        style = style_of(self.tree.root, slot.holder, self.text)
        if member.indicator is None or member.key is None:
            return self.text[: node.start] + flow(value, style) + self.text[node.end :]
        if slot.holder.is_flow or not is_nested(value):
            head = self.text[: member.indicator]
            return f"{head} {flow(value, style)}{self.text[node.end :]}"
        if node.is_block:
            text = self.text[: member.indicator] + self.text[node.end :]
            start = member.indicator
        else:
            start = node.start - (1 if node.start > member.indicator else 0)
            text = self.text[:start] + self.text[node.end :]
        lines = block_lines(value, below(value, slot.holder.column, style), style)
        at = line_end(text, start)
        return with_lines(text, at, lines, newline=newline_of(self.text), blank=False)

    def _emptied(self, text: str, slots: list[_Slot]) -> str:
        """The text with brackets for a block collection whose only member has been cut."""
        holder = slots[-1].holder
        member = slots[-2].member
        at = member.indicator
        if at is None or member.key is None:
            raise self._refused(
                "an element of a list would be left without anything", slots[-1].member.start
            )
        brackets = " {}" if holder.kind == "mapping" else " []"
        properties = _PROPERTIES.match(text, at)
        if properties and (holder.tag or holder.anchor):
            at = properties.end()
        return text[:at] + brackets + text[at:]

    def _lines(self, slot: _Slot) -> tuple[int, int]:
        start = line_start(self.text, slot.member.start)
        if not is_blank(self.text, start, slot.member.start):
            raise self._refused("something else begins on the same line", slot.member.start)
        return start, line_end(self.text, slot.member.end)

    def _after_blank_lines(self, start: int) -> int:
        while start < len(self.text) and is_blank(self.text, start, line_end(self.text, start)):
            start = line_end(self.text, start)
        return start

    def _brackets(self, node: Node) -> Brackets:
        if node.bracket is None:
            raise self._refused("a pair without brackets cannot be changed", node.start)
        items = tuple((member.start, member.end) for member in node.members)
        return Brackets(node.bracket, node.end, items)

    def _refused(self, message: str, offset: int) -> UneditableError:
        return UneditableError(message, where=located(self.where, self.text, offset), hint=BY_HAND)

    def _through_alias(self, path: Path) -> UneditableError:
        slots = self._slots(path)
        offset = slots[-1].node.start if slots else 0
        what = in_words(path[: len(slots)])
        return self._refused(f"{what} is an alias of something that stands elsewhere", offset)


def _index(node: Node, step: str | ByName) -> int | None:
    """The member of a collection that a step of a path means; aliases have none."""
    if isinstance(step, str) and node.kind == "mapping":
        return next((i for i, key in enumerate(node.data) if key == step), None)
    if isinstance(step, ByName) and node.kind == "sequence":
        found = [i for i, element in enumerate(node.data) if step.matches(element)]
        return found[-1] if found else None
    return None


def _last(node: Node) -> Node:
    """What stands last in a node."""
    while node.members and not node.is_flow:
        node = node.members[-1].value
    return node


def _is_flow_like(holder: Node) -> bool:
    """Whether the last entry that has members is written between brackets."""
    values = [member.value for member in holder.members if member.value.members]
    return bool(values) and values[-1].is_flow
