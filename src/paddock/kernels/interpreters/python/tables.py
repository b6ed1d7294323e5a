"""Data frames of pandas and polars as Markdown tables, cut to what can be read."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

ROWS, COLUMNS, CELL = 20, 14, 60
"""What is shown of more is half of it from the beginning, and half from the end."""


def table_of(value: object) -> str | None:
    """A data frame or series as Markdown; None for anything else."""
    pandas: Any = sys.modules.get("pandas")
    if pandas is not None and hasattr(pandas, "DataFrame"):
        if isinstance(value, pandas.DataFrame):
            return _of_pandas(value, "DataFrame")
        if isinstance(value, pandas.Series):
            return _of_pandas(value.to_frame("" if value.name is None else value.name), "Series")
    polars: Any = sys.modules.get("polars")
    if polars is not None and hasattr(polars, "DataFrame"):
        if isinstance(value, polars.DataFrame):
            return _of_polars(value, "DataFrame")
        if isinstance(value, polars.Series):
            return _of_polars(value.to_frame(), "Series")
    return None


def _of_pandas(frame: Any, kind: str) -> str:
    rows, columns = _shown(frame.shape[0], ROWS), _shown(frame.shape[1], COLUMNS)
    names = [_name(frame.columns[place]) if place is not None else "…" for place in columns]
    index = [" / ".join(str(each) for each in frame.index.names if each is not None)]
    types = [str(frame.dtypes.iloc[place]) for place in columns if place is not None]
    lines = []
    for row in rows:
        if row is None:
            lines.append(["…"] * (len(names) + 1))
            continue
        cells = [_cell(frame.iat[row, place]) if place is not None else "…" for place in columns]
        lines.append([_name(frame.index[row]), *cells])
    return _table([*index, *names], lines) + _summary(kind, frame.shape, types)


def _of_polars(frame: Any, kind: str) -> str:
    rows, columns = _shown(frame.height, ROWS), _shown(frame.width, COLUMNS)
    names = [frame.columns[place] if place is not None else "…" for place in columns]
    types = [str(frame.dtypes[place]) for place in columns if place is not None]
    lines = []
    for row in rows:
        values = () if row is None else frame.row(row)
        lines.append([_cell(values[at]) if at is not None and values else "…" for at in columns])
    return _table(names, lines) + _summary(kind, (frame.height, frame.width), types)


def _shown(count: int, most: int) -> list[int | None]:
    """The places that are shown; None stands for those between."""
    if count <= most:
        return list(range(count))
    half = most // 2
    return [*range(half), None, *range(count - half, count)]


def _table(header: Sequence[str], lines: list[list[str]]) -> str:
    rows = [[_escaped(cell) for cell in row] for row in [list(header), *lines]]
    rows.insert(1, ["---"] * len(header))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _summary(kind: str, shape: tuple[int, int], types: list[str]) -> str:
    rows = "1 row" if shape[0] == 1 else f"{shape[0]} rows"
    columns = "" if kind == "Series" else f", {shape[1]} columns"
    shown = ", ".join(types) + (", …" if len(types) < shape[1] else "")
    return f"\n\n{kind} of {rows}{columns} ({shown})"


def _name(value: object) -> str:
    return ", ".join(str(each) for each in value) if isinstance(value, tuple) else str(value)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def _escaped(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > CELL:
        text = f"{text[: CELL - 1]}…"
    return text.replace("|", "\\|")
