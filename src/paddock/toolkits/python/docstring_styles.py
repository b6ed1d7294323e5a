"""Parsing and editing docstring sections in Google, NumPy and reST style."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

DocstringStyle = Literal["google", "numpy", "rest"]
_SECTION_ALIASES = {
    "Args": ("arguments", "params", "parameters"),
    "Keyword Args": ("keyword arguments", "other parameters"),
    "Returns": ("return",),
    "Yields": ("yield",),
    "Raises": ("raise",),
    "Attributes": (),
    "Examples": ("example",),
    "Notes": ("note",),
    "Warnings": ("warning",),
    **dict.fromkeys(("Warns", "See Also", "References", "Todo"), ()),
}
"""Alternative section headings, in lower case."""
SECTION_ORDER = tuple(_SECTION_ALIASES)
"""Canonical section names in their usual order."""
_SECTION_NAMES = {
    heading: name
    for name, aliases in _SECTION_ALIASES.items()
    for heading in (name.lower(), *aliases)
}
_NUMPY_SECTION_NAMES = {"Args": "Parameters", "Keyword Args": "Other Parameters"}
_ITEM_SECTIONS = frozenset({"Args", "Keyword Args", "Raises", "Attributes"})
_REST_FIELDS = {
    "Args": "param",
    "Keyword Args": "keyword",
    "Raises": "raises",
    "Attributes": "ivar",
}
_REST_FIELD_SECTIONS = {
    **dict.fromkeys(("param", "parameter", "arg", "argument", "type"), "Args"),
    **dict.fromkeys(("key", "keyword"), "Keyword Args"),
    **dict.fromkeys(("return", "returns", "rtype"), "Returns"),
    **dict.fromkeys(("yield", "yields"), "Yields"),
    **dict.fromkeys(("raise", "raises", "except", "exception"), "Raises"),
    **dict.fromkeys(("ivar", "var", "cvar", "vartype"), "Attributes"),
}
_GOOGLE_HEADING_PATTERN = re.compile(r"^([A-Z][A-Za-z ]+):\s*$")
_UNDERLINE_PATTERN = re.compile(r"^-{3,}\s*$")
_REST_FIELD_PATTERN = re.compile(r"^:(\w+)(?:\s+([^:]+))?:")
_RUBRIC_PATTERN = re.compile(r"^\.\. rubric:: (.+)$")
_ITEM_PATTERN = re.compile(r"^(\*{0,2}\w[\w.]*)\s*(?:\(([^)]*)\))?\s*:\s*(.*)$")
_NUMPY_ITEM_PATTERN = re.compile(r"^(\*{0,2}\w[\w.]*(?:,\s*\*{0,2}\w+)*)\s*(?::.*)?$")


class DocstringSection(NamedTuple):
    """A section of a docstring with its heading."""

    name: str
    """A name from `SECTION_ORDER`; empty for text outside of sections."""
    lines: list[str]


def find_section_name(text: str) -> str | None:
    """Return the canonical name of a section heading in any style, or None."""
    return _SECTION_NAMES.get(text.strip().rstrip(":").lower())


def detect_style(docstrings: Iterable[str]) -> DocstringStyle | None:
    """Return the style that most of the docstrings use, or None if they have no sections.

    Each style is recognized by its headings: `Args:` in Google style, underlined headings in NumPy
    style, and fields such as `:param x:` in reST.
    """
    counts: Counter[DocstringStyle] = Counter()
    for text in docstrings:
        lines = text.splitlines()
        for line, following in zip_longest(lines, lines[1:], fillvalue=""):
            heading = _GOOGLE_HEADING_PATTERN.match(line.strip())
            field = _REST_FIELD_PATTERN.match(line.strip())
            if heading and find_section_name(heading[1]):
                counts["google"] += 1
            elif find_section_name(line) and _UNDERLINE_PATTERN.match(following.strip()):
                counts["numpy"] += 1
            elif field and field[1] in _REST_FIELD_SECTIONS:
                counts["rest"] += 1
    return next((style for style, _ in counts.most_common(1)), None)


def split_sections(text: str, style: DocstringStyle) -> list[DocstringSection]:
    """Split a docstring into sections such as "Args" and "Returns".

    The first section has no name and contains the text before the first heading. In reST, each
    field, such as `:param x: …`, is a heading. Adjacent fields of the same kind form one section.
    """
    lines = text.split("\n")
    sections = [DocstringSection("", [])]
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        name = _find_heading(line, following, style)
        if name and not (style == "rest" and name == sections[-1].name):
            sections.append(DocstringSection(name, []))
        elif style == "rest" and _is_field_section(sections[-1]) and _is_prose(line):
            sections.append(DocstringSection("", []))
        sections[-1].lines.append(line)
    return sections


def _is_prose(line: str) -> bool:
    """Return True if a line that is not a heading ends the fields before it."""
    return bool(line) and not line[0].isspace() and not _REST_FIELD_PATTERN.match(line)


def _is_field_section(section: DocstringSection) -> bool:
    return bool(section.lines and _REST_FIELD_PATTERN.match(section.lines[0]))


def _find_heading(line: str, following: str, style: DocstringStyle) -> str | None:
    """Return the name of the docstring section that a line begins, or None.

    Args:
        line: A line of a docstring, such as "Parameters".
        following: The next line, which is an underline in NumPy style.
        style: The style of the docstring.

    Returns:
        The name of the section in Google style, such as "Args".
    """
    if style == "google":
        match = _GOOGLE_HEADING_PATTERN.match(line)
        return find_section_name(match[1]) if match else None
    if style == "numpy":
        return find_section_name(line) if _UNDERLINE_PATTERN.match(following) else None
    rubric = _RUBRIC_PATTERN.match(line)
    if rubric:
        return find_section_name(rubric[1])
    field = _REST_FIELD_PATTERN.match(line)
    return _REST_FIELD_SECTIONS.get(field[1]) if field else None


def replace_section(text: str, style: DocstringStyle, name: str, content: str | None) -> str:
    """Return a docstring with a section replaced or removed.

    A new section is inserted in the usual section order.

    Args:
        text: The docstring.
        style: The style of the docstring.
        name: A name from `SECTION_ORDER`.
        content: The content, with or without its heading, or None to remove the section.
    """
    sections = [section for section in split_sections(text, style) if section.name != name]
    if content is not None and content.strip():
        later_names = SECTION_ORDER[SECTION_ORDER.index(name) + 1 :]
        position = next(
            (index for index, section in enumerate(sections) if section.name in later_names),
            len(sections),
        )
        lines = _format_section(name, content.strip("\n"), style)
        sections.insert(position, DocstringSection(name, lines))
    return _join_sections(sections, style)


def _join_sections(sections: list[DocstringSection], style: DocstringStyle) -> str:
    """Join sections into a docstring, with an empty line between them where the style needs one."""
    parts: list[str] = []
    for section in sections:
        body = "\n".join(section.lines).strip("\n").rstrip()
        if not body:
            continue
        # reST fields form one list, so there is no empty line between field sections.
        is_field = style == "rest" and _REST_FIELD_PATTERN.match(body)
        follows_field = parts and _REST_FIELD_PATTERN.match(parts[-1].lstrip("\n"))
        separator = "\n" if is_field and follows_field else "\n\n"
        parts.append(separator + body if parts else body)
    return "".join(parts)


def _format_section(name: str, content: str, style: DocstringStyle) -> list[str]:
    """Return the lines of a docstring section, with its heading, in the given style.

    Args:
        name: The name of the section in Google style, such as "Args".
        content: The text of the section. Items in the form `name (type): text` are converted to
            the style. All other content is left unchanged.
        style: The style of the docstring.
    """
    lines = _strip_heading(content.split("\n"), name)
    items = _parse_items(lines) if name in _ITEM_SECTIONS else []
    body = [line for item in items for line in _format_item(item, style, name)] or lines
    if style == "google":
        return [f"{name}:", *(f"    {line}".rstrip() for line in body)]
    if style == "numpy":
        heading = _NUMPY_SECTION_NAMES.get(name, name)
        return [heading, "-" * len(heading), *body]
    if items:
        return body
    if name in ("Returns", "Yields"):
        first, *following = [line.strip() for line in lines if line.strip()]
        return [f":{name.lower()}: {first}", *(f"    {line}" for line in following)]
    # The content already contains reST fields.
    if any(_REST_FIELD_PATTERN.match(line) for line in lines):
        return lines
    return [f".. rubric:: {name}", "", *lines]


class _SectionItem(NamedTuple):
    """One item of a docstring section, such as a parameter: `name (type): text`."""

    name: str
    type_text: str
    lines: list[str]


def _parse_items(lines: list[str]) -> list[_SectionItem]:
    """Parse the items of a docstring section, in the form `name (type): text`.

    Indented lines continue the previous item's text. If any other line is not an item, the
    section is prose, and the list is empty.
    """
    items: list[_SectionItem] = []
    for line in lines:
        match = _ITEM_PATTERN.match(line)
        if match:
            items.append(_SectionItem(match[1], match[2] or "", [match[3]] if match[3] else []))
        elif line.strip() and not line[0].isspace():
            return []
        elif items and line.strip():
            items[-1].lines.append(line.strip())
    return items


def _format_item(item: _SectionItem, style: DocstringStyle, section: str) -> list[str]:
    """Return the lines of an item in a docstring style.

    A parameter is `name (type): text` in Google style, `name : type` with indented text in NumPy
    style, and `:param name: text` with `:type name: type` in reST.
    """
    if style == "numpy":
        heading = f"{item.name} : {item.type_text}" if item.type_text else item.name
        return [heading, *(f"    {line}" for line in item.lines)]
    first, *following = item.lines or [""]
    heading = f"{item.name} ({item.type_text})" if item.type_text else item.name
    if style == "rest":
        heading = f":{_REST_FIELDS[section]} {item.name}"
    lines = [f"{heading}: {first}".rstrip(), *(f"    {line}" for line in following)]
    if style == "rest" and item.type_text:
        lines.append(f":type {item.name}: {item.type_text}")
    return lines


def _strip_heading(lines: list[str], name: str) -> list[str]:
    """Return the lines unindented and without the heading, which callers may have included."""
    if lines and find_section_name(lines[0]) == name:
        lines = lines[1:]
        if lines and _UNDERLINE_PATTERN.match(lines[0].strip()):
            lines = lines[1:]
    return [line.rstrip() for line in textwrap.dedent("\n".join(lines)).split("\n")]


def list_documented_names(text: str, style: DocstringStyle, section: str = "Args") -> list[str]:
    """Return the names that a docstring section describes, without the stars of `*args`.

    In Google and NumPy style, names are the words at the section's smallest indentation. Lines
    that are indented more continue a description.
    """
    names: list[str] = []
    for candidate in split_sections(text, style):
        if candidate.name != section:
            continue
        if style == "rest":
            fields = filter(None, map(_REST_FIELD_PATTERN.match, candidate.lines))
            names += [field[2].split()[-1] for field in fields if field[2] and field[1] != "type"]
            continue
        # The heading has two lines in NumPy style (with its underline) and one in Google style.
        lines = textwrap.dedent("\n".join(candidate.lines[2 if style == "numpy" else 1 :]))
        pattern = _NUMPY_ITEM_PATTERN if style == "numpy" else _ITEM_PATTERN
        for match in filter(None, map(pattern.match, lines.splitlines())):
            names += [name.strip() for name in match[1].split(",")]
    return [name.lstrip("*") for name in names]
