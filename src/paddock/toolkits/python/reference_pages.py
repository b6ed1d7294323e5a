"""Markdown reference pages: generated from a module's docstrings, and edited by section.

An edit changes the lines of one section. All other lines remain byte for byte the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import griffe

from paddock.authoring.handler_errors import ToolError
from paddock.reports.text import format_code_block
from paddock.suggestions import did_you_mean
from paddock.toolkits.file_edits import write_new_file
from paddock.toolkits.paths import require_file, resolve_path
from paddock.toolkits.python.doc_writer import (
    DocumentedFileError,
    convert_write_errors,
    edit_source_file,
    read_source_file,
)
from paddock.toolkits.python.docstring_edits import parse_source
from paddock.toolkits.python.docstring_styles import detect_style

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.toolkits.python.doc_writer import DocTask

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
    """The index of the heading line."""


def create_reference_page(task: DocTask, ctx: Context) -> str:
    """Write a Markdown reference page for a Python module or symbol, and return a message.

    The page is generated from the docstrings. An existing page is never replaced.

    Raises:
        DocumentedFileError: The page exists, or a file cannot be read or written.
        PageError: The module or symbol cannot be documented.
    """
    path = require_file(task.file, ctx, DocumentedFileError)
    page = resolve_path(task.page, ctx)
    if page.exists():
        raise DocumentedFileError(
            "the file exists already",
            where=str(page),
            hint="edit it with setPageSection and addPageSection, or delete it first",
        )
    code = read_source_file(path)
    parse_source(code, str(path))
    page_text = create_page(code, _get_module_name(path), path, task.symbol, task.content)
    ctx.raise_if_cancelled()
    with convert_write_errors(page):
        write_new_file(page, page_text.encode())
    section_count = sum(line.startswith("## ") for line in page_text.splitlines())
    return f"Wrote the page `{page}` with {section_count} sections"


def _get_module_name(path: Path) -> str:
    """Return the dotted name that a Python file is imported as, such as `package.module`."""
    parts = [path.stem] if path.stem != "__init__" else []
    folder = path.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts) or path.parent.name


def edit_reference_page(task: DocTask, ctx: Context) -> str:
    """Set, add or remove a section of a Markdown page, and return a message.

    Raises:
        PageError: The section does not exist or already exists.
    """
    path = require_file(task.file, ctx, DocumentedFileError)
    ctx.raise_if_cancelled()

    def edit(text: str) -> str:
        page = _MarkdownPage(text, str(path))
        if task.operation == "addPageSection":
            return page.add_section(task.section, task.content)
        if task.operation == "removePageSection":
            return page.remove_section(task.section)
        return page.set_section(task.section, task.content)

    edit_source_file(path, edit)
    verbs = {"setPageSection": "Set", "addPageSection": "Added", "removePageSection": "Removed"}
    return f"{verbs[task.operation]} the section {task.section!r}: `{path}`"


def create_page(code: str, module: str, path: Path, symbol: str, intro: str) -> str:
    """Return a Markdown reference page for a module or for a symbol in it.

    The code is parsed with griffe and not imported.

    Args:
        code: The source code of the module.
        module: The dotted name of the module.
        path: The module's file, for error messages.
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
    for member in _list_public_members(documented):
        parts += _format_member(member, 2)
    return "\n\n".join(parts) + "\n"


def _list_public_members(parent: Any) -> list[Any]:
    return [
        member
        for name, member in parent.members.items()
        if not member.is_alias and not name.startswith("_") and not member.is_module
    ]


def _format_member(member: Any, level: int) -> list[str]:
    """Return the Markdown blocks about a module member, including the methods of a class.

    Args:
        member: The function, class or attribute, as a griffe object.
        level: The heading level.
    """
    blocks = [f"{'#' * level} {member.name}", *_describe_member(member)]
    if member.is_class:
        methods = (child for child in _list_public_members(member) if child.is_function)
        for method in methods:
            blocks += _format_member(method, 3)
    return blocks


