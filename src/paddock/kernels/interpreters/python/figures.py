"""Figures of matplotlib, as pictures: those that code shows, and those that it leaves open."""

from __future__ import annotations

import io
import sys

from paddock.kernels.worker.interpreter import ImageValue

TYPE_CHECKING = False
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
