"""Data frames of pandas and polars as Markdown tables, cut to what can be read.

Figures of matplotlib, as pictures: those that code shows, and those that it leaves open.

How a value is shown: as pictures, as Markdown, or as text.

Notebooks have methods for that (`_repr_png_` and others), which many libraries offer; data frames
become tables that are short enough to be read.
"""

from __future__ import annotations

import io
import sys

from paddock.kernels.child.job_runner import ImageValue

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
            return _format_pandas(
                value.to_frame("" if value.name is None else value.name), "Series"
            )
    polars: Any = sys.modules.get("polars")
    if polars is not None and hasattr(polars, "DataFrame"):
        if isinstance(value, polars.DataFrame):
            return _format_polars(value, "DataFrame")
        if isinstance(value, polars.Series):
            return _format_polars(value.to_frame(), "Series")
    return None


def _format_pandas(frame: Any, kind: str) -> str:
    rows, columns = (
        _select_indices(frame.shape[0], MAX_ROWS),
        _select_indices(frame.shape[1], MAX_COLUMNS),
    )
    names = [_format_label(frame.columns[place]) if place is not None else "…" for place in columns]
    index = [" / ".join(str(each) for each in frame.index.names if each is not None)]
    types = [str(frame.dtypes.iloc[place]) for place in columns if place is not None]
    lines = []
    for row in rows:
        if row is None:
            lines.append(["…"] * (len(names) + 1))
            continue
        cells = [
            _format_cell(frame.iat[row, place]) if place is not None else "…" for place in columns
        ]
        lines.append([_format_label(frame.index[row]), *cells])
    return _build_table([*index, *names], lines) + _format_summary(kind, frame.shape, types)


def _format_polars(frame: Any, kind: str) -> str:
    rows, columns = (
        _select_indices(frame.height, MAX_ROWS),
        _select_indices(frame.width, MAX_COLUMNS),
    )
    names = [frame.columns[place] if place is not None else "…" for place in columns]
    types = [str(frame.dtypes[place]) for place in columns if place is not None]
    lines = []
    for row in rows:
        values = () if row is None else frame.row(row)
        lines.append(
            [_format_cell(values[at]) if at is not None and values else "…" for at in columns]
        )
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


if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BACKEND_MODULE = "paddock_figures"
"""The name of the module that matplotlib is told to draw with."""


class FigureBackend:
    """The backend, and the figures that wait to be shown."""

    def __init__(self) -> None:
        self.emit: Callable[[str | ImageValue], None] = lambda _found: None
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """Where the backend is: here; before it is wanted, matplotlib is told of it.

        Not by a variable of the environment: programs that the code starts would see that.
        """
        if name == "matplotlib.pyplot":
            matplotlib: Any = sys.modules.get("matplotlib")
            if hasattr(matplotlib, "rcParams"):
                matplotlib.rcParams["backend"] = f"module://{BACKEND_MODULE}"
        if name != BACKEND_MODULE:
            return None
        spec: Any = type(sys.__spec__)
        return spec(name, self)

    def create_module(self, _spec: object) -> None:
        """Have the usual kind of module."""

    def exec_module(self, module: Any) -> None:
        """Make the backend, now that matplotlib is there."""
        from matplotlib.backend_bases import FigureManagerBase  # noqa: PLC0415 - in the user's Python
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - as above

        figures = self

        class Manager(FigureManagerBase):  # type: ignore[misc, unused-ignore]  # in the user's Python
            def show(self) -> None:
                figures.emit(render_figure(self.canvas.figure))

            @classmethod
            def pyplot_show(cls, **_options: object) -> None:
                figures.show_open_figures()

        class Canvas(FigureCanvasAgg):  # type: ignore[misc, unused-ignore]  # in the user's Python
            manager_class = Manager

        def show(*_args: object, **_options: object) -> None:
            figures.show_open_figures()

        module.FigureCanvas, module.FigureManager, module.show = Canvas, Manager, show

    def show_open_figures(self) -> None:
        """Show the open figures, and close them, as notebooks do."""
        helpers: Any = sys.modules.get("matplotlib._pylab_helpers")
        if helpers is None:
            return
        managers = helpers.Gcf.get_all_fig_managers()
        for manager in sorted(managers, key=lambda each: each.num):
            figure = manager.canvas.figure
            if figure.axes or figure.texts or figure.images:
                self.emit(render_figure(figure))
        helpers.Gcf.destroy_all()

    def close_figure(self, value: object) -> None:
        """Close a figure that has been shown as a value."""
        helpers: Any = sys.modules.get("matplotlib._pylab_helpers")
        for manager in helpers.Gcf.get_all_fig_managers() if helpers is not None else ():
            if manager.canvas.figure is value:
                helpers.Gcf.destroy(manager)


