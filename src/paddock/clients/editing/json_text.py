"""JSON files, with comments or without, changed by cutting and pasting text.

Everything outside the cut stays as it is. What is put in follows the file's own style
(`json_style`); where to cut is decided in `json_changes`. Every change is read again and has to say
what the data said before with just that change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from paddock.clients.editing.document import (
    MISSING,
    ByName,
    ConfigurationError,
    UneditableError,
    in_words,
    located,
)
from paddock.clients.editing.json_changes import Addition, Edit, apply_edits, removal
from paddock.clients.editing.json_reading import Reading, read_json
from paddock.clients.editing.json_spans import (
    Container,
    Item,
    after_blanks,
    before_blanks,
    begins_line,
    container_at,
    has_line_end,
    indent_at,
)
from paddock.clients.editing.json_style import Style, style_of
from paddock.clients.editing.opening import Dialect
from paddock.clients.editing.plain_data import find, kind_of, same, with_value, without

if TYPE_CHECKING:
    from paddock.clients.editing.document import Path

_CHANGES_MORE = "the change cannot be made without changing something else"


def read(text: str, *, where: str, dialect: Dialect = "jsonc") -> JsonDocument:
    """Parse a JSON text whose root is an object or a list; a blank text is an empty document.

    Raises:
        ConfigurationError: with line and column of what is wrong.
    """
    reading = read_json(text, where=where, dialect=dialect)
    if reading.data is not MISSING and not isinstance(reading.data, dict | list):
        raise ConfigurationError(
            f"the whole file is {kind_of(reading.data)}, expected a mapping",
            where=located(where, text, after_blanks(reading.plain, 0)),
            hint="put it right by hand; nothing was changed",
        )
    return JsonDocument(text, where, dialect, reading)


@dataclass(frozen=True)
class _Level:
    """A container on the way along a path, and the places in it of what the next step means."""

    container: Container
    matches: list[int]

    @property
    def item(self) -> Item | None:
        """What the step leads to; the last one where a key stands several times."""
        return self.container.items[self.matches[-1]] if self.matches else None


@dataclass(frozen=True)
class JsonDocument:
    """A JSON text with its data; see `document.Document`.

    Taking away what was just added gives the same text again, except where different texts become
    the same one: brackets with nothing but a line end between them come back as `{}`, a file of
    nothing but one line end comes back empty, and one of nothing but comments keeps a `{}`.
    """

    text: str
    _where: str
    _dialect: Dialect
    _reading: Reading

    def data(self) -> object:
        """What the text says; not to be changed."""
        return {} if self._reading.data is MISSING else self._reading.data

    def get(self, path: Path) -> object:
        """What stands at a path, or `MISSING`; not to be changed."""
        return find(self._reading.data, path)

    def put(self, path: Path, value: object) -> Self:
        """Add or replace just the value at a path; a new member comes last.

        Null in place of a container is an empty one.

        Raises:
            ConfigurationError: when something on the way is not a container of the right kind.
            UneditableError: when JSON has no such value, or the change would change more.
        """
        expected = with_value(self._reading.data, path, value, place=self._place_of)
        if same(self.get(path), value):
            return self
        try:
            text = self._text_with(path, value)
        except (TypeError, ValueError, RecursionError) as error:
            raise self._uneditable(f"{in_words(path)} cannot be written as JSON: {error}") from None
        return self._verified(self._read(text), expected)

    def remove(self, path: Path, *, prune: int = 0) -> Self:
        """Take away what stands at a path, and up to `prune` containers that it leaves empty.

        The comments beside it on its line go too, others stay. Of a key that stands several times,
        all go, else an earlier one would come to count.

        Raises:
            UneditableError: when the change would change more.
        """
        if not path or self.get(path) is MISSING:
            return self
        document: Self = self._without(path)
        steps, pruned = path[:-1], 0
        while pruned < prune and document._is_bare(steps):
            document = document._without(steps)
            steps, pruned = steps[:-1], pruned + 1
        return self._verified(document, without(self._reading.data, path, prune=pruned))

    def _is_bare(self, path: Path) -> bool:
        """Whether a container holds nothing, not even a comment.

        The root has to be alone in the file. A key that stands several times is left alone, since
        with the last one the others would have to go too.
        """
        levels = self._levels((*path, ""))
        if len(levels) <= len(path) or any(len(level.matches) > 1 for level in levels[-2:-1]):
            return False
        container = levels[-1].container
        if before_blanks(self.text, container.end) > container.start + 1:
            return False
        outside = self.text[: container.start], self.text[container.end + 1 :]
        return bool(path) or not any(part.strip() for part in outside)

    def _without(self, path: Path) -> Self:
        document = self
        while document.get(path) is not MISSING:
            document = document._read(document._text_without(path))
        return document

    def _text_with(self, path: Path, value: object) -> str:
        levels = self._levels(path)
        if not levels:
            return self._text_with_root(with_value(MISSING, path, value))
        *outer, innermost = [level.container for level in levels]
        item = levels[-1].item
        example = item or next(reversed(innermost.items), None)
        beside = container_at(self._reading.plain, example.value) if example else None
        style = style_of(self.text, [*outer, *([beside] if beside else []), innermost])
        if item is not None:
            rest = path[len(levels) :]  # what is to stand in the place of a null
            value = with_value(MISSING, rest, value) if rest else value
            return apply_edits(self.text, [self._replacement(item, value, style)])
        rest = path[len(levels) - 1 :]
        fresh = with_value(MISSING, rest, value)
        key = None if isinstance(rest[0], ByName) else rest[0]
        addition = Addition(key, find(fresh, rest[:1]), style)
        holder = levels[-2].item if len(levels) > 1 else None
        may_unfold = holder is None or begins_line(self.text, holder.start)
        edits = addition.to(self.text, levels[-1].container, may_unfold=may_unfold)
        return apply_edits(self.text, edits)

    def _text_with_root(self, root: object) -> str:
        """The first container of a file that has none, after the comments that it may have."""
        style = style_of(self.text, [])
        rendered = style.value(root, "")
        if not self.text.strip():
            end = "" if has_line_end(self.text) else style.newline
            return rendered + end + self.text
        start = "" if self.text.endswith(("\r", "\n")) else style.newline
        return f"{self.text}{start}{rendered}{style.newline}"

    def _replacement(self, item: Item, value: object, style: Style) -> Edit:
        old = self.text[item.value : item.end]
        is_short_container = old[0] in "{[" and old[1:-1].strip() and not has_line_end(old)
        is_on_own_line = begins_line(self.text, item.start)
        stays_short = is_short_container or not (is_on_own_line or has_line_end(old))
        indent = None if stays_short else indent_at(self.text, item.value)
        return Edit(item.value, item.end, style.value(value, indent))

    def _text_without(self, path: Path) -> str:
        if not path:
            left = self.text.replace(self.text.strip(), "", 1)
            return "" if left in ("\n", "\r\n", "\r") else left
        level = self._levels(path)[-1]
        edits = removal(self.text, self._reading.plain, level.container, level.matches[-1])
        return apply_edits(self.text, edits)

    def _levels(self, path: Path) -> list[_Level]:
        """The containers along a path, as far as there are any."""
        plain, data = self._reading.plain, self._reading.data
        levels: list[_Level] = []
        start = after_blanks(plain, 0)
        for depth, step in enumerate(path):
            container = container_at(plain, start)
            if container is None:
                break
            here = find(data, path[:depth])
            level = _Level(container, _matches(step, container, here))
            levels.append(level)
            if level.item is None:
                break
            start = level.item.value
        return levels

    def _place_of(self, path: Path) -> str:
        offset = after_blanks(self._reading.plain, 0)
        for level in self._levels(path):
            offset = level.item.value if level.item else offset
        return located(self._where, self.text, offset)

    def _read(self, text: str) -> Self:
        """A text of our own making; what is wrong with it is not the user's fault."""
        try:
            reading = read_json(text, where=self._where, dialect=self._dialect)
        except ConfigurationError:
            raise self._uneditable(_CHANGES_MORE) from None
        return replace(self, text=text, _reading=reading)

    def _verified(self, document: Self, expected: object) -> Self:
        if same(document._reading.data, expected):
            return document
        raise self._uneditable(_CHANGES_MORE)

    def _uneditable(self, message: str) -> UneditableError:
        return UneditableError(
            message, where=self._where, hint="make the change by hand; nothing was changed"
        )


def _matches(step: str | ByName, container: Container, data: object) -> list[int]:
    if isinstance(step, str):
        return [place for place, item in enumerate(container.items) if item.key == step]
    elements = data if isinstance(data, list) else []
    return [place for place, element in enumerate(elements) if step.matches(element)]
