"""Jupyter notebooks: parsed from JSON, rendered as Markdown, and updated from Markdown.

Cells remain dictionaries so that unknown keys survive. Markdown has the form that jupytext reads:
code is in fences with the notebook's language, and raw cells or cells with fences are between
comments. A cell's outputs follow it in a fence marked `output`. When a notebook is written,
unchanged cells keep everything, and changed cells keep everything except their outputs.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from collections import Counter
from contextlib import suppress
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.errors import PaddockError
from paddock.protocol.content import ImageContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


NotebookCell = dict[str, Any]
NOTEBOOK_FORMAT, NOTEBOOK_FORMAT_MINOR = 4, 5
_CELL_ID_FORMAT = (4, 5)
_DEFAULT_LANGUAGE = "python"
_CELL_ID_BYTES = 4
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
"""Text that jupytext would not read back as one Markdown cell."""
# Rendered notebooks contain these markers where cells or the ends of cells are omitted. When that
# Markdown is written back, the original content is restored.
OMISSION_PATTERN = re.compile(r"\*Cells (\d+) to (\d+) are omitted\. Read them with start=\d+\.\*")
TRUNCATION_PATTERN = re.compile(r"\n\.\.\. \[(\d+) more characters\]\Z")
_FENCE_PATTERN = re.compile(r"^(`{3,}|~{3,})\s*([\w+#-]*)")
_LANGUAGE_ALIASES = {"py": "python", "python3": "python", "ipython3": "python", "ipython": "python"}
_NON_CODE_FENCES = frozenset({"", OUTPUT_FENCE, "text", "txt", "console", "json", "md", "markdown"})
_JUPYTEXT_HEADER = "---\njupyter:\n  jupytext:\n    main_language: {}\n---\n\n"
_JUPYTEXT_METADATA_KEY = "lines_to_next_cell"
_MAX_EXACT_DIFF_CELLS = 2000


class JupyterNotebookError(PaddockError):
    """The file is not a Jupyter notebook."""

    code = "jupyter-notebook"


class JupyterNotebook(NamedTuple):
    """A Jupyter notebook, converted to version 4 of the file format."""

    data: dict[str, Any]
    """The JSON object of the file."""

    @property
    def cells(self) -> list[NotebookCell]:
        """The cells as dictionaries that may be changed."""
        cells: list[NotebookCell] = self.data["cells"]
        return cells

    @property
    def language(self) -> str:
        """The programming language of the code cells, in lower case, such as "python".

        Different programs store it in different entries of the notebook's metadata.
        """
        metadata = self.data.get("metadata") or {}
        names = (
            _get_nested(metadata, "language_info", "name"),
            _get_nested(metadata, "kernelspec", "language"),
            _get_nested(metadata, "jupytext", "main_language"),
        )
        return next(
            (name.lower() for name in names if isinstance(name, str) and name), _DEFAULT_LANGUAGE
        )

    @property
    def has_cell_ids(self) -> bool:
        """Whether the notebook's format has cell ids."""
        return (NOTEBOOK_FORMAT, int(self.data.get("nbformat_minor", 0))) >= _CELL_ID_FORMAT


def _get_nested(data: Any, *names: str) -> Any:
    for name in names:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def parse_jupyter_notebook(text: str) -> JupyterNotebook:
    """Parse the JSON of a notebook file, and upgrade it if its format is old.

    Raises:
        JupyterNotebookError: The text is not a Jupyter notebook.
    """
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except ValueError as error:
        raise JupyterNotebookError(f"it is not JSON: {error}") from None
    except RecursionError:
        raise JupyterNotebookError("its JSON is nested too deeply") from None
    if not isinstance(data, dict) or not isinstance(data.get("nbformat"), int):
        raise JupyterNotebookError('the required key "nbformat" is missing')
    original_format = data["nbformat"]
    if original_format > NOTEBOOK_FORMAT:
        raise JupyterNotebookError(
            f"its format is {original_format}, but the latest supported one is {NOTEBOOK_FORMAT}"
        )
    if original_format < NOTEBOOK_FORMAT:
        data = _upgrade_format(data)
    cells = data.get("cells")
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise JupyterNotebookError('the required list "cells" is missing')
    return JupyterNotebook(data)


