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

from paddock.toolkits.python.jupyter_notebooks import source_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.toolkits.python.jupyter_notebooks import Cell, JupyterNotebook

OUTPUT = "output"
LARGEST_PICTURE = 8 << 20
_PICTURES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
_DRAWING = "image/svg+xml"
_TEXTS = ("text/markdown", "text/plain", "text/latex", "application/json", "text/html")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_SPLITS = re.compile(r"^\s*(?:```|~~~)|^<!-- #|\n\s*\n\s*\n|\A---\s*$", re.MULTILINE)
"""What would not be read back as one cell of text."""


class Limits(NamedTuple):
    """How much is shown."""

    output: int
    cell: int
    pictures: int
    whole: int


class Picture(NamedTuple):
    """A picture as a file."""

    data: bytes
    mime: str


class Shown(NamedTuple):
    """A notebook as it is shown."""

    text: str
    pictures: list[Picture]


def shown(notebook: JupyterNotebook, limits: Limits, start: int = 1) -> Shown:
    """A notebook from a cell on, the first of which is 1; as much of it as fits."""
    page = _Page(notebook.language, limits)
    cells = notebook.cells
    text = _left_out(1, start - 1, 1) if start > 1 else ""
    room = limits.whole
    was_plain = True
    for number in range(start, len(cells) + 1):
        part, is_plain = page.cell(cells[number - 1])
        room -= len(part)
        if room < 0 and number > start:
            text += f"\n\n\n{_left_out(number, len(cells), number)}"
            break
        # Two empty lines are what divides one cell of text from the next.
        text += ("\n\n\n" if was_plain and is_plain else "\n\n") + part if text else part
        was_plain = is_plain
    return Shown(f"{text}\n" if text else "", page.pictures)


def _left_out(first: int, last: int, start: int) -> str:
    return f"*Cells {first} to {last} are left out: read them with start={start}.*"


LEFT_OUT = re.compile(r"\*Cells (\d+) to (\d+) are left out: read them with start=\d+\.\*")
CUT = re.compile(r"\n\.\.\. \[(\d+) more characters\]\Z")
"""What stands for cells, and for the rest of a cell, that are not shown."""


class _Page:
    """Cells as markdown, and the pictures met on the way."""

    def __init__(self, language: str, limits: Limits) -> None:
        self._language = language
        self._limits = limits
        self._met = 0
        self.pictures: list[Picture] = []

    def cell(self, cell: Cell) -> tuple[str, bool]:
        """A cell, and whether it is text that stands for itself."""
        kind = cell.get("cell_type")
        source = _shortened(source_of(cell), self._limits.cell)
        if kind == "code":
            fences = [_fenced(source, self._language)]
            told = "\n".join(self._outputs(cell))
            if told:
                fences.append(_fenced(told, OUTPUT))
            return "\n\n".join(fences), False
        if kind == "raw":
            return f"<!-- #raw -->\n{source}\n<!-- #endraw -->", False
        if _SPLITS.search(source) or not source.strip():
            return f"<!-- #region -->\n{source}\n<!-- #endregion -->", False
        return source.strip("\n"), True

    def _outputs(self, cell: Cell) -> Iterable[str]:
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else []:
            text = self._output(output) if isinstance(output, dict) else ""
            text = _ESCAPES.sub("", text).rstrip()
            if text:
                yield _shortened(text, self._limits.output)

    def _output(self, output: dict[str, Any]) -> str:
        kind = output.get("output_type")
        if kind == "stream":
            return text_of(output.get("text"))
        if kind == "error":
            trace = output.get("traceback")
            lines = text_of("\n".join(map(str, trace)) if isinstance(trace, list) else "")
            # The end of a traceback says most.
            told = f"{output.get('ename')}: {output.get('evalue')}"
            plain = _ESCAPES.sub("", lines).rstrip()
            return plain[-self._limits.output :] if plain.endswith(told) else told
        data = output.get("data")
        return self._data(data) if isinstance(data, dict) else ""

    def _data(self, data: dict[str, Any]) -> str:
        """What is shown of a value: a picture if it is one, else the best of its texts."""
        for mime in (*_PICTURES, _DRAWING):
            if mime in data:
                return self._picture(text_of(data[mime]), mime)
        for mime in _TEXTS:
            if mime in data:
                value = data[mime]
                return str(value) if isinstance(value, dict) else text_of(value)
        return f"[{', '.join(map(str, data))}]" if data else ""

    def _picture(self, text: str, mime: str) -> str:
        self._met += 1
        if mime == _DRAWING or len(self.pictures) >= self._limits.pictures:
            return f"![{mime}](picture-{self._met})"
        try:
            data = base64.b64decode(text, validate=False)
        except (binascii.Error, ValueError):
            data = b""
        if not data or len(data) > LARGEST_PICTURE:
            return f"![{mime}](picture-{self._met})"
        self.pictures.append(Picture(data, mime))
        return f"![Image](picture-{self._met}.{_PICTURES[mime]})"


def _fenced(text: str, language: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[:most]}\n... [{len(text) - most} more characters]"
