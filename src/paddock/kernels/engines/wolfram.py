"""The engine `wolfram`: a kernel of Wolfram Research that is installed on this machine.

`programs` finds it, `wolfram_kernel` talks to it, `driver.wl` runs in it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.kernels.confinement import build_environment
from paddock.kernels.engines.engine import Capability, Language
from paddock.kernels.engines.keeper import HAS_PROCESS_GROUPS
from paddock.kernels.engines.programs import KERNEL_VARIABLE, KernelProgram
from paddock.kernels.engines.wolfram_kernel import WolframKernel
from paddock.kernels.kernel import KernelError

if TYPE_CHECKING:
    from paddock.kernels.limits import EvaluationLimits

DRIVER_PATH = Path(__file__).with_name("driver.wl")
_WOLFRAM_VARIABLE_PREFIXES = ("WOLFRAM", "MATHEMATICA")
WOLFRAM_INSTALL_HINT = (
    "install Wolfram, Mathematica or the free Wolfram Engine (https://www.wolfram.com/engine) and "
    f"activate it; {KERNEL_VARIABLE} names a kernel that is not found"
)


@dataclass(frozen=True, slots=True)
class WolframEngine:
    """A real Wolfram kernel, or the place where one would be."""

    program: KernelProgram | None
    name: str = "wolfram"
    title: str = "Wolfram kernel"
    language: Language = "wolfram"
    licence: str = "proprietary, from Wolfram Research"
    install_hint: str = WOLFRAM_INSTALL_HINT

    @property
    def version(self) -> str:
        """The version of the installation, as far as that shows without starting it."""
        return self.program.version if self.program is not None else ""

    @property
    def location(self) -> str:
        """The program, and how it was found."""
        return f"{self.program.path} ({self.program.origin})" if self.program is not None else ""

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What it can do that not every engine can."""
        known: frozenset[Capability] = frozenset({"state", "pictures", "packages", "evaluation"})
        return known | {"interrupt"} if HAS_PROCESS_GROUPS else known

    @property
    def command(self) -> list[str]:
        """The program with the arguments that make it run the driver."""
        if self.program is None:
            return []
        path = str(self.program.path)
        file = str(DRIVER_PATH).replace("\\", "\\\\").replace('"', '\\"')
        code = f'Get["{file}"]; PaddockDriver`run[]'
        if self.program.is_script:
            return [path, "-code", code]
        return [path, "-noinit", "-noprompt", "-run", code]

    def start(self, limits: EvaluationLimits) -> WolframKernel:
        """Start a kernel.

        Raises:
            KernelError: when there is none, or it does not answer.
        """
        if not self.command:
            raise KernelError("There is no Wolfram kernel on this machine", hint=WOLFRAM_INSTALL_HINT)
        return WolframKernel(self.command, _build_wolfram_environment(), limits)


def _build_wolfram_environment() -> dict[str, str]:
    """What every kernel gets, and where Wolfram products look for their licence and files."""
    own = {name: value for name, value in os.environ.items() if name.upper().startswith(_WOLFRAM_VARIABLE_PREFIXES)}
    return build_environment() | own
