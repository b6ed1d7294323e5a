"""Jupyter notebooks as data: read from JSON of any format, and written as they were.

Cells stay the dictionaries that they are in the file, so that what we do not know is kept.
"""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections import Counter

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
        return next((one.lower() for one in told if isinstance(one, str) and one), _DEFAULT_LANGUAGE)

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
        raise JupyterNotebookError(f"its format is {was_format}, and {NOTEBOOK_FORMAT} the latest known")
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
        {"cells": [], "metadata": metadata, "nbformat": NOTEBOOK_FORMAT, "nbformat_minor": NOTEBOOK_FORMAT_MINOR}, NOTEBOOK_FORMAT
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
