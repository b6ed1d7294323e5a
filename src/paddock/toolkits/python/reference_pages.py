"""Markdown reference pages: generated from the docstrings of a module, and edited by section.

An edit changes the lines of one section. All other lines stay byte for byte the same.
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
    """A page cannot be created or edited as requested."""

    code = "markdown-page"


class _PageHeading(NamedTuple):
    title: str
    level: int
    line_index: int
    """The index of the heading's line."""


def create_page(code: str, module: str, path: Path, symbol: str, intro: str) -> str:
    """Return a reference page for a module, or for a symbol in it.

    The code is read by griffe and not imported.

    Args:
        code: The source code of the module.
        module: The dotted name of the module.
        path: The file of the module, for error messages.
        symbol: The name of the symbol; empty for the whole module.
        intro: Markdown that follows the title.

    Raises:
        PageError: The code is invalid, or the symbol does not exist.
    """
    try:
        documented: Any = griffe.visit(module, filepath=path, code=code)
        documented = documented[symbol] if symbol else documented
    except (KeyError, SyntaxError, ValueError) as error:
        raise PageError(f"cannot create the page: {error}", where=str(path)) from None
    parts = [f"# {f'{module}.{symbol}' if symbol else module}"]
    if intro.strip():
        parts.append(intro.strip())
    parts += _describe_member(documented)
    parts += [
        part for member in _list_public_members(documented) for part in _format_member(member, 2)
    ]
    return "\n\n".join(parts) + "\n"


def _list_public_members(parent: Any) -> list[Any]:
    return [
        member
        for name, member in parent.members.items()
        if not member.is_alias and not name.startswith("_") and not member.is_module
    ]


def _format_member(member: Any, level: int) -> list[str]:
    """Return the heading and description of a member, and of the methods of a class."""
    parts = [f"{'#' * level} {member.name}", *_describe_member(member)]
    if member.is_class:
        parts += [
            part
            for child in _list_public_members(member)
            if child.is_function
            for part in _format_member(child, 3)
        ]
    return parts


def _describe_member(member: Any) -> list[str]:
    """Return the signature and the docstring of a member as Markdown."""
    parts: list[str] = []
    signature = _format_signature(member)
    if signature:
        parts.append(format_code_block(signature, "py"))
    if member.docstring is not None:
        style = detect_style([member.docstring.value])
        parser = _GRIFFE_PARSERS[style] if style else "google"
        parts += [
            text
            for section in member.docstring.parse(parser)
            if (text := _format_docstring_section(section))
        ]
    return parts


def _format_signature(member: Any) -> str:
    """Return the signature of a member as code, or an empty string if it has none."""
    if member.is_function:
        return f"def {member.signature()}"
    if member.is_class:
        bases = ", ".join(map(str, member.bases))
        return f"class {member.name}({bases})" if bases else f"class {member.name}"
    if member.is_attribute:
        annotation = f": {member.annotation}" if member.annotation else ""
        value = f" = {member.value}" if member.value is not None else ""
        return f"{member.name}{annotation}{value}"[:500]
    return ""


def _format_docstring_section(section: Any) -> str:
    """Return a section of a docstring as Markdown: parameters as a table, other items as a list."""
    kind = section.kind.value
    if kind == "text":
        return str(section.value).strip()
    if kind in ("parameters", "other parameters", "attributes"):
        rows = [
            f"| `{item.name}` | {_escape_cell(item.annotation)} "
            f"| {_escape_cell(item.description)} |"
            for item in section.value
        ]
        return "\n".join([f"| {kind.capitalize()} | Type | |", "|---|---|---|", *rows])
    if kind in ("returns", "yields", "raises", "warns", "receives"):
        items = [_format_item(item) for item in section.value]
        return "\n".join([f"**{kind.capitalize()}**\n", *items])
    if kind == "examples":
        texts = [
            format_code_block(text, "pycon") if item.value == "examples" else text
            for item, text in section.value
        ]
        return "\n\n".join(["**Examples**", *texts])
    if kind == "admonition":
        return f"**{section.title or section.value.kind}**\n\n{section.value.contents}"
    return ""


