"""A Jupyter notebook made of markdown, on top of the one that was there.

A cell that says the same as before stays the cell that it was, with its id, metadata, attachments
and outputs. One that stands in the place of another of its kind keeps all but the outputs.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from paddock.toolkits.python.jupyter_markdown import TRUNCATION_PATTERN, OMISSION_PATTERN, OUTPUT_FENCE
from paddock.toolkits.python.jupyter_notebooks import (
    NOTEBOOK_FORMAT,
    JupyterNotebook,
    generate_cell_id,
    create_notebook,
    get_source,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.toolkits.python.jupyter_notebooks import NotebookCell

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
    read = jupytext.reads(text if has_header else _JUPYTEXT_HEADER.format(language) + text, fmt="md")
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


def _restore_omitted_cells(new: list[NotebookCell], old: list[NotebookCell]) -> Iterator[NotebookCell]:
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
    old_keys, new_keys = [_get_match_key(cell) for cell in old], [_get_match_key(cell) for cell in new]
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
