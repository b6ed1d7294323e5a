"""woxi: a young engine of the Wolfram Language in one package, the default of extra `wolfram`.

Its licence is the AGPL: it runs in processes of its own and is never part of this distribution.
"""

from __future__ import annotations

from importlib import metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec

from paddock.kernels.engines.engine import Capability, Language
from paddock.kernels.engines.printed import parse_printed_output
from paddock.kernels.worker_kernel import start_worker

if TYPE_CHECKING:
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.limits import EvaluationLimits

WOXI_CAPABILITIES: frozenset[Capability] = frozenset(
    {"state", "rollback", "pictures", "evaluation", "many"}
)


class WoxiEngine(msgspec.Struct, frozen=True):
    """What is known about woxi without importing it."""

    version: str = ""
    location: str = ""
    name: str = "woxi"
    title: str = "Woxi"
    language: Language = "wolfram"
    licence: str = "AGPL-3.0-or-later"
    install_hint: str = 'pip install "paddock[wolfram]"'
    capabilities: frozenset[Capability] = WOXI_CAPABILITIES

    def start(self, limits: EvaluationLimits) -> Kernel:
        """Start a kernel that evaluates with woxi."""
        return start_worker(
            self.name, "paddock.kernels.interpreters.woxi", limits, read_printed=parse_printed_output
        )


def find_woxi() -> WoxiEngine:
    """Describe woxi; `found` is empty when it is not installed."""
    spec = find_spec("woxi")
    if spec is None or spec.origin is None:
        return WoxiEngine()
    return WoxiEngine(metadata.version("woxi"), spec.origin)