def _format_item(item: Any) -> str:
    name = getattr(item, "name", "") or ""
    label = " ".join(f"`{word}`" for word in (name, item.annotation) if word)
    text = " ".join(str(item.description).split())
    return f"- {label}: {text}" if label else f"- {text}"


def _escape_cell(text: object) -> str:
    return " ".join(str(text or "").split()).replace("|", "\\|")


def edit_page(text: str, operation: str, title: str, content: str, where: str) -> str:
    """Return a page with one section set, added or removed.

    Setting a section replaces the text up to the next heading and keeps its subsections. Removing
    it removes them too. A new section is added at the end of the page.

    Args:
        text: The page.
        operation: One of `setPageSection`, `addPageSection` and `removePageSection`.
        title: The title of the section. For a new section it may start with the `#` of its level.
        content: The new text of the section.
        where: The path of the page, for error messages.

    Raises:
        PageError: The section does not exist, or exists already.
    """
    lines = text.splitlines(keepends=True)
    newline = "\r\n" if "\r\n" in text else "\n"
    headings = _find_headings(lines)
    section_title = title.lstrip("# ").strip()
    index = next((i for i, heading in enumerate(headings) if heading.title == section_title), None)
    if operation == "addPageSection":
        if index is not None:
            raise PageError(f"the section {section_title!r} exists already", where=where)
        level = len(title) - len(title.lstrip("#")) or 2
        body = _format_body(content, newline)
        gap = "" if not text or text.endswith(("\n\n", "\r\n\r\n")) else newline
        gap = gap if not text or text.endswith("\n") else newline * 2
        return f"{text}{gap}{'#' * level} {section_title}{newline}{newline}{body}"
    if index is None:
        hint = did_you_mean(section_title, [heading.title for heading in headings])
        raise PageError(f"there is no section {section_title!r}", where=where, hint=hint)
    start, end = _find_section_lines(
        headings, index, len(lines), is_whole=operation == "removePageSection"
    )
    if operation == "removePageSection":
        return "".join(lines[:start] + lines[end:])
    heading_line = lines[start] if lines[start].endswith("\n") else lines[start] + newline
    following = "".join(lines[end:])
    gap = newline if following else ""
    return (
        "".join(lines[:start])
        + f"{heading_line}{newline}{_format_body(content, newline)}{gap}{following}"
    )


def _format_body(content: str, newline: str) -> str:
    return newline.join(content.strip("\n").splitlines()) + newline


def _find_section_lines(
    headings: list[_PageHeading], index: int, line_count: int, *, is_whole: bool
) -> tuple[int, int]:
    """Return the first line of a section and the line after its end.

    Args:
        headings: All headings of the page.
        index: The index of the section's heading.
        line_count: The number of lines of the page.
        is_whole: Whether the subsections belong to the section.
    """
    section = headings[index]
    for heading in headings[index + 1 :]:
        if not is_whole or heading.level <= section.level:
            return section.line_index, heading.line_index
    return section.line_index, line_count


def _find_headings(lines: list[str]) -> list[_PageHeading]:
    """Return the headings of a page in order."""
    # A line such as `# comment` in a fenced code block is not a heading.
    headings: list[_PageHeading] = []
    fence = ""
    for number, line in enumerate(lines):
        fence_match = _FENCE_PATTERN.match(line)
        if fence:
            if (
                fence_match
                and fence_match[1].startswith(fence)
                and not line.strip().strip(fence[0])
            ):
                fence = ""
        elif fence_match:
            fence = fence_match[1]
        elif heading := _HEADING_PATTERN.match(line):
            headings.append(_PageHeading(heading[2], len(heading[1]), number))
    return headings