def _upgrade_format(data: dict[str, Any]) -> dict[str, Any]:
    """Convert the JSON object of an old notebook file to the current format."""
    import nbformat  # noqa: PLC0415 - 100 ms, and only for old files

    untyped_nbformat: Any = nbformat
    try:
        converted = untyped_nbformat.convert(untyped_nbformat.from_dict(data), NOTEBOOK_FORMAT)
        upgraded: dict[str, Any] = json.loads(json.dumps(converted))
    except Exception as error:  # noqa: BLE001 - the converter fails in many ways on damaged files
        raise JupyterNotebookError(
            f"its format is {data['nbformat']} and it is damaged: {type(error).__name__}: {error}"
        ) from None
    return upgraded


def join_lines(value: Any) -> str:
    """Return a text that a notebook stores as a string or a list of lines."""
    if isinstance(value, list):
        return "".join(str(line) for line in value)
    return value if isinstance(value, str) else ""


def get_source(cell: NotebookCell) -> str:
    """Return a cell's source."""
    return join_lines(cell.get("source", ""))


def create_notebook(language: str) -> JupyterNotebook:
    """Return a notebook without cells. A Python notebook gets the usual kernel specification."""
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
        }
    )


def dump_notebook(notebook: JupyterNotebook, previous_text: str = "") -> str:
    """Return the JSON of a notebook, in the format of its previous file.

    The indentation, key order, escapes and final line ending stay as they were, so a small edit
    remains a small diff in version control.

    Args:
        notebook: The notebook.
        previous_text: The text of the file to replace; empty for a new file.
    """
    indent = _detect_indent(previous_text)
    # Lone surrogates cannot be encoded as UTF-8, but they can be written as escape sequences.
    has_escapes = "\\ud" in previous_text.lower()
    text = json.dumps(
        notebook.data, indent=indent, ensure_ascii=has_escapes, sort_keys=not previous_text
    )
    return text + ("\n" if not previous_text or previous_text.endswith("\n") else "")


def _detect_indent(text: str) -> int | str:
    lines = text[:1000].splitlines()
    if len(lines) < 2:
        return 1
    indent = lines[1][: len(lines[1]) - len(lines[1].lstrip())]
    return "\t" if indent.startswith("\t") else len(indent) or 1


class RenderLimits(NamedTuple):
    """Limits on the rendered text and images of a notebook.

    Attributes:
        max_output_characters: The maximum length of each cell output.
        max_cell_characters: The maximum length of each cell's source.
        max_images: The maximum number of images whose data is returned.
        max_characters: The maximum length of the whole text.
    """

    max_output_characters: int
    max_cell_characters: int
    max_images: int
    max_characters: int


class RenderedNotebook(NamedTuple):
    """A notebook as Markdown, with its images."""

    text: str
    images: list[ImageContent]


def render_notebook(
    notebook: JupyterNotebook, limits: RenderLimits, start: int = 1
) -> RenderedNotebook:
    """Render a notebook as Markdown, starting at a given cell, up to the character limit.

    Markers replace the cells before and after the rendered ones and explain how to read them.
    `build_notebook` recognizes these markers and restores the cells.

    Args:
        notebook: The notebook.
        limits: Limits on the text and images.
        start: The first cell to render, counted from 1.
    """
    renderer = _NotebookRenderer(notebook.language, limits)
    cells = notebook.cells
    text = _format_omission(1, start - 1, 1) if start > 1 else ""
    remaining_characters = limits.max_characters
    was_markdown = True
    for number in range(start, len(cells) + 1):
        cell_text, is_markdown = renderer.render_cell(cells[number - 1])
        remaining_characters -= len(cell_text)
        if remaining_characters < 0 and number > start:
            text += f"\n\n\n{_format_omission(number, len(cells), number)}"
            break
        if text:
            # Two empty lines separate adjacent Markdown cells.
            text += "\n\n\n" if was_markdown and is_markdown else "\n\n"
        text += cell_text
        was_markdown = is_markdown
    return RenderedNotebook(f"{text}\n" if text else "", renderer.images)


