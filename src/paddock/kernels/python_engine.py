"""Python engine: evaluates code in the interpreter of the user's project.

That interpreter does not need any installed packages: `paddock.kernels.child.foreign_python` loads
the few modules that its processes need by path. The supervisor runs in Paddock's own interpreter.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.kernels.engine import Capability, Engine
from paddock.kernels.kernel import KernelError
from paddock.kernels.worker.worker_kernel import start_worker

if TYPE_CHECKING:
    from paddock.kernels.kernel import EvaluationLimits, Kernel

PYTHON_CAPABILITIES: frozenset[Capability] = frozenset(
    {"state", "rollback", "interrupt", "pictures", "packages", "evaluation", "many"}
)
MIN_PYTHON_VERSION = (3, 8)
_INTERPRETER_MODULE = "paddock.kernels.child.python.interpreter"


def make_python_engine(
    interpreter: str, version: str, directory: str, title: str = "Python"
) -> Engine:
    """Return an engine that evaluates Python code with the user's interpreter.

    Args:
        interpreter: The path of the interpreter, for instance one in a virtual environment.
        version: The version of the interpreter, such as `3.12.4`.
        directory: The initial working directory of the engine's kernels.
        title: The display name of the engine.
    """

    def start(limits: EvaluationLimits) -> Kernel:
        """Start a kernel in the user's interpreter."""
        if _parse_version(version) < MIN_PYTHON_VERSION:
            raise KernelError(
                f"{interpreter} is Python {version}; Python 3.8 or later is required",
                hint="select another interpreter",
            )
        return start_worker(
            interpreter,
            _INTERPRETER_MODULE,
            limits,
            variables=_build_variables(interpreter),
            python=interpreter,
            directory=Path(directory),
        )

    return Engine(
        name=f"python {interpreter}",
        title=title,
        language="python",
        licence="PSF-2.0",
        install_hint="create a virtual environment: python -m venv .venv",
        capabilities=PYTHON_CAPABILITIES,
        start=start,
        version=version,
        location=interpreter,
        directory=directory,
    )


def _build_variables(interpreter: str) -> dict[str, str]:
    """Return the environment variables of an activated virtual or Conda environment.

    They ensure that the user's code starts programs from the interpreter's environment.
    """
    programs_directory = Path(interpreter).parent
    is_subdirectory = programs_directory.name.lower() in {"bin", "scripts"}
    prefix = programs_directory.parent if is_subdirectory else programs_directory
    variables: dict[str, str] = {}
    # Paddock's own interpreter needs no activation when it is outside a virtual environment.
    if Path(interpreter) == Path(sys.executable) and sys.prefix == sys.base_prefix:
        return variables
    search_path = os.environ.get("PATH", os.defpath)
    variables["PATH"] = os.pathsep.join([str(programs_directory), search_path])
    if (prefix / "pyvenv.cfg").is_file():
        variables["VIRTUAL_ENV"] = str(prefix)
    elif (prefix / "conda-meta").is_dir():
        variables["CONDA_PREFIX"] = str(prefix)
    return variables


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
