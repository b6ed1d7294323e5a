"""Reference pages in Markdown: made of what a module says of itself, and edited section by section.

An edit changes the lines of one section, and keeps all others byte for byte.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import griffe

from paddock.authoring.handler_errors import ToolError
from paddock.reports.text import format_code_block
from paddock.suggestions import did_you_mean
from paddock.toolkits.python.docstring_styles import detect_style

if TYPE_CHECKING:
    from pathlib import Path

_GRIFFE_PARSERS = {"google": "google", "numpy": "numpy", "rest": "sphinx"}
_HEADING_PATTERN = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE_PATTERN = re.compile(r"^\s{0,3}(`{3,}|~{3,})")


class PageError(ToolError):
    """A page cannot be made or changed as it was asked for."""

    code = "markdown-page"


class _PageHeading(NamedTuple):
    title: str
    level: int
    line_index: int
    """The line it stands on, counted from 0."""


def create_page(code: str, module: str, path: Path, symbol: str, intro: str) -> str:
    """A page on a module, or on a symbol in it.

    Raises:
        PageError: when there is no such symbol.
    """
    try:
        found: Any = griffe.visit(module, filepath=path, code=code)
        found = found[symbol] if symbol else found
    except (KeyError, SyntaxError, ValueError) as error:
        raise PageError(f"There is no page to make: {error}", where=str(path)) from None
    parts = [f"# {f'{module}.{symbol}' if symbol else module}"]
    if intro.strip():
        parts.append(intro.strip())
    parts += _describe_member(found)
    parts += [part for member in _list_public_members(found) for part in _format_member(member, 2)]
    return "\n\n".join(parts) + "\n"


def _list_public_members(parent: Any) -> list[Any]:
    return [
        member
        for name, member in parent.members.items()
        if not member.is_alias and not name.startswith("_") and not member.is_module
    ]


def _format_member(member: Any, level: int) -> list[str]:
    parts = [f"{'#' * level} {member.name}", *_describe_member(member)]
    if member.is_class:
        parts += [
            part
            for one in _list_public_members(member)
            if one.is_function
            for part in _format_member(one, 3)
        ]
    return parts


def _describe_member(member: Any) -> list[str]:
    parts: list[str] = []
    signature = _format_signature(member)
    if signature:
        parts.append(format_code_block(signature, "py"))
    if member.docstring is not None:
        style = detect_style([member.docstring.value])
        parser = _GRIFFE_PARSERS[style] if style else "google"
        parts += [
            text
            for one in member.docstring.parse(parser)
            if (text := _format_docstring_section(one))
        ]
    return parts


def _format_signature(member: Any) -> str:
    if member.is_function:
        return f"def {member.signature()}"
    if member.is_class:
        bases = ", ".join(map(str, member.bases))
        return f"class {member.name}({bases})" if bases else f"class {member.name}"
    if member.is_attribute:
        kind = f": {member.annotation}" if member.annotation else ""
        value = f" = {member.value}" if member.value is not None else ""
        return f"{member.name}{kind}{value}"[:500]
    return ""


def _format_docstring_section(section: Any) -> str:
    """A section of a docstring as markdown."""
    kind = section.kind.value
    if kind == "text":
        return str(section.value).strip()
    if kind in ("parameters", "other parameters", "attributes"):
        rows = [
            f"| `{one.name}` | {_escape_cell(one.annotation)} | {_escape_cell(one.description)} |"
            for one in section.value
        ]
        return "\n".join([f"| {kind.capitalize()} | Type | |", "|---|---|---|", *rows])
    if kind in ("returns", "yields", "raises", "warns", "receives"):
        items = [_format_item(one) for one in section.value]
        return "\n".join([f"**{kind.capitalize()}**\n", *items])
    if kind == "examples":
        texts = [
            format_code_block(text, "pycon") if one.value == "examples" else text
            for one, text in section.value
        ]
        return "\n\n".join(["**Examples**", *texts])
    if kind == "admonition":
        return f"**{section.title or section.value.kind}**\n\n{section.value.contents}"
    return ""


def _format_item(one: Any) -> str:
    name = getattr(one, "name", "") or ""
    told = " ".join(f"`{word}`" for word in (name, one.annotation) if word)
    text = " ".join(str(one.description).split())
    return f"- {told}: {text}" if told else f"- {text}"


def _escape_cell(text: object) -> str:
    return " ".join(str(text or "").split()).replace("|", "\\|")


def edit_page(text: str, operation: str, title: str, content: str, where: str) -> str:
    """A page with a section set, added or removed.

    Raises:
        PageError: when there is no such section, or one already.
    """
    lines = text.splitlines(keepends=True)
    newline = "\r\n" if "\r\n" in text else "\n"
    headings = _find_headings(lines)
    wanted = title.lstrip("# ").strip()
    index = next((i for i, one in enumerate(headings) if one.title == wanted), None)
    if operation == "addPageSection":
        if index is not None:
            raise PageError(f"There is a section {wanted!r} already", where=where)
        level = len(title) - len(title.lstrip("#")) or 2
        body = _format_body(content, newline)
        gap = "" if not text or text.endswith(("\n\n", "\r\n\r\n")) else newline
        gap = gap if not text or text.endswith("\n") else newline * 2
        return f"{text}{gap}{'#' * level} {wanted}{newline}{newline}{body}"
    if index is None:
        hint = did_you_mean(wanted, [one.title for one in headings])
        raise PageError(f"There is no section {wanted!r}", where=where, hint=hint)
    start, end = _find_section_lines(
        headings, index, len(lines), is_whole=operation == "removePageSection"
    )
    if operation == "removePageSection":
        return "".join(lines[:start] + lines[end:])
    kept = lines[start] if lines[start].endswith("\n") else lines[start] + newline
    after = "".join(lines[end:])
    gap = newline if after else ""
    return "".join(lines[:start]) + f"{kept}{newline}{_format_body(content, newline)}{gap}{after}"


def _format_body(content: str, newline: str) -> str:
    return newline.join(content.strip("\n").splitlines()) + newline


def _find_section_lines(
    headings: list[_PageHeading], index: int, last: int, *, is_whole: bool
) -> tuple[int, int]:
    """The lines of a section: with those below it, or up to the next heading."""
    found = headings[index]
    for one in headings[index + 1 :]:
        if not is_whole or one.level <= found.level:
            return found.line_index, one.line_index
    return found.line_index, last


def _find_headings(lines: list[str]) -> list[_PageHeading]:
    """The headings that are in no fence."""
    found: list[_PageHeading] = []
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE_PATTERN.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif mark:
            fence = mark[1]
        elif heading := _HEADING_PATTERN.match(line):
            found.append(_PageHeading(heading[2], len(heading[1]), number))
    return found
