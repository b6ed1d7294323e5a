"""Python engine: evaluates in the interpreter of the user's project.

That interpreter needs no installed package: `paddock.kernels.child.foreign_python` loads the few
modules that its processes need by path. The supervisor runs in Paddock's own interpreter.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from paddock.kernels.engine import Capability, Language
from paddock.kernels.kernel import KernelError
from paddock.kernels.worker.worker_kernel import start_worker

if TYPE_CHECKING:
    from paddock.kernels.kernel import EvaluationLimits, Kernel

PYTHON_CAPABILITIES: frozenset[Capability] = frozenset(
    {"state", "rollback", "interrupt", "pictures", "packages", "evaluation", "many"}
)
MIN_PYTHON_VERSION = (3, 8)
_INTERPRETER_MODULE = "paddock.kernels.child.python.interpreter"


class PythonEngine(msgspec.Struct, frozen=True):
    """A Python interpreter, with the working directory of its kernels."""

    location: str
    """The path of the interpreter."""
    version: str
    directory: str
    title: str = "Python"
    language: Language = "python"
    licence: str = "PSF-2.0"
    install_hint: str = "create a virtual environment: python -m venv .venv"
    capabilities: frozenset[Capability] = PYTHON_CAPABILITIES

    @property
    def name(self) -> str:
        """The word by which sessions tell engines apart."""
        """The name under which sessions store the engine."""

    def start(self, limits: EvaluationLimits) -> Kernel:
        """Start a kernel in this interpreter.

        Raises:
            KernelError: The interpreter is older than 3.8, or does not start.
        """
        if _parse_version(self.version) < MIN_PYTHON_VERSION:
            raise KernelError(
                f"{self.location} is Python {self.version}; Python 3.8 or later is required",
                hint="select another interpreter",
            )
        return start_worker(
            self.location,
            _INTERPRETER_MODULE,
            limits,
            variables=self._build_variables(),
            python=self.location,
            directory=Path(self.directory),
        )

    def _build_variables(self) -> dict[str, str]:
        """Return the variables that activating the interpreter's environment would set."""
        programs = Path(self.location).parent
        prefix = programs.parent if programs.name.lower() in {"bin", "scripts"} else programs
        variables: dict[str, str] = {}
        if Path(self.location) == Path(sys.executable) and sys.prefix == sys.base_prefix:
            return variables
        variables["PATH"] = os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)])
        if (prefix / "pyvenv.cfg").is_file():
            variables["VIRTUAL_ENV"] = str(prefix)
        elif (prefix / "conda-meta").is_dir():
            variables["CONDA_PREFIX"] = str(prefix)
        return variables


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
