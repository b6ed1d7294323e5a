"""Every error of Paddock, for tests that say something about all of them."""

import importlib
import pkgutil

import paddock
from paddock import PaddockError

CHILDREN_ONLY = (
    "paddock.kernels.child.",
    "paddock.kernels.svg_renderer_process",
    "paddock.kernels.wolfram.mathics_",
    "paddock.kernels.wolfram.woxi_",
)
"""Modules that only kernel processes import: some change settings of the whole process."""


def all_errors() -> list[type[PaddockError]]:
    for module in pkgutil.walk_packages(paddock.__path__, "paddock."):
        if not module.name.endswith("__main__") and not module.name.startswith(CHILDREN_ONLY):
            importlib.import_module(module.name)
    found: list[type[PaddockError]] = [PaddockError]
    for kind in found:
        found.extend(kind.__subclasses__())
    return [kind for kind in found if kind.__module__.startswith("paddock.")]