def render_figure(figure: Any) -> ImageValue:
    """A figure as PNG."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", bbox_inches="tight")
    return ImageValue(stream.getvalue(), "image/png")


if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_IMAGE_METHODS = (
    ("_repr_png_", "image/png", b"\x89PNG"),
    ("_repr_jpeg_", "image/jpeg", b"\xff\xd8"),
    ("_repr_svg_", "image/svg+xml", b""),
)
"""Methods, what they give, and how that begins: a client may end a talk over what is no picture."""
_MAX_LINE_CHARACTERS = 100
_MAX_PRETTY_CHARACTERS = 20_000


def iter_display_parts(value: object) -> Iterator[str | ImageValue]:
    """The pictures that a value is shown as, and one text at most."""
    table = format_data_frame(value)
    if table is not None:
        yield table
        return
    if _is_figure(value):
        yield render_figure(value)
        return
    bundle = _get_mime_bundle(value)
    picture = _get_image(value, bundle)
    if picture is not None:
        yield picture
    else:
        yield _get_markdown(value, bundle) or _format_text(value)


def _is_figure(value: object) -> bool:
    figure: Any = sys.modules.get("matplotlib.figure")
    return figure is not None and isinstance(value, figure.Figure)


def _get_image(value: object, bundle: dict[str, Any]) -> ImageValue | None:
    for method, mime, beginning in _IMAGE_METHODS:
        data = bundle.get(mime)
        if data is None:
            data = _call_method(value, method)
        if isinstance(data, tuple) and data:  # with metadata
            data = data[0]
        if isinstance(data, str):
            data = data.encode() if mime == "image/svg+xml" else _decode_base64(data)
        if isinstance(data, bytes) and data and data.startswith(beginning):
            return ImageValue(data, mime)
    return None


def _decode_base64(data: str) -> bytes:
    import base64  # noqa: PLC0415 - seldom

    return base64.b64decode(data)


def _get_markdown(value: object, bundle: dict[str, Any]) -> str | None:
    for mime, method in (("text/markdown", "_repr_markdown_"), ("text/latex", "")):
        text = bundle.get(mime) or (_call_method(value, method) if method else None)
        if isinstance(text, tuple) and text:
            text = text[0]
        if isinstance(text, str) and text:
            return text
    return None


def _format_text(value: object) -> str:
    text = repr(value)
    if (
        type(value) in (dict, list, tuple, set, frozenset)
        and _MAX_LINE_CHARACTERS < len(text) < _MAX_PRETTY_CHARACTERS
    ):
        import pprint  # noqa: PLC0415 - seldom

        return pprint.pformat(value, width=_MAX_LINE_CHARACTERS, sort_dicts=False)
    if text.startswith("<") and " object at 0x" in text:  # which says nothing
        html = _call_method(value, "_repr_html_")
        if isinstance(html, str) and html:
            from html.parser import HTMLParser  # noqa: PLC0415 - seldom

            return _strip_tags(html, HTMLParser) or text
    return text


def _strip_tags(html: str, parser: Any) -> str:
    """The text of some HTML."""
    pieces: list[str] = []

    class HtmlTextExtractor(parser):  # type: ignore[misc]  # it is imported when it is needed
        hidden = 0

        def handle_starttag(self, tag: str, attrs: object) -> None:
            self.hidden += tag in ("style", "script")
            if tag in ("br", "p", "div", "tr", "li", "h1", "h2", "h3", "h4"):
                pieces.append("\n")
            elif tag in ("td", "th"):
                pieces.append(" ")

        def handle_endtag(self, tag: str) -> None:
            self.hidden -= tag in ("style", "script")

        def handle_data(self, data: str) -> None:
            if self.hidden <= 0:
                pieces.append(_collapse_spaces(data))

    HtmlTextExtractor().feed(html)
    lines = [line.strip() for line in "".join(pieces).splitlines()]
    return "\n".join(line for line in lines if line)


def _collapse_spaces(text: str) -> str:
    """The text with single spaces."""
    words = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    return before + words + (" " if words and text[-1:].isspace() else "")


def _get_mime_bundle(value: object) -> dict[str, Any]:
    found = _call_method(value, "_repr_mimebundle_")
    if isinstance(found, tuple) and found:
        found = found[0]
    return found if isinstance(found, dict) else {}


def _call_method(value: object, name: str) -> Any:
    """What a method gives that a value's class may have; None when it fails."""
    if isinstance(value, type):
        return None
    method = getattr(type(value), name, None)
    if method is None:
        return None
    try:
        return method(value)
    except Exception:  # noqa: BLE001 - then it is shown in another way
        return None