def _describe_member(member: Any) -> list[str]:
    """Return the signature and docstring of a griffe object as Markdown blocks."""
    blocks: list[str] = []
    signature = _format_signature(member)
    if signature:
        blocks.append(format_code_block(signature, "py"))
    if member.docstring is not None:
        style = detect_style([member.docstring.value])
        parser = _GRIFFE_PARSERS[style] if style else "google"
        sections = map(_format_docstring_section, member.docstring.parse(parser))
        blocks += filter(None, sections)
    return blocks


def _format_signature(member: Any) -> str:
    """Return the signature of a griffe object, as in `def f(x: int) -> str`, or an empty string."""
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
    """Return a parsed docstring section as Markdown.

    Parameters and attributes become a table, and other items, such as exceptions, a list.
    """
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


class _MarkdownPage:
    """The text of a page and its headings. Each edit returns the new text.

    A title may start with the `#` characters for its level, as in `## Usage`.
    """

    def __init__(self, text: str, where: str) -> None:
        self._text = text
        self._where = where
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._lines = text.splitlines(keepends=True)
        self._headings = _find_headings(self._lines)

    def add_section(self, title: str, content: str) -> str:
        """Return the page with a new section at its end.

        Args:
            title: The title of the section. It may begin with `#` signs that set the heading
                level. The default is 2.
            content: The text of the section.
        """
        name = title.lstrip("# ").strip()
        if any(heading.title == name for heading in self._headings):
            raise PageError(f"the section {name!r} exists already", where=self._where)
        level = len(title) - len(title.lstrip("#")) or 2
        gap = self._newline if self._text.endswith("\n") else self._newline * 2
        if not self._text or self._text.endswith(("\n\n", "\r\n\r\n")):
            gap = ""
        heading = f"{'#' * level} {name}{self._newline}"
        return f"{self._text}{gap}{heading}{self._newline}{self._format_body(content)}"

    def remove_section(self, title: str) -> str:
        """Return the page without a section and its subsections."""
        section, following = self._find_section(title)
        ends = [heading.line_index for heading in following if heading.level <= section.level]
        end = ends[0] if ends else len(self._lines)
        return "".join(self._lines[: section.line_index] + self._lines[end:])

    def set_section(self, title: str, content: str) -> str:
        """Return the page with new text for a section.

        The text of a section ends at the next heading, so its subsections remain unchanged.
        """
        section, following = self._find_section(title)
        end = following[0].line_index if following else len(self._lines)
        heading = self._lines[section.line_index].rstrip("\r\n") + self._newline
        gap = self._newline if following else ""
        new_lines = [heading, self._newline, self._format_body(content), gap]
        return "".join([*self._lines[: section.line_index], *new_lines, *self._lines[end:]])

    def _find_section(self, title: str) -> tuple[_PageHeading, list[_PageHeading]]:
        """Return the heading of a section and all headings after it.

        Raises:
            PageError: The page has no section with that title.
        """
        name = title.lstrip("# ").strip()
        titles = [heading.title for heading in self._headings]
        if name not in titles:
            hint = did_you_mean(name, titles)
            raise PageError(f"there is no section {name!r}", where=self._where, hint=hint)
        index = titles.index(name)
        return self._headings[index], self._headings[index + 1 :]

    def _format_body(self, content: str) -> str:
        return self._newline.join(content.strip("\n").splitlines()) + self._newline


def _find_headings(lines: list[str]) -> list[_PageHeading]:
    """Return the headings of a Markdown page in order.

    Lines in fenced code blocks, such as the Python comment `# note`, are not headings.
    """
    headings: list[_PageHeading] = []
    fence = ""
    for number, line in enumerate(lines):
        fence_match = _FENCE_PATTERN.match(line)
        if fence:
            is_closing = fence_match and fence_match[1].startswith(fence)
            fence = "" if is_closing and not line.strip().strip(fence[0]) else fence
        elif fence_match:
            fence = fence_match[1]
        elif heading := _HEADING_PATTERN.match(line):
            headings.append(_PageHeading(heading[2], len(heading[1]), number))
    return headings
