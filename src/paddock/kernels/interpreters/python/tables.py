"""Data frames of pandas and polars as Markdown tables, cut to what can be read."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_ROWS, MAX_COLUMNS, MAX_CELL_CHARACTERS = 20, 14, 60
"""What is shown of more is half of it from the beginning, and half from the end."""


def format_data_frame(value: object) -> str | None:
    """A data frame or series as Markdown; None for anything else."""
    pandas: Any = sys.modules.get("pandas")
    if pandas is not None and hasattr(pandas, "DataFrame"):
        if isinstance(value, pandas.DataFrame):
            return _format_pandas(value, "DataFrame")
        if isinstance(value, pandas.Series):
            return _format_pandas(value.to_frame("" if value.name is None else value.name), "Series")
    polars: Any = sys.modules.get("polars")
    if polars is not None and hasattr(polars, "DataFrame"):
        if isinstance(value, polars.DataFrame):
            return _format_polars(value, "DataFrame")
        if isinstance(value, polars.Series):
            return _format_polars(value.to_frame(), "Series")
    return None


def _format_pandas(frame: Any, kind: str) -> str:
    rows, columns = _select_indices(frame.shape[0], MAX_ROWS), _select_indices(frame.shape[1], MAX_COLUMNS)
    names = [_format_label(frame.columns[place]) if place is not None else "…" for place in columns]
    index = [" / ".join(str(each) for each in frame.index.names if each is not None)]
    types = [str(frame.dtypes.iloc[place]) for place in columns if place is not None]
    lines = []
    for row in rows:
        if row is None:
            lines.append(["…"] * (len(names) + 1))
            continue
        cells = [_format_cell(frame.iat[row, place]) if place is not None else "…" for place in columns]
        lines.append([_format_label(frame.index[row]), *cells])
    return _build_table([*index, *names], lines) + _format_summary(kind, frame.shape, types)


def _format_polars(frame: Any, kind: str) -> str:
    rows, columns = _select_indices(frame.height, MAX_ROWS), _select_indices(frame.width, MAX_COLUMNS)
    names = [frame.columns[place] if place is not None else "…" for place in columns]
    types = [str(frame.dtypes[place]) for place in columns if place is not None]
    lines = []
    for row in rows:
        values = () if row is None else frame.row(row)
        lines.append([_format_cell(values[at]) if at is not None and values else "…" for at in columns])
    return _build_table(names, lines) + _format_summary(kind, (frame.height, frame.width), types)


def _select_indices(count: int, most: int) -> list[int | None]:
    """The places that are shown; None stands for those between."""
    if count <= most:
        return list(range(count))
    half = most // 2
    return [*range(half), None, *range(count - half, count)]


def _build_table(header: Sequence[str], lines: list[list[str]]) -> str:
    rows = [[_escape_cell(cell) for cell in row] for row in [list(header), *lines]]
    rows.insert(1, ["---"] * len(header))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _format_summary(kind: str, shape: tuple[int, int], types: list[str]) -> str:
    rows = "1 row" if shape[0] == 1 else f"{shape[0]} rows"
    columns = "" if kind == "Series" else f", {shape[1]} columns"
    shown = ", ".join(types) + (", …" if len(types) < shape[1] else "")
    return f"\n\n{kind} of {rows}{columns} ({shown})"


def _format_label(value: object) -> str:
    return ", ".join(str(each) for each in value) if isinstance(value, tuple) else str(value)


def _format_cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def _escape_cell(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > MAX_CELL_CHARACTERS:
        text = f"{text[: MAX_CELL_CHARACTERS - 1]}…"
    return text.replace("|", "\\|")
