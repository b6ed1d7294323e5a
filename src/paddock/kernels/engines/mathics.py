"""Mathics3: an engine written in Python, a second opinion beside woxi; extra `mathics`.

Its licence is the GPL: it runs in processes of its own and is never part of this distribution.
"""

from __future__ import annotations

from importlib import metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec

from paddock.kernels.engines.engine import Capability, Language
from paddock.kernels.worker_kernel import start_worker

if TYPE_CHECKING:
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.limits import EvaluationLimits

MATHICS_DISTRIBUTION = "Mathics3"
MATHICS_CAPABILITIES: frozenset[Capability] = frozenset(
    {"state", "rollback", "interrupt", "pictures", "evaluation", "many"}
)
SINGLE_THREAD_VARIABLES = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Of numpy, which Mathics uses: a process with threads must not fork."""


class MathicsEngine(msgspec.Struct, frozen=True):
    """What is known about Mathics without importing it."""

    version: str = ""
    location: str = ""
    name: str = "mathics"
    title: str = "Mathics3"
    language: Language = "wolfram"
    licence: str = "GPL-3.0-or-later"
    install_hint: str = 'pip install "paddock[mathics]"'
    capabilities: frozenset[Capability] = MATHICS_CAPABILITIES

    def start(self, limits: EvaluationLimits) -> Kernel:
        """Start a kernel that evaluates with Mathics; it takes some seconds."""
        return start_worker(
            self.name, "paddock.kernels.interpreters.mathics", limits, variables=SINGLE_THREAD_VARIABLES
        )


def find_mathics() -> MathicsEngine:
    """Describe Mathics; `found` is empty when it is not installed."""
    spec = find_spec("mathics")
    if spec is None or spec.origin is None:
        return MathicsEngine()
    try:
        return MathicsEngine(metadata.version(MATHICS_DISTRIBUTION), spec.origin)
    except metadata.PackageNotFoundError:  # some other package of that name
        return MathicsEngine()
