"""Jupyter notebooks as data: read from JSON of any format, and written as they were.

Cells stay the dictionaries that they are in the file, so that what we do not know is kept.

A Jupyter notebook as markdown, with what its cells gave, and its pictures.

Cells stand as jupytext writes them, so that it reads them back: code in fences of the notebook's
language, raw cells and those that hold fences themselves between comments. What a cell gave follows
it in a fence marked `output`.

A Jupyter notebook made of markdown, on top of the one that was there.

A cell that says the same as before stays the cell that it was, with its id, metadata, attachments
and outputs. One that stands in the place of another of its kind keeps all but the outputs.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import secrets
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


NotebookCell = dict[str, Any]
NOTEBOOK_FORMAT, NOTEBOOK_FORMAT_MINOR = 4, 5
_CELL_ID_FORMAT = (4, 5)
_DEFAULT_LANGUAGE = "python"
_CELL_ID_CHARACTERS = 8


class JupyterNotebookError(PaddockError):
    """A file is no Jupyter notebook."""

    code = "jupyter-notebook"


class JupyterNotebook(NamedTuple):
    """A notebook of format 4."""

    data: dict[str, Any]
    original_format: int
    """The format that the file has."""

    @property
    def cells(self) -> list[NotebookCell]:
        """Its cells."""
        found: list[NotebookCell] = self.data["cells"]
        return found

    @property
    def language(self) -> str:
        """The language of its code."""
        metadata = self.data.get("metadata") or {}
        told = (
            _get_nested(metadata, "language_info", "name"),
            _get_nested(metadata, "kernelspec", "language"),
            _get_nested(metadata, "jupytext", "main_language"),
        )
        return next(
            (one.lower() for one in told if isinstance(one, str) and one), _DEFAULT_LANGUAGE
        )

    @property
    def has_cell_ids(self) -> bool:
        """Whether its cells have ids."""
        return (NOTEBOOK_FORMAT, int(self.data.get("nbformat_minor", 0))) >= _CELL_ID_FORMAT


def _get_nested(data: Any, *names: str) -> Any:
    for name in names:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def parse_jupyter_notebook(text: str) -> JupyterNotebook:
    """The notebook in a text.

    Raises:
        JupyterNotebookError: when there is none.
    """
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except ValueError as error:
        raise JupyterNotebookError(f"it is not JSON: {error}") from None
    except RecursionError:
        raise JupyterNotebookError("it is JSON that is nested too deeply") from None
    if not isinstance(data, dict) or not isinstance(data.get("nbformat"), int):
        raise JupyterNotebookError('it has no "nbformat", which all Jupyter notebooks have')
    was_format = data["nbformat"]
    if was_format > NOTEBOOK_FORMAT:
        raise JupyterNotebookError(
            f"its format is {was_format}, and {NOTEBOOK_FORMAT} the latest known"
        )
    if was_format < NOTEBOOK_FORMAT:
        data = _upgrade_format(data)
    cells = data.get("cells")
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise JupyterNotebookError('it has no list of "cells"')
    return JupyterNotebook(data, was_format)


def _upgrade_format(data: dict[str, Any]) -> dict[str, Any]:
    """An older notebook in the format of today."""
    import nbformat  # noqa: PLC0415 - 100 ms, and only for old files

    untyped: Any = nbformat
    try:
        converted = untyped.convert(untyped.from_dict(data), NOTEBOOK_FORMAT)
        found: dict[str, Any] = json.loads(json.dumps(converted))
    except Exception as error:  # noqa: BLE001 - whatever a converter makes of a damaged file
        raise JupyterNotebookError(
            f"it is of format {data['nbformat']} and damaged: {type(error).__name__}: {error}"
        ) from None
    return found


def join_lines(value: Any) -> str:
    """A text, which may be a list of its lines."""
    if isinstance(value, list):
        return "".join(str(line) for line in value)
    return value if isinstance(value, str) else ""


def get_source(cell: NotebookCell) -> str:
    """What stands in a cell."""
    return join_lines(cell.get("source", ""))


def create_notebook(language: str) -> JupyterNotebook:
    """A notebook without cells."""
    metadata: dict[str, Any] = {"language_info": {"name": language}}
    if language == _DEFAULT_LANGUAGE:
        kernel = {"display_name": "Python 3", "language": language, "name": "python3"}
        metadata = {"kernelspec": kernel} | metadata
    return JupyterNotebook(
        {
            "cells": [],
            "metadata": metadata,
            "nbformat": NOTEBOOK_FORMAT,
            "nbformat_minor": NOTEBOOK_FORMAT_MINOR,
        },
        NOTEBOOK_FORMAT,
    )


def generate_cell_id(taken: Counter[str]) -> str:
    """An id that no cell has."""
    while True:
        found = secrets.token_hex(_CELL_ID_CHARACTERS // 2)
        if not taken[found]:
            taken[found] += 1
            return found


def dump_notebook(notebook: JupyterNotebook, before: str = "") -> str:
    """The text of a notebook, indented as the one before it was."""
    indent = _detect_indent(before)
    # A lone half of a surrogate pair cannot be written as UTF-8, only escaped.
    is_plain = "\\ud" not in before.lower()
    text = json.dumps(notebook.data, indent=indent, ensure_ascii=not is_plain, sort_keys=not before)
    return text + ("\n" if not before or before.endswith("\n") else "")


def _detect_indent(text: str) -> int | str:
    lines = text[:1000].splitlines()
    if len(lines) < 2:
        return 1
    blanks = lines[1][: len(lines[1]) - len(lines[1].lstrip())]
    return "\t" if blanks.startswith("\t") else len(blanks) or 1


OUTPUT_FENCE = "output"
MAX_IMAGE_BYTES = 8 << 20
_IMAGE_EXTENSIONS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
}
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


def render_notebook(
    notebook: JupyterNotebook, limits: RenderLimits, start: int = 1
) -> RenderedNotebook:
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


_FENCE_PATTERN = re.compile(r"^(`{3,}|~{3,})\s*([\w+#-]*)")
_LANGUAGE_ALIASES = {"py": "python", "python3": "python", "ipython3": "python", "ipython": "python"}
_NON_CODE_FENCES = frozenset({"", OUTPUT_FENCE, "text", "txt", "console", "json", "md", "markdown"})
_JUPYTEXT_HEADER = "---\njupyter:\n  jupytext:\n    main_language: {}\n---\n\n"
_JUPYTEXT_METADATA_KEY = "lines_to_next_cell"
_MAX_EXACT_DIFF_CELLS = 2000


def build_notebook(markdown: str, before: JupyterNotebook | None) -> JupyterNotebook:
    """The notebook that a markdown text says, with what the one before it had."""
    lines = list(_strip_outputs(markdown.splitlines()))
    language = before.language if before else _detect_language(lines)
    notebook = before or create_notebook(language)
    cells = _parse_cells(lines, language)
    old = notebook.cells
    notebook.data["cells"] = list(_merge_cells(old, list(_restore_omitted_cells(cells, old))))
    _assign_cell_ids(notebook)
    return notebook


def _detect_language(lines: list[str]) -> str:
    """The language of most fences."""
    found: Counter[str] = Counter()
    fence = ""
    for line in lines:
        match = _FENCE_PATTERN.match(line)
        if match and not fence:
            fence = match[1]
            name = match[2].lower()
            found[_LANGUAGE_ALIASES.get(name, name)] += name not in _NON_CODE_FENCES
        elif fence and _is_closing_fence(line, fence):
            fence = ""
    best = found.most_common(1)
    return best[0][0] if best and best[0][1] else "python"


def _strip_outputs(lines: list[str]) -> Iterator[str]:
    """The lines, without the fences of outputs that follow those of code."""
    fence, is_output, after_code = "", False, False
    blanks: list[str] = []
    for line in lines:
        match = None if fence else _FENCE_PATTERN.match(line)
        if match:
            fence = match[1]
            is_output = after_code and match[2].lower() == OUTPUT_FENCE
        elif not fence and not line.strip():
            blanks.append(line)
            continue
        if not is_output:
            yield from blanks
            yield line
        blanks = []
        if not match and fence and _is_closing_fence(line, fence):
            fence, is_output, after_code = "", False, True
        elif not fence:
            after_code = False
    yield from blanks


def _is_closing_fence(line: str, fence: str) -> bool:
    stripped = line.strip()
    return stripped.startswith(fence) and not stripped.strip(fence[0])


def _parse_cells(lines: list[str], language: str) -> list[NotebookCell]:
    import jupytext  # noqa: PLC0415 - 250 ms, and only to write

    text = "\n".join(_normalize_fence_languages(lines, language))
    has_header = text.startswith("---\n") and "\njupyter:" in text.partition("\n---")[0]
    read = jupytext.reads(
        text if has_header else _JUPYTEXT_HEADER.format(language) + text, fmt="md"
    )
    return [_convert_cell(cell) for cell in read.cells]


def _normalize_fence_languages(lines: list[str], language: str) -> Iterator[str]:
    """The lines, with the fences of the main language called by its own name."""
    fence = ""
    for line in lines:
        match = _FENCE_PATTERN.match(line)
        if match and not fence:
            fence = match[1]
            if _LANGUAGE_ALIASES.get(match[2].lower()) == language:
                yield line.replace(match[2], language, 1)
                continue
        elif fence and _is_closing_fence(line, fence):
            fence = ""
        yield line


def _convert_cell(read: Any) -> NotebookCell:
    metadata = {key: value for key, value in read.metadata.items() if key != _JUPYTEXT_METADATA_KEY}
    cell: NotebookCell = {"cell_type": str(read.cell_type), "metadata": metadata}
    cell["source"] = str(read.source).splitlines(keepends=True)
    if read.cell_type == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def _restore_omitted_cells(
    new: list[NotebookCell], old: list[NotebookCell]
) -> Iterator[NotebookCell]:
    """The cells, with what was not shown when the notebook was read."""
    for cell in new:
        source = get_source(cell)
        left_out = OMISSION_PATTERN.fullmatch(source.strip())
        if left_out and 1 <= int(left_out[1]) <= int(left_out[2]) <= len(old):
            yield from old[int(left_out[1]) - 1 : int(left_out[2])]
            continue
        cut = TRUNCATION_PATTERN.search(source)
        if cut:
            shown, length = source[: cut.start()], cut.start() + int(cut[1])
            for one in old:
                whole = get_source(one)
                if len(whole) == length and whole.startswith(shown):
                    cell["source"] = whole.splitlines(keepends=True)
        yield cell


def _get_match_key(cell: NotebookCell) -> tuple[str, str]:
    return str(cell.get("cell_type")), get_source(cell).strip()


def _merge_cells(old: list[NotebookCell], new: list[NotebookCell]) -> Iterator[NotebookCell]:
    """The new cells, each made of the old one that it is, or that it replaces."""
    old_keys, new_keys = (
        [_get_match_key(cell) for cell in old],
        [_get_match_key(cell) for cell in new],
    )
    matcher = SequenceMatcher(None, old_keys, new_keys, autojunk=len(old) > _MAX_EXACT_DIFF_CELLS)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            yield from old[start:end]
            continue
        left = old[start:end]
        for cell in new[new_start:new_end]:
            kind = cell["cell_type"]
            place = next((i for i, one in enumerate(left) if one.get("cell_type") == kind), None)
            replaced = left[place] if place is not None else {}
            left = left[place + 1 :] if place is not None else left
            yield _replace_cell(replaced, cell)


def _replace_cell(old: NotebookCell, new: NotebookCell) -> NotebookCell:
    metadata = {**(old.get("metadata") or {}), **new["metadata"]}
    return {**old, **new, "metadata": metadata}


def _assign_cell_ids(notebook: JupyterNotebook) -> None:
    """Give cells the ids that their format wants, and take away what it does not know."""
    notebook.data["nbformat"] = NOTEBOOK_FORMAT
    if not notebook.has_cell_ids:
        for cell in notebook.cells:
            cell.pop("id", None)
        return
    taken: Counter[str] = Counter()
    for cell in notebook.cells:
        own = cell.get("id")
        if not isinstance(own, str) or not own or taken[own]:
            cell["id"] = generate_cell_id(taken)
        else:
            taken[own] += 1
