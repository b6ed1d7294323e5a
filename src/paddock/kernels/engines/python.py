"""Python itself, in the interpreter that a project is meant for.

That interpreter needs nothing of Paddock's: its processes get what they need by its path, from
`paddock.kernels.worker.elsewhere`. Only the guard runs in our own.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from paddock.kernels.engines.engine import Capability, Language
from paddock.kernels.kernel import KernelError
from paddock.kernels.worker_kernel import start_worker

if TYPE_CHECKING:
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.limits import Limits

CAPABILITIES: frozenset[Capability] = frozenset(
    {"state", "rollback", "interrupt", "pictures", "packages", "evaluation", "many"}
)
OLDEST = (3, 8)
_MODULE = "paddock.kernels.interpreters.python.interpreter"


class PythonEngine(msgspec.Struct, frozen=True):
    """An interpreter, and the directory that its kernels begin in."""

    found: str
    """The path of the interpreter."""
    version: str
    directory: str
    title: str = "Python"
    language: Language = "python"
    licence: str = "PSF-2.0"
    how_to_get: str = "create a virtual environment: python -m venv .venv"
    capabilities: frozenset[Capability] = CAPABILITIES

    @property
    def name(self) -> str:
        """The word by which sessions tell engines apart."""
        return f"python {self.found}"

    def start(self, limits: Limits) -> Kernel:
        """Start a kernel that evaluates with this interpreter.

        Raises:
            KernelError: when it is too old, or does not start.
        """
        if _numbers(self.version) < OLDEST:
            raise KernelError(
                f"{self.found} is Python {self.version}, and 3.8 or later is needed",
                hint="name another interpreter",
            )
        return start_worker(
            self.found,
            _MODULE,
            limits,
            variables=self._variables(),
            python=self.found,
            directory=Path(self.directory),
        )

    def _variables(self) -> dict[str, str]:
        """What programs that the code starts know of the environment, as if it was activated."""
        programs = Path(self.found).parent
        prefix = programs.parent if programs.name.lower() in {"bin", "scripts"} else programs
        variables: dict[str, str] = {}
        if Path(self.found) == Path(sys.executable) and sys.prefix == sys.base_prefix:
            return variables
        variables["PATH"] = os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)])
        if (prefix / "pyvenv.cfg").is_file():
            variables["VIRTUAL_ENV"] = str(prefix)
        elif (prefix / "conda-meta").is_dir():
            variables["CONDA_PREFIX"] = str(prefix)
        return variables


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
