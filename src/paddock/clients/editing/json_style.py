"""How a JSON file is written: its indentation and spacing, and new values in the same manner."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paddock.clients.editing.document import newline_of
from paddock.clients.editing.json_spans import begins_line, has_line_end, indent_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paddock.clients.editing.json_spans import Container, Item

DEFAULT_UNIT = "  "
DEFAULT_COLON = ": "
_COLON = re.compile(r"[ \t]*:[ \t]*")
_LIST_WITH_SOMETHING = re.compile(r":[ \t]*\[(?P<inside>[ \t\r\n]*+)[^\]]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Style:
    """What a file does where JSON leaves a choice."""

    newline: str = "\n"
    unit: str = DEFAULT_UNIT
    colon: str = DEFAULT_COLON
    gap: str = " "
    padding: str = ""
    has_short_lists: bool = True

    def member(self, key: str | None, value: object, indent: str | None) -> str:
        """A member of an object, or an element of a list when there is no key."""
        rendered = self.value(value, indent)
        return rendered if key is None else f"{_scalar(key)}{self.colon}{rendered}"

    def value(self, value: object, indent: str | None) -> str:
        """A value whose line begins with `indent`, or one that stays on one line when that is None.

        Raises:
            ValueError: when JSON has no such value.
        """
        if isinstance(value, dict) and value:
            return self._container("{}", value.items(), self.padding, indent)
        if isinstance(value, list) and value:
            is_short = self.has_short_lists and not any(isinstance(v, dict | list) for v in value)
            elements = [(None, part) for part in value]
            return self._container("[]", elements, "", None if is_short else indent)
        return _scalar(value)

    def _container(
        self,
        brackets: str,
        items: Iterable[tuple[str | None, object]],
        padding: str,
        indent: str | None,
    ) -> str:
        if indent is None:
            inside = f",{self.gap}".join(self.member(k, v, None) for k, v in items)
            return f"{brackets[0]}{padding}{inside}{padding}{brackets[1]}"
        deeper = indent + self.unit
        separator = f",{self.newline}{deeper}"
        inside = separator.join(self.member(k, v, deeper) for k, v in items)
        return f"{brackets[0]}{self.newline}{deeper}{inside}{self.newline}{indent}{brackets[1]}"


def style_of(text: str, containers: list[Container]) -> Style:
    """The style of a file, from the containers on the way to a change: the innermost says most."""
    inwards = list(reversed(containers))
    colon = next(_colons(text, inwards), DEFAULT_COLON)
    default_gap = "" if colon == ":" else " "
    return Style(
        newline=newline_of(text),
        unit=next(_units(text, inwards), DEFAULT_UNIT),
        colon=colon,
        gap=next(_gaps(text, inwards), default_gap),
        padding=next(_paddings(text, inwards), ""),
        has_short_lists=_has_short_lists(text, inwards),
    )


def _colons(text: str, containers: list[Container]) -> Iterator[str]:
    for item in _all_items(containers):
        between = text[item.key_end : item.value]
        if item.key is not None and _COLON.fullmatch(between):
            yield between


def _all_items(containers: list[Container]) -> Iterator[Item]:
    for container in containers:
        yield from reversed(container.items)


def _units(text: str, containers: list[Container]) -> Iterator[str]:
    for container in containers:
        outer = indent_at(text, container.start)
        for item in container.items[:1]:
            inner = indent_at(text, item.start)
            if begins_line(text, item.start) and inner.startswith(outer):
                yield inner.removeprefix(outer)


def _gaps(text: str, containers: list[Container]) -> Iterator[str]:
    """What stands between a comma and the next item on the same line."""
    for container in containers:
        for one, other in zip(container.items, container.items[1:], strict=False):
            between = text[(one.comma or one.end) + 1 : other.start]
            if not between.strip(" \t"):
                yield between


def _paddings(text: str, containers: list[Container]) -> Iterator[str]:
    """What stands between the brace and the first member on the same line."""
    for container in containers:
        for item in container.items[:1]:
            between = text[container.start + 1 : item.start]
            if text[container.start] == "{" and not between.strip(" \t"):
                yield between


def _has_short_lists(text: str, containers: list[Container]) -> bool:
    for start, end in [*((c.start, c.end) for c in containers), (0, len(text))]:
        found = _LIST_WITH_SOMETHING.search(text, start, end)
        if found:
            return not has_line_end(found["inside"])
    return True


def _scalar(value: object) -> str:
    if not (isinstance(value, str | int | float) or value in (None, {}, [])):
        raise ValueError(f"{value!r} is no plain data")
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
