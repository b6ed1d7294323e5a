"""Engine interface: the description of an evaluator, from which kernels are started.

Creating an `Engine` is cheap: the server never imports an engine's packages. An engine that is a
Python package runs in a worker, which `paddock.kernels.worker.worker_kernel.start_worker` starts;
only the worker imports the module that loads the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
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
- `many`: any number of kernels can run at once; none of them occupies a licence.
"""


class Engine(Protocol):
    """A program or library that evaluates a language."""

    @property
    def name(self) -> str:
        """Unique name; for Wolfram Language engines the word used in settings."""
        ...

    @property
    def title(self) -> str:
        """Display name without the version."""
        ...

    @property
    def language(self) -> Language:
        """The language that it evaluates."""
        ...

    @property
    def version(self) -> str:
        """Installed version; empty if unknown before the engine starts."""
        ...

    @property
    def licence(self) -> str:
        """SPDX identifier of the licence, or a description for proprietary ones."""
        ...

    @property
    def location(self) -> str:
        """Where it is installed; empty if it was not found."""
        ...

    @property
    def install_hint(self) -> str:
        """Instructions for installing it."""
        ...

    @property
    def capabilities(self) -> frozenset[Capability]:
        """The optional abilities that it has."""
        ...

    def start(self, limits: EvaluationLimits) -> Kernel:
        """Start a kernel. Only the limits that apply to a whole kernel take effect here.

        Raises:
            KernelError: The kernel does not start.
        """
        ...