def _format_omission(first: int, last: int, start: int) -> str:
    return f"*Cells {first} to {last} are omitted. Read them with start={start}.*"


class _NotebookRenderer:
    """Renders cells as Markdown and collects their images."""

    def __init__(self, language: str, limits: RenderLimits) -> None:
        self._language = language
        self._limits = limits
        self._image_count = 0
        self.images: list[ImageContent] = []

    def render_cell(self, cell: NotebookCell) -> tuple[str, bool]:
        """Return the text of a cell, and whether it is a Markdown cell without delimiters.

        The text is read back by jupytext, which converts Markdown to notebooks. A Markdown cell
        that jupytext would split is therefore enclosed in region comments.
        """
        kind = cell.get("cell_type")
        source = _truncate_text(get_source(cell), self._limits.max_cell_characters)
        if kind == "code":
            fences = [_format_fence(source, self._language)]
            output_text = "\n".join(self._render_outputs(cell))
            if output_text:
                fences.append(_format_fence(output_text, OUTPUT_FENCE))
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
        """Return the text of one output: a stream, an error, or a value."""
        kind = output.get("output_type")
        if kind == "stream":
            return join_lines(output.get("text"))
        if kind == "error":
            trace = output.get("traceback")
            lines = "\n".join(map(str, trace)) if isinstance(trace, list) else ""
            # The message is always needed. If the traceback ends with it, the end of the
            # traceback is shown, because the last lines are the most useful ones.
            message = f"{output.get('ename')}: {output.get('evalue')}"
            plain_text = _ANSI_ESCAPE_PATTERN.sub("", lines).rstrip()
            if not plain_text.endswith(message):
                return message
            return plain_text[-self._limits.max_output_characters :]
        data = output.get("data")
        return self._render_data(data) if isinstance(data, dict) else ""

    def _render_data(self, data: dict[str, Any]) -> str:
        """Return a cell's output value as text, or as a link if it is an image.

        Args:
            data: The representations of the value, as in `{"text/plain": …, "image/png": …}`.
                Images are preferred, then the most readable text.
        """
        for mime in (*_IMAGE_EXTENSIONS, _SVG_MIME_TYPE):
            if mime in data:
                return self._render_image(join_lines(data[mime]), mime)
        for mime in _TEXT_MIME_TYPES:
            if mime in data:
                value = data[mime]
                return str(value) if isinstance(value, dict) else join_lines(value)
        return f"[{', '.join(map(str, data))}]" if data else ""

    def _render_image(self, text: str, mime: str) -> str:
        """Return a Markdown link for an image, and add its data to `images` if it can be shown.

        SVG images, images that are damaged or very large, and those beyond the limit get a link
        without data.

        Args:
            text: The image data in base64.
            mime: The MIME type of the image.
        """
        self._image_count += 1
        data = b""
        if mime != _SVG_MIME_TYPE and len(self.images) < self._limits.max_images:
            with suppress(ValueError):
                data = base64.b64decode(text)
        if not data or len(data) > MAX_IMAGE_BYTES:
            return f"![{mime}](picture-{self._image_count})"
        self.images.append(ImageContent(data, mime))
        return f"![Image](picture-{self._image_count}.{_IMAGE_EXTENSIONS[mime]})"


