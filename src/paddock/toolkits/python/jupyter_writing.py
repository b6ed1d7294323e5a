"""A Jupyter notebook made of markdown, on top of the one that was there.

A cell that says the same as before stays the cell that it was, with its id, metadata, attachments
and outputs. One that stands in the place of another of its kind keeps all but the outputs.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from paddock.toolkits.python.jupyter_markdown import CUT, LEFT_OUT, OUTPUT
from paddock.toolkits.python.jupyter_notebooks import (
    FORMAT,
    JupyterNotebook,
    new_id,
    new_notebook,
    source_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.toolkits.python.jupyter_notebooks import Cell

_FENCE = re.compile(r"^(`{3,}|~{3,})\s*([\w+#-]*)")
_LANGUAGES = {"py": "python", "python3": "python", "ipython3": "python", "ipython": "python"}
_NO_LANGUAGES = frozenset({"", OUTPUT, "text", "txt", "console", "json", "md", "markdown"})
_HEADER = "---\njupyter:\n  jupytext:\n    main_language: {}\n---\n\n"
_OF_JUPYTEXT = "lines_to_next_cell"
_MOST_COMPARED = 2000


def notebook_of(markdown: str, before: JupyterNotebook | None) -> JupyterNotebook:
    """The notebook that a markdown text says, with what the one before it had."""
    lines = list(_without_outputs(markdown.splitlines()))
    language = before.language if before else _main_language(lines)
    notebook = before or new_notebook(language)
    cells = _cells(lines, language)
    old = notebook.cells
    notebook.data["cells"] = list(_merged(old, list(_completed(cells, old))))
    _give_ids(notebook)
    return notebook


def _main_language(lines: list[str]) -> str:
    """The language of most fences."""
    found: Counter[str] = Counter()
    fence = ""
    for line in lines:
        match = _FENCE.match(line)
        if match and not fence:
            fence = match[1]
            name = match[2].lower()
            found[_LANGUAGES.get(name, name)] += name not in _NO_LANGUAGES
        elif fence and _closes(line, fence):
            fence = ""
    best = found.most_common(1)
    return best[0][0] if best and best[0][1] else "python"


def _without_outputs(lines: list[str]) -> Iterator[str]:
    """The lines, without the fences of outputs that follow those of code."""
    fence, is_output, after_code = "", False, False
    blanks: list[str] = []
    for line in lines:
        match = None if fence else _FENCE.match(line)
        if match:
            fence = match[1]
            is_output = after_code and match[2].lower() == OUTPUT
        elif not fence and not line.strip():
            blanks.append(line)
            continue
        if not is_output:
            yield from blanks
            yield line
        blanks = []
        if not match and fence and _closes(line, fence):
            fence, is_output, after_code = "", False, True
        elif not fence:
            after_code = False
    yield from blanks


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return stripped.startswith(fence) and not stripped.strip(fence[0])


def _cells(lines: list[str], language: str) -> list[Cell]:
    import jupytext  # noqa: PLC0415 - 250 ms, and only to write

    text = "\n".join(_named(lines, language))
    has_header = text.startswith("---\n") and "\njupyter:" in text.partition("\n---")[0]
    read = jupytext.reads(text if has_header else _HEADER.format(language) + text, fmt="md")
    return [_cell(cell) for cell in read.cells]


def _named(lines: list[str], language: str) -> Iterator[str]:
    """The lines, with the fences of the main language called by its own name."""
    fence = ""
    for line in lines:
        match = _FENCE.match(line)
        if match and not fence:
            fence = match[1]
            if _LANGUAGES.get(match[2].lower()) == language:
                yield line.replace(match[2], language, 1)
                continue
        elif fence and _closes(line, fence):
            fence = ""
        yield line


def _cell(read: Any) -> Cell:
    metadata = {key: value for key, value in read.metadata.items() if key != _OF_JUPYTEXT}
    cell: Cell = {"cell_type": str(read.cell_type), "metadata": metadata}
    cell["source"] = str(read.source).splitlines(keepends=True)
    if read.cell_type == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def _completed(new: list[Cell], old: list[Cell]) -> Iterator[Cell]:
    """The cells, with what was not shown when the notebook was read."""
    for cell in new:
        source = source_of(cell)
        left_out = LEFT_OUT.fullmatch(source.strip())
        if left_out and 1 <= int(left_out[1]) <= int(left_out[2]) <= len(old):
            yield from old[int(left_out[1]) - 1 : int(left_out[2])]
            continue
        cut = CUT.search(source)
        if cut:
            shown, length = source[: cut.start()], cut.start() + int(cut[1])
            for one in old:
                whole = source_of(one)
                if len(whole) == length and whole.startswith(shown):
                    cell["source"] = whole.splitlines(keepends=True)
        yield cell


def _key(cell: Cell) -> tuple[str, str]:
    return str(cell.get("cell_type")), source_of(cell).strip()


def _merged(old: list[Cell], new: list[Cell]) -> Iterator[Cell]:
    """The new cells, each made of the old one that it is, or that it replaces."""
    old_keys, new_keys = [_key(cell) for cell in old], [_key(cell) for cell in new]
    matcher = SequenceMatcher(None, old_keys, new_keys, autojunk=len(old) > _MOST_COMPARED)
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
            yield _replacing(replaced, cell)


def _replacing(old: Cell, new: Cell) -> Cell:
    metadata = {**(old.get("metadata") or {}), **new["metadata"]}
    return {**old, **new, "metadata": metadata}


def _give_ids(notebook: JupyterNotebook) -> None:
    """Give cells the ids that their format wants, and take away what it does not know."""
    notebook.data["nbformat"] = FORMAT
    if not notebook.has_ids:
        for cell in notebook.cells:
            cell.pop("id", None)
        return
    taken: Counter[str] = Counter()
    for cell in notebook.cells:
        own = cell.get("id")
        if not isinstance(own, str) or not own or taken[own]:
            cell["id"] = new_id(taken)
        else:
            taken[own] += 1
