"""The engine `mathics`: Mathics3, a Python package under the GPL that runs in a worker of its own."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paddock.kernels.engines.engine import Capability, Language
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.limits import Limits

_INTERPRETER = "paddock.kernels.interpreters.mathics"