def _format_fence(text: str, language: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _truncate_text(text: str, max_characters: int) -> str:
    if len(text) <= max_characters:
        return text
    return f"{text[:max_characters]}\n... [{len(text) - max_characters} more characters]"


def build_notebook(markdown: str, previous: JupyterNotebook | None) -> JupyterNotebook:
    """Build a notebook from Markdown written by a model.

    Cells of the previous notebook are reused: unchanged cells keep their outputs, and changed cells
    keep their metadata and id.

    Args:
        markdown: The content, in the form that `render_notebook` returns.
        previous: The notebook to replace, or None for a new file. Its data is changed in place.
    """
    lines = list(_strip_outputs(markdown.splitlines()))
    language = previous.language if previous else _detect_language(lines)
    notebook = previous or create_notebook(language)
    cells = _parse_cells(lines, language)
    old_cells = notebook.cells
    new_cells = list(_restore_omitted_cells(cells, old_cells))
    notebook.data["cells"] = list(_merge_cells(old_cells, new_cells))
    _assign_cell_ids(notebook)
    return notebook


class _MarkdownLine(NamedTuple):
    """A line of Markdown and the fenced block that contains it."""

    text: str
    language: str | None = None
    """The language of the fenced block, which may be empty. None outside blocks."""
    is_opening: bool = False
    is_closing: bool = False


def _scan_fences(lines: Iterable[str]) -> Iterator[_MarkdownLine]:
    """Find the fenced code blocks in Markdown, and yield each line with the block it belongs to."""
    fence = language = ""
    for line in lines:
        match = _FENCE_PATTERN.match(line)
        if fence:
            # A closing fence is at least as long as the opening one and has no other characters.
            stripped = line.strip()
            is_closing = stripped.startswith(fence) and not stripped.strip(fence[0])
            yield _MarkdownLine(line, language, is_closing=is_closing)
            fence = "" if is_closing else fence
        elif match:
            fence, language = match[1], match[2]
            yield _MarkdownLine(line, language, is_opening=True)
        else:
            yield _MarkdownLine(line)


def _detect_language(lines: list[str]) -> str:
    """Return the most frequent language of the code fences."""
    names = [(line.language or "").lower() for line in _scan_fences(lines) if line.is_opening]
    counts = Counter(
        _LANGUAGE_ALIASES.get(name, name) for name in names if name not in _NON_CODE_FENCES
    )
    return next((name for name, _ in counts.most_common(1)), _DEFAULT_LANGUAGE)


def _strip_outputs(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a rendered notebook without the outputs of its code cells.

    An output is a fenced block that follows its code cell's block. Outputs are shown to the model
    but never written back. Blank lines before an output are dropped with it.
    """
    is_output = is_after_block = False
    blank_lines: list[str] = []
    for line in _scan_fences(lines):
        if line.language is None and not line.text.strip():
            blank_lines.append(line.text)
            continue
        if line.is_opening:
            # Only a fence directly after code is an output. Other fences belong to the text.
            is_output = is_after_block and (line.language or "").lower() == OUTPUT_FENCE
        if line.language is None or not is_output:
            yield from blank_lines
            yield line.text
        blank_lines = []
        is_after_block = line.is_closing
    yield from blank_lines


def _parse_cells(lines: list[str], language: str) -> list[NotebookCell]:
    """Split Markdown into notebook cells with jupytext.

    jupytext needs a YAML header that names the language of the code cells, so one is added if the
    Markdown has none.
    """
    import jupytext  # noqa: PLC0415 - 250 ms, and only WriteNotebook needs it

    text = "\n".join(_normalize_fence_languages(lines, language))
    has_header = text.startswith("---\n") and "\njupyter:" in text.partition("\n---")[0]
    notebook = jupytext.reads(
        text if has_header else _JUPYTEXT_HEADER.format(language) + text, fmt="md"
    )
    return [_convert_cell(cell) for cell in notebook.cells]


def _normalize_fence_languages(lines: list[str], language: str) -> Iterator[str]:
    """Yield the lines with aliases of the notebook's language, such as `py`, replaced.

    jupytext turns a fence into a code cell only if it names the notebook's language.
    """
    for line in _scan_fences(lines):
        alias = line.language or ""
        is_alias = line.is_opening and _LANGUAGE_ALIASES.get(alias.lower()) == language
        yield line.text.replace(alias, language, 1) if is_alias else line.text


def _convert_cell(jupytext_cell: Any) -> NotebookCell:
    """Convert a jupytext cell to a dictionary, without jupytext's own metadata."""
    metadata = {
        key: value for key, value in jupytext_cell.metadata.items() if key != _JUPYTEXT_METADATA_KEY
    }
    cell: NotebookCell = {"cell_type": str(jupytext_cell.cell_type), "metadata": metadata}
    cell["source"] = str(jupytext_cell.source).splitlines(keepends=True)
    if jupytext_cell.cell_type == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def _restore_omitted_cells(
    new: list[NotebookCell], old: list[NotebookCell]
) -> Iterator[NotebookCell]:
    """Yield the new cells, replacing markers with the content that they represent.

    When a long notebook is rendered, markers replace cells or the ends of long cells. A model that
    edits the text writes these markers back unchanged.

    Args:
        new: The cells that the model wrote.
        old: The cells of the previous notebook, which still have the content.
    """
    for cell in new:
        source = get_source(cell)
        omission = OMISSION_PATTERN.fullmatch(source.strip())
        if omission and 1 <= int(omission[1]) <= int(omission[2]) <= len(old):
            yield from old[int(omission[1]) - 1 : int(omission[2])]
            continue
        truncation = TRUNCATION_PATTERN.search(source)
        if truncation:
            shown = source[: truncation.start()]
            length = truncation.start() + int(truncation[1])
            for old_cell in old:
                old_source = get_source(old_cell)
                if len(old_source) == length and old_source.startswith(shown):
                    cell["source"] = old_source.splitlines(keepends=True)
        yield cell


def _get_match_key(cell: NotebookCell) -> tuple[str, str]:
    return str(cell.get("cell_type")), get_source(cell).strip()


def _merge_cells(old: list[NotebookCell], new: list[NotebookCell]) -> Iterator[NotebookCell]:
    """Yield the new cells, each based on the old cell that it equals or replaces.

    Cells are compared by type and source, like lines in a diff. Equal cells keep their outputs. In
    a changed range, new cells are paired in order with old cells of the same type and take over
    their id, metadata and attachments.
    """
    old_keys, new_keys = ([_get_match_key(cell) for cell in cells] for cells in (old, new))
    # The exact comparison takes quadratic time, so a heuristic is used for huge notebooks.
    matcher = SequenceMatcher(None, old_keys, new_keys, autojunk=len(old) > _MAX_EXACT_DIFF_CELLS)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            yield from old[start:end]
            continue
        candidates = old[start:end]
        for cell in new[new_start:new_end]:
            types = [candidate.get("cell_type") for candidate in candidates]
            replaced: NotebookCell = {}
            if cell["cell_type"] in types:
                index = types.index(cell["cell_type"])
                replaced, candidates = candidates[index], candidates[index + 1 :]
            yield _replace_cell(replaced, cell)


def _replace_cell(old: NotebookCell, new: NotebookCell) -> NotebookCell:
    """Return the new cell with the id, metadata and other keys of the old one."""
    metadata = {**(old.get("metadata") or {}), **new["metadata"]}
    return {**old, **new, "metadata": metadata}


def _assign_cell_ids(notebook: JupyterNotebook) -> None:
    """Give every cell of a notebook a unique id.

    Missing and duplicate ids are replaced. Formats before 4.5 have no cell ids, so ids are removed
    from notebooks in these formats.
    """
    notebook.data["nbformat"] = NOTEBOOK_FORMAT
    if not notebook.has_cell_ids:
        for cell in notebook.cells:
            cell.pop("id", None)
        return
    used_ids: set[str] = set()
    for cell in notebook.cells:
        cell_id = cell.get("id")
        while not isinstance(cell_id, str) or not cell_id or cell_id in used_ids:
            cell_id = cell["id"] = secrets.token_hex(_CELL_ID_BYTES)
        used_ids.add(cell_id)
