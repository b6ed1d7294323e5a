"""Display of values as images, Markdown or text.

Data frames of pandas and polars become Markdown tables of limited size, matplotlib figures become
PNG images, and other values are asked for the representations that notebooks use, such as
`_repr_png_`.
"""

from __future__ import annotations

import binascii
import io
import sys

from paddock.kernels.child.job_runner import ImageValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

MAX_ROWS, MAX_COLUMNS, MAX_CELL_CHARACTERS = 20, 14, 60
"""For larger tables, half of these numbers is shown from the start and half from the end."""
BACKEND_MODULE = "paddock_figures"
"""Name of the module that matplotlib imports as its backend."""
_IMAGE_METHODS = (
    ("_repr_png_", "image/png", b"\x89PNG"),
    ("_repr_jpeg_", "image/jpeg", b"\xff\xd8"),
    ("_repr_svg_", "image/svg+xml", b""),
)
"""Notebook methods, media types, and first bytes. Clients may abort on invalid image data."""
_MAX_LINE_CHARACTERS = 100
_MAX_PRETTY_CHARACTERS = 20_000


def format_data_frame(value: object) -> str | None:
    """Format a pandas or Polars data frame or series as a Markdown table.

    Returns None if the value is neither.
    """
    # If the library has not been imported, the value cannot be one of its data frames.
    for library, format_frame in (("pandas", _format_pandas), ("polars", _format_polars)):
        module: Any = sys.modules.get(library)
        if not hasattr(module, "DataFrame"):
            continue
        if isinstance(value, module.DataFrame):
            return format_frame(value, "DataFrame")
        if isinstance(value, module.Series):
            name = "" if value.name is None else value.name
            return format_frame(value.to_frame(name), "Series")
    return None


def _format_pandas(frame: Any, kind: str) -> str:
    return _format_table(frame, kind, frame.dtypes.iloc, frame.iat, frame.index)


def _format_polars(frame: Any, kind: str) -> str:
    return _format_table(frame, kind, frame.dtypes, frame)


def _format_table(frame: Any, kind: str, types: Any, cells: Any, index: Any = None) -> str:
    """Format a data frame as a Markdown table.

    A summary such as `DataFrame of 2 rows, 1 columns` follows the table. Only the first and last
    rows and columns of a large data frame are shown, with `…` between them.

    Args:
        frame: The pandas or Polars data frame.
        kind: The class of the displayed value, `DataFrame` or `Series`, for the summary.
        types: The column types, by position.
        cells: The values, accessible as `cells[row, column]`.
        index: The row labels, or None if the data frame has none.
    """
    rows = _select_indices(frame.shape[0], MAX_ROWS)
    columns = _select_indices(frame.shape[1], MAX_COLUMNS)
    header = ["…" if column is None else _format_label(frame.columns[column]) for column in columns]
    if index is not None:
        header.insert(0, " / ".join(str(name) for name in index.names if name is not None))
    table_rows = []
    for row in rows:
        row_label = [] if index is None else ["…" if row is None else _format_label(index[row])]
        cell_texts = [
            "…" if row is None or column is None else _format_cell(cells[row, column])
            for column in columns
        ]
        table_rows.append(row_label + cell_texts)
    shown_types = [str(types[column]) for column in columns if column is not None]
    return _build_table(header, table_rows) + _format_summary(kind, frame.shape, shown_types)


def _select_indices(count: int, limit: int) -> list[int | None]:
    """Return the indices to show, with None where some are skipped."""
    if count <= limit:
        return list(range(count))
    half = limit // 2
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
    return ", ".join(str(part) for part in value) if isinstance(value, tuple) else str(value)


def _format_cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def _escape_cell(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > MAX_CELL_CHARACTERS:
        text = f"{text[: MAX_CELL_CHARACTERS - 1]}…"
    return text.replace("|", "\\|")


class FigureBackend:
    """Import hook that provides a matplotlib backend and shows the figures drawn with it.

    It is an import finder and loader in `sys.meta_path`, so matplotlib is imported only if user
    code imports it.
    """

    def __init__(self) -> None:
        self.emit: Callable[[str | ImageValue], None] = lambda _output: None
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """Return the import spec of the backend module, or None for other modules.

        When user code imports `matplotlib.pyplot`, this also selects the backend. The environment
        variable MPLBACKEND is not used for this, because programs that user code starts would
        inherit it.
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
        """Return None for the default kind of module."""

    def exec_module(self, module: Any) -> None:
        """Define the classes and functions that matplotlib expects in a backend module.

        They render figures with Agg, matplotlib's bitmap renderer, and emit them as images.
        """
        # Matplotlib belongs to the user's Python, and is slow to import. It is imported only here,
        # because matplotlib itself has requested the backend.
        from matplotlib.backends import backend_agg

        agg: Any = backend_agg

        figures = self

        class Manager(agg.FigureManagerBase):  # type: ignore[misc, unused-ignore]  # in the user's Python
            def show(self) -> None:
                figures.emit(render_figure(self.canvas.figure))

            @classmethod
            def pyplot_show(cls, **_options: object) -> None:
                figures.show_open_figures()

        class Canvas(agg.FigureCanvasAgg):  # type: ignore[misc, unused-ignore]  # in the user's Python
            manager_class = Manager

        def show(*_args: object, **_options: object) -> None:
            figures.show_open_figures()

        module.FigureCanvas, module.FigureManager, module.show = Canvas, Manager, show

    def show_open_figures(self) -> None:
        """Emit all open matplotlib figures as images, and close them.

        Called after each cell, as in notebooks, and by `matplotlib.pyplot.show`. Figures without
        content are closed but not emitted.
        """
        helpers: Any = sys.modules.get("matplotlib._pylab_helpers")
        if helpers is None:
            return
        managers = helpers.Gcf.get_all_fig_managers()
        for manager in sorted(managers, key=lambda manager: manager.num):
            figure = manager.canvas.figure
            if figure.axes or figure.texts or figure.images:
                self.emit(render_figure(figure))
        helpers.Gcf.destroy_all()

    def close_figure(self, value: object) -> None:
        """Close a figure that was shown as a value, so that it is not shown twice."""
        helpers: Any = sys.modules.get("matplotlib._pylab_helpers")
        for manager in helpers.Gcf.get_all_fig_managers() if helpers is not None else ():
            if manager.canvas.figure is value:
                helpers.Gcf.destroy(manager)


def render_figure(figure: Any) -> ImageValue:
    """Render a figure as PNG."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", bbox_inches="tight")
    return ImageValue(stream.getvalue(), "image/png")


