"""How a JSON file is written: its indentation and spacing, and new values in the same manner."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paddock.clients.editing.document import detect_newline
from paddock.clients.editing.json_spans import is_first_on_line, has_line_break, get_indent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paddock.clients.editing.json_spans import JsonContainer, JsonItem

DEFAULT_INDENT = "  "
DEFAULT_KEY_SEPARATOR = ": "
_KEY_SEPARATOR = re.compile(r"[ \t]*:[ \t]*")
_NON_EMPTY_LIST = re.compile(r":[ \t]*\[(?P<inside>[ \t\r\n]*+)[^\]]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class JsonStyle:
    """What a file does where JSON leaves a choice."""

    newline: str = "\n"
    indent_unit: str = DEFAULT_INDENT
    key_separator: str = DEFAULT_KEY_SEPARATOR
    item_gap: str = " "
    brace_padding: str = ""
    has_short_lists: bool = True

    def format_member(self, key: str | None, value: object, indent: str | None) -> str:
        """A member of an object, or an element of a list when there is no key."""
        rendered = self.format_value(value, indent)
        return rendered if key is None else f"{_format_scalar(key)}{self.key_separator}{rendered}"

    def format_value(self, value: object, indent: str | None) -> str:
        """A value whose line begins with `indent`, or one that stays on one line when that is None.

        Raises:
            ValueError: when JSON has no such value.
        """
        if isinstance(value, dict) and value:
            return self._format_container("{}", value.items(), self.brace_padding, indent)
        if isinstance(value, list) and value:
            is_short = self.has_short_lists and not any(isinstance(v, dict | list) for v in value)
            elements = [(None, part) for part in value]
            return self._format_container("[]", elements, "", None if is_short else indent)
        return _format_scalar(value)

    def _format_container(
        self,
        brackets: str,
        items: Iterable[tuple[str | None, object]],
        padding: str,
        indent: str | None,
    ) -> str:
        if indent is None:
            inside = f",{self.item_gap}".join(self.format_member(k, v, None) for k, v in items)
            return f"{brackets[0]}{padding}{inside}{padding}{brackets[1]}"
        deeper = indent + self.indent_unit
        separator = f",{self.newline}{deeper}"
        inside = separator.join(self.format_member(k, v, deeper) for k, v in items)
        return f"{brackets[0]}{self.newline}{deeper}{inside}{self.newline}{indent}{brackets[1]}"


def detect_style(text: str, containers: list[JsonContainer]) -> JsonStyle:
    """The style of a file, from the containers on the way to a change: the innermost says most."""
    inwards = list(reversed(containers))
    colon = next(_iterate_key_separators(text, inwards), DEFAULT_KEY_SEPARATOR)
    default_gap = "" if colon == ":" else " "
    return JsonStyle(
        newline=detect_newline(text),
        indent_unit=next(_iterate_indent_units(text, inwards), DEFAULT_INDENT),
        key_separator=colon,
        item_gap=next(_iterate_item_gaps(text, inwards), default_gap),
        brace_padding=next(_iterate_brace_paddings(text, inwards), ""),
        has_short_lists=_has_short_lists(text, inwards),
    )


def _iterate_key_separators(text: str, containers: list[JsonContainer]) -> Iterator[str]:
    for item in _iterate_items(containers):
        between = text[item.key_end : item.value_start]
        if item.key is not None and _KEY_SEPARATOR.fullmatch(between):
            yield between


def _iterate_items(containers: list[JsonContainer]) -> Iterator[JsonItem]:
    for container in containers:
        yield from reversed(container.items)


def _iterate_indent_units(text: str, containers: list[JsonContainer]) -> Iterator[str]:
    for container in containers:
        outer = get_indent(text, container.start)
        for item in container.items[:1]:
            inner = get_indent(text, item.start)
            if is_first_on_line(text, item.start) and inner.startswith(outer):
                yield inner.removeprefix(outer)


def _iterate_item_gaps(text: str, containers: list[JsonContainer]) -> Iterator[str]:
    """What stands between a comma and the next item on the same line."""
    for container in containers:
        for one, other in zip(container.items, container.items[1:], strict=False):
            between = text[(one.comma or one.end) + 1 : other.start]
            if not between.strip(" \t"):
                yield between


def _iterate_brace_paddings(text: str, containers: list[JsonContainer]) -> Iterator[str]:
    """What stands between the brace and the first member on the same line."""
    for container in containers:
        for item in container.items[:1]:
            between = text[container.start + 1 : item.start]
            if text[container.start] == "{" and not between.strip(" \t"):
                yield between


def _has_short_lists(text: str, containers: list[JsonContainer]) -> bool:
    for start, end in [*((c.start, c.end) for c in containers), (0, len(text))]:
        found = _NON_EMPTY_LIST.search(text, start, end)
        if found:
            return not has_line_break(found["inside"])
    return True


def _format_scalar(value: object) -> str:
    if not (isinstance(value, str | int | float) or value in (None, {}, [])):
        raise ValueError(f"{value!r} is no plain data")
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
