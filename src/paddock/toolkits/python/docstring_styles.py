"""What docstrings are made of, in the styles that people write them in: Google, NumPy and reST."""

from __future__ import annotations

import re
from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

Style = Literal["google", "numpy", "rest"]
STYLES: tuple[Style, ...] = ("google", "numpy", "rest")
_NAMES = {
    "args": "Args",
    "arguments": "Args",
    "params": "Args",
    "parameters": "Args",
    "keyword args": "Keyword Args",
    "keyword arguments": "Keyword Args",
    "other parameters": "Keyword Args",
    "return": "Returns",
    "returns": "Returns",
    "yield": "Yields",
    "yields": "Yields",
    "raise": "Raises",
    "raises": "Raises",
    "attributes": "Attributes",
    "example": "Examples",
    "examples": "Examples",
    "note": "Notes",
    "notes": "Notes",
    "warning": "Warnings",
    "warnings": "Warnings",
    "warns": "Warns",
    "see also": "See Also",
    "references": "References",
    "todo": "Todo",
}
SECTIONS = tuple(dict.fromkeys(_NAMES.values()))
"""In the order in which they stand."""
_IN_NUMPY = {"Args": "Parameters", "Keyword Args": "Other Parameters"}
_ITEMS = frozenset({"Args", "Keyword Args", "Raises", "Attributes"})
_FIELDS = {"Args": "param", "Keyword Args": "keyword", "Raises": "raises", "Attributes": "ivar"}
_FIELD_SECTIONS = {
    **dict.fromkeys(("param", "parameter", "arg", "argument", "type"), "Args"),
    **dict.fromkeys(("key", "keyword"), "Keyword Args"),
    **dict.fromkeys(("return", "returns", "rtype"), "Returns"),
    **dict.fromkeys(("yield", "yields"), "Yields"),
    **dict.fromkeys(("raise", "raises", "except", "exception"), "Raises"),
    **dict.fromkeys(("ivar", "var", "cvar", "vartype"), "Attributes"),
}
_GOOGLE = re.compile(r"^([A-Z][A-Za-z ]+):\s*$")
_UNDERLINE = re.compile(r"^-{3,}\s*$")
_FIELD = re.compile(r"^:(\w+)(?:\s+([^:]+))?:")
_RUBRIC = re.compile(r"^\.\. rubric:: (.+)$")
_ITEM = re.compile(r"^(\*{0,2}\w[\w.]*)\s*(?:\(([^)]*)\))?\s*:\s*(.*)$")
_NUMPY_ITEM = re.compile(r"^(\*{0,2}\w[\w.]*(?:,\s*\*{0,2}\w+)*)\s*(?::.*)?$")


class Section(NamedTuple):
    """A part of a docstring, with its heading."""

    name: str
    """As in `SECTIONS`; empty for what stands before the first of them."""
    lines: list[str]


def section_name(text: str) -> str | None:
    """The section that is called so, in whatever style."""
    return _NAMES.get(text.strip().rstrip(":").lower())


def style_of(docstrings: Iterable[str]) -> Style | None:
    """The style that most of some docstrings are in; None if none shows any."""
    found: Counter[Style] = Counter()
    for text in docstrings:
        lines = text.splitlines()
        for line, following in zip_longest(lines, lines[1:], fillvalue=""):
            google = _GOOGLE.match(line.strip())
            if google and section_name(google[1]):
                found["google"] += 1
            elif section_name(line) and _UNDERLINE.match(following.strip()):
                found["numpy"] += 1
            elif (field := _FIELD.match(line.strip())) and field[1] in _FIELD_SECTIONS:
                found["rest"] += 1
    best = found.most_common(1)
    return best[0][0] if best else None


def sections_of(text: str, style: Style) -> list[Section]:
    """The parts of a docstring, the first of which is what comes before all headings."""
    lines = text.split("\n")
    sections = [Section("", [])]
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else ""
        name = _heading(line, following, style)
        if name and not (style == "rest" and name == sections[-1].name):
            sections.append(Section(name, []))
        elif style == "rest" and _is_field(sections[-1]) and _is_prose(line):
            sections.append(Section("", []))
        sections[-1].lines.append(line)
    return sections


def _is_prose(line: str) -> bool:
    """Whether a line that is no heading belongs to no field: those that do are indented."""
    return bool(line) and not line[0].isspace() and not _FIELD.match(line)


def _is_field(section: Section) -> bool:
    return bool(section.lines and _FIELD.match(section.lines[0]))


def _heading(line: str, following: str, style: Style) -> str | None:
    if style == "google":
        match = _GOOGLE.match(line)
        return section_name(match[1]) if match else None
    if style == "numpy":
        return section_name(line) if _UNDERLINE.match(following) else None
    rubric = _RUBRIC.match(line)
    if rubric:
        return section_name(rubric[1])
    field = _FIELD.match(line)
    return _FIELD_SECTIONS.get(field[1]) if field else None


