"""Pictures that code has drawn, as PNG: `draw` in the server, `renderer` in a child process.

A drawing comes from code that nobody has checked, so it is rendered in a process of its own, with
limits on its time, its memory and the size of what it gives.
"""

from paddock.kernels.drawing.draw import can_render_svg, render_images

__all__ = ["can_render_svg", "render_images"]
