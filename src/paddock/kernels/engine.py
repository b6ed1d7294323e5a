"""Description of an evaluation engine that can start kernels.

Creating an `Engine` is cheap: the server never imports an engine's packages. An engine that is a
Python package runs in a worker, which `paddock.kernels.worker.worker_kernel.start_worker` starts.
Only the worker imports the module that loads the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from paddock.kernels.kernel import EvaluationLimits, Kernel

Language = Literal["wolfram", "python", "other"]

Capability = Literal["state", "rollback", "interrupt", "pictures", "packages", "evaluation", "many"]
"""Optional abilities of an engine.

- `state`: its definitions can be saved and restored.
- `rollback`: a stopped evaluation is undone.
- `interrupt`: an evaluation can be stopped without ending the kernel.
- `pictures`: it produces images.
- `packages`: it loads Wolfram Language packages.
- `evaluation`: it evaluates code, not only literal data.
- `many`: any number of kernels can run at once. None of them occupies a licence.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Engine:
    """A program or library that evaluates a language.

    Attributes:
        name: Unique name. For Wolfram Language engines it is the word used in settings.
        title: Display name without the version.
        language: The language that it evaluates.
        licence: SPDX identifier of the licence, or a description for proprietary ones.
        install_hint: Instructions for installing it.
        capabilities: Its optional abilities.
        start: Function that starts a kernel, a process that evaluates code and keeps its state.
            Only limits that apply to a whole kernel, such as network access, take effect. The
            function raises KernelError if the kernel does not start.
        version: Installed version, or empty if it is unknown before the engine starts.
        location: Where it is installed, or empty if it was not found.
        directory: Initial working directory of its kernels, or empty if they have none.
    """

    name: str
    title: str
    language: Language
    licence: str
    install_hint: str
    capabilities: frozenset[Capability]
    # `start` is excluded from the representation, because it may hold an access token.
    start: Callable[[EvaluationLimits], Kernel] = field(repr=False, compare=False)
    version: str = ""
    location: str = ""
    directory: str = ""