def with_section(text: str, style: Style, name: str, content: str | None) -> str:
    """A docstring with another section of a name, or without it."""
    kept = [section for section in sections_of(text, style) if section.name != name]
    if content is not None and content.strip():
        rank = SECTIONS.index(name)
        at = next(
            (
                index
                for index, section in enumerate(kept)
                if section.name and SECTIONS.index(section.name) > rank
            ),
            len(kept),
        )
        kept.insert(at, Section(name, _written(name, content.strip("\n"), style)))
    return _joined(kept, style)


def _joined(sections: list[Section], style: Style) -> str:
    parts: list[str] = []
    for section in sections:
        body = "\n".join(section.lines).strip("\n").rstrip()
        if not body:
            continue
        is_close = style == "rest" and parts and _FIELD.match(body) and _ends_with_field(parts[-1])
        parts += [("\n" if is_close else "\n\n") + body] if parts else [body]
    return "".join(parts)


def _ends_with_field(part: str) -> bool:
    return bool(_FIELD.match(part.lstrip("\n")))


def _written(name: str, content: str, style: Style) -> list[str]:
    """The lines of a section with its heading."""
    lines = _without_heading(content.split("\n"), name)
    items = _items(lines) if name in _ITEMS else []
    if style == "google":
        body = [line for item in items for line in _google_item(item)] if items else lines
        return [f"{name}:", *(f"    {line}".rstrip() for line in body)]
    if style == "numpy":
        heading = _IN_NUMPY.get(name, name)
        body = [line for item in items for line in _numpy_item(item)] if items else lines
        return [heading, "-" * len(heading), *body]
    if items:
        return [line for item in items for line in _rest_item(_FIELDS[name], item)]
    if name in ("Returns", "Yields"):
        first, *rest = [line.strip() for line in lines if line.strip()]
        return [f":{name.lower()}: {first}", *(f"    {line}" for line in rest)]
    if any(_FIELD.match(line) for line in lines):
        return lines
    return [f".. rubric:: {name}", "", *lines]


class _Item(NamedTuple):
    name: str
    kind: str
    lines: list[str]


def _items(lines: list[str]) -> list[_Item]:
    """The items of a section that are given as `name: text`; none if they are given otherwise."""
    items: list[_Item] = []
    for line in lines:
        match = _ITEM.match(line)
        if match:
            items.append(_Item(match[1], match[2] or "", [match[3]] if match[3] else []))
        elif line.strip() and not line[0].isspace():
            return []
        elif items and line.strip():
            items[-1].lines.append(line.strip())
    return items


def _google_item(item: _Item) -> list[str]:
    kind = f" ({item.kind})" if item.kind else ""
    first, *rest = item.lines or [""]
    return [f"{item.name}{kind}: {first}".rstrip(), *(f"    {line}" for line in rest)]


def _numpy_item(item: _Item) -> list[str]:
    kind = f" : {item.kind}" if item.kind else ""
    return [f"{item.name}{kind}", *(f"    {line}" for line in item.lines)]


def _rest_item(field: str, item: _Item) -> list[str]:
    first, *rest = item.lines or [""]
    found = [f":{field} {item.name}: {first}".rstrip(), *(f"    {line}" for line in rest)]
    return [*found, f":type {item.name}: {item.kind}"] if item.kind else found


def _without_heading(lines: list[str], name: str) -> list[str]:
    """The lines without a heading that was given along."""
    if lines and section_name(lines[0]) == name:
        lines = lines[1:]
        if lines and _UNDERLINE.match(lines[0].strip()):
            lines = lines[1:]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip() for line in lines]


def documented_names(text: str, style: Style, section: str = "Args") -> list[str]:
    """The names that a section describes."""
    names: list[str] = []
    for one in sections_of(text, style):
        if one.name != section:
            continue
        if style == "rest":
            fields = (_FIELD.match(line) for line in one.lines)
            names += [
                field[2].split()[-1]
                for field in fields
                if field and field[2] and field[1] != "type"
            ]
            continue
        lines = one.lines[2 if style == "numpy" else 1 :]
        filled = [line for line in lines if line.strip()]
        margin = min((len(line) - len(line.lstrip()) for line in filled), default=0)
        pattern = _NUMPY_ITEM if style == "numpy" else _ITEM
        for line in filled:
            match = (
                pattern.match(line[margin:]) if not line[margin : margin + 1].isspace() else None
            )
            if match:
                names += [name.strip() for name in match[1].split(",")]
    return [name.lstrip("*") for name in names]
