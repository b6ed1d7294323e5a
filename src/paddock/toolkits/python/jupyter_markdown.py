"""A Jupyter notebook as markdown, with what its cells gave, and its pictures.

Cells stand as jupytext writes them, so that it reads them back: code in fences of the notebook's
language, raw cells and those that hold fences themselves between comments. What a cell gave follows
it in a fence marked `output`.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.toolkits.python.jupyter_notebooks import get_source, join_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.toolkits.python.jupyter_notebooks import NotebookCell, JupyterNotebook

OUTPUT_FENCE = "output"
MAX_IMAGE_BYTES = 8 << 20
_IMAGE_EXTENSIONS = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
_SVG_MIME_TYPE = "image/svg+xml"
_TEXT_MIME_TYPES = ("text/markdown", "text/plain", "text/latex", "application/json", "text/html")
_ANSI_ESCAPE_PATTERN = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CELL_BREAK_PATTERN = re.compile(r"^\s*(?:```|~~~)|^<!-- #|\n\s*\n\s*\n|\A---\s*$", re.MULTILINE)
"""What would not be read back as one cell of text."""


class RenderLimits(NamedTuple):
    """How much is shown."""

    max_output_characters: int
    max_cell_characters: int
    max_images: int
    max_characters: int


class NotebookImage(NamedTuple):
    """A picture as a file."""

    data: bytes
    mime: str


class RenderedNotebook(NamedTuple):
    """A notebook as it is shown."""

    text: str
    images: list[NotebookImage]


def render_notebook(notebook: JupyterNotebook, limits: RenderLimits, start: int = 1) -> RenderedNotebook:
    """A notebook from a cell on, the first of which is 1; as much of it as fits."""
    page = _NotebookRenderer(notebook.language, limits)
    cells = notebook.cells
    text = _format_omission(1, start - 1, 1) if start > 1 else ""
    room = limits.max_characters
    was_plain = True
    for number in range(start, len(cells) + 1):
        part, is_plain = page.render_cell(cells[number - 1])
        room -= len(part)
        if room < 0 and number > start:
            text += f"\n\n\n{_format_omission(number, len(cells), number)}"
            break
        # Two empty lines are what divides one cell of text from the next.
        text += ("\n\n\n" if was_plain and is_plain else "\n\n") + part if text else part
        was_plain = is_plain
    return RenderedNotebook(f"{text}\n" if text else "", page.images)


def _format_omission(first: int, last: int, start: int) -> str:
    return f"*Cells {first} to {last} are left out: read them with start={start}.*"


OMISSION_PATTERN = re.compile(r"\*Cells (\d+) to (\d+) are left out: read them with start=\d+\.\*")
TRUNCATION_PATTERN = re.compile(r"\n\.\.\. \[(\d+) more characters\]\Z")
"""What stands for cells, and for the rest of a cell, that are not shown."""


class _NotebookRenderer:
    """Cells as markdown, and the pictures met on the way."""

    def __init__(self, language: str, limits: RenderLimits) -> None:
        self._language = language
        self._limits = limits
        self._image_count = 0
        self.images: list[NotebookImage] = []

    def render_cell(self, cell: NotebookCell) -> tuple[str, bool]:
        """A cell, and whether it is text that stands for itself."""
        kind = cell.get("cell_type")
        source = _truncate_text(get_source(cell), self._limits.max_cell_characters)
        if kind == "code":
            fences = [_format_fence(source, self._language)]
            told = "\n".join(self._render_outputs(cell))
            if told:
                fences.append(_format_fence(told, OUTPUT_FENCE))
            return "\n\n".join(fences), False
        if kind == "raw":
            return f"<!-- #raw -->\n{source}\n<!-- #endraw -->", False
        if _CELL_BREAK_PATTERN.search(source) or not source.strip():
            return f"<!-- #region -->\n{source}\n<!-- #endregion -->", False
        return source.strip("\n"), True

    def _render_outputs(self, cell: NotebookCell) -> Iterable[str]:
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else []:
            text = self._render_output(output) if isinstance(output, dict) else ""
            text = _ANSI_ESCAPE_PATTERN.sub("", text).rstrip()
            if text:
                yield _truncate_text(text, self._limits.max_output_characters)

    def _render_output(self, output: dict[str, Any]) -> str:
        kind = output.get("output_type")
        if kind == "stream":
            return join_lines(output.get("text"))
        if kind == "error":
            trace = output.get("traceback")
            lines = join_lines("\n".join(map(str, trace)) if isinstance(trace, list) else "")
            # The end of a traceback says most.
            told = f"{output.get('ename')}: {output.get('evalue')}"
            plain = _ANSI_ESCAPE_PATTERN.sub("", lines).rstrip()
            return plain[-self._limits.max_output_characters :] if plain.endswith(told) else told
        data = output.get("data")
        return self._render_data(data) if isinstance(data, dict) else ""

    def _render_data(self, data: dict[str, Any]) -> str:
        """What is shown of a value: a picture if it is one, else the best of its texts."""
        for mime in (*_IMAGE_EXTENSIONS, _SVG_MIME_TYPE):
            if mime in data:
                return self._render_image(join_lines(data[mime]), mime)
        for mime in _TEXT_MIME_TYPES:
            if mime in data:
                value = data[mime]
                return str(value) if isinstance(value, dict) else join_lines(value)
        return f"[{', '.join(map(str, data))}]" if data else ""

    def _render_image(self, text: str, mime: str) -> str:
        self._image_count += 1
        if mime == _SVG_MIME_TYPE or len(self.images) >= self._limits.max_images:
            return f"![{mime}](picture-{self._image_count})"
        try:
            data = base64.b64decode(text, validate=False)
        except (binascii.Error, ValueError):
            data = b""
        if not data or len(data) > MAX_IMAGE_BYTES:
            return f"![{mime}](picture-{self._image_count})"
        self.images.append(NotebookImage(data, mime))
        return f"![Image](picture-{self._image_count}.{_IMAGE_EXTENSIONS[mime]})"


def _format_fence(text: str, language: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _truncate_text(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[:most]}\n... [{len(text) - most} more characters]"