def iter_display_parts(value: object) -> Iterator[str | ImageValue]:
    """Yield the parts that display a value: either an image or text.

    The value may be a data frame or a figure. For other values, the display methods that their
    class defines for notebooks, such as `_repr_png_`, are called. The `repr` is the last resort.
    """
    table = format_data_frame(value)
    if table is not None:
        yield table
        return
    if _is_figure(value):
        yield render_figure(value)
        return
    bundle = _get_mime_bundle(value)
    image = _get_image(value, bundle)
    if image is not None:
        yield image
    else:
        yield _get_markdown(value, bundle) or _format_text(value)


def _is_figure(value: object) -> bool:
    figure: Any = sys.modules.get("matplotlib.figure")
    return figure is not None and isinstance(value, figure.Figure)


def _get_image(value: object, bundle: dict[str, Any]) -> ImageValue | None:
    """Return the image that a value provides for notebooks, or None.

    Args:
        value: The value to display.
        bundle: The representations that the value's `_repr_mimebundle_` returned, by MIME type.
    """
    for method, mime, signature in _IMAGE_METHODS:
        image = bundle.get(mime)
        if image is None:
            image = _call_method(value, method)
        if isinstance(image, tuple) and image:  # notebook methods may return (data, metadata)
            image = image[0]
        if isinstance(image, str):
            image = image.encode() if mime == "image/svg+xml" else binascii.a2b_base64(image)
        if isinstance(image, bytes) and image and image.startswith(signature):
            return ImageValue(image, mime)
    return None


def _get_markdown(value: object, bundle: dict[str, Any]) -> str | None:
    """Return the Markdown or LaTeX that a value provides for notebooks, or None.

    Args:
        value: The value to display.
        bundle: The representations that the value's `_repr_mimebundle_` returned, by MIME type.
    """
    for mime, method in (("text/markdown", "_repr_markdown_"), ("text/latex", "")):
        text = bundle.get(mime) or (_call_method(value, method) if method else None)
        if isinstance(text, tuple) and text:  # notebook methods may return (data, metadata)
            text = text[0]
        if isinstance(text, str) and text:
            return text
    return None


def _format_text(value: object) -> str:
    """Return the text for a value that has neither an image nor Markdown.

    This is its `repr` (with line breaks for a long list or dictionary), or the text of its HTML if
    the `repr` shows only the class.
    """
    text = repr(value)
    if (
        type(value) in (dict, list, tuple, set, frozenset)
        and _MAX_LINE_CHARACTERS < len(text) < _MAX_PRETTY_CHARACTERS
    ):
        import pprint  # slow to import, because it needs `re`

        return pprint.pformat(value, width=_MAX_LINE_CHARACTERS, sort_dicts=False)
    is_default_repr = text.startswith("<") and " object at 0x" in text
    if is_default_repr:
        html = _call_method(value, "_repr_html_")
        if isinstance(html, str) and html:
            return _strip_tags(html) or text
    return text


def _strip_tags(html: str) -> str:
    """Return the text content of HTML, with a line for each paragraph or table row."""
    from html.parser import HTMLParser  # slow to import, and few values have only HTML

    pieces: list[str] = []

    class HtmlTextExtractor(HTMLParser):
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
    """Collapse white space to single spaces, including at the beginning and the end."""
    words = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    return before + words + (" " if words and text[-1:].isspace() else "")


def _get_mime_bundle(value: object) -> dict[str, Any]:
    bundle = _call_method(value, "_repr_mimebundle_")
    if isinstance(bundle, tuple) and bundle:  # (data, metadata)
        bundle = bundle[0]
    return bundle if isinstance(bundle, dict) else {}


def _call_method(value: object, name: str) -> Any:
    """Call a display method of a value, such as `_repr_markdown_`.

    Returns None if the value's class does not have the method, or if it raises an exception.
    """
    if isinstance(value, type):  # a class's display methods are meant for its instances
        return None
    method = getattr(type(value), name, None)
    if method is None:
        return None
    try:
        return method(value)
    except Exception:  # another representation is used instead
        return None
