"""What an engine is, as far as the rest of Paddock knows.

An `Engine` is a description that costs nothing to make: nothing of the engine is imported by the
server. `start` gives a kernel. An engine that is a Python package runs in a worker
(`paddock.kernels.worker`): its module in `paddock.kernels.child.python` is imported by the child
only, and its engine starts it with `paddock.kernels.worker.worker_kernel.start_worker`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from paddock.kernels.kernel import EvaluationLimits, Kernel

Language = Literal["wolfram", "python", "other"]

Capability = Literal["state", "rollback", "interrupt", "pictures", "packages", "evaluation", "many"]
"""What not every engine can: give its definitions as text; go back to the state before a failed
evaluation; stop without being killed; draw; load Wolfram packages; evaluate anything but data; run
in any number at once, where no licence is used up by it."""


class Engine(Protocol):
    """A program or library that evaluates a language."""

    @property
    def name(self) -> str:
        """The word in settings: wolfram, woxi, mathics, none."""
        ...

    @property
    def title(self) -> str:
        """What people call it, without the version."""
        ...

    @property
    def language(self) -> Language:
        """What it evaluates."""
        ...

    @property
    def version(self) -> str:
        """Of what is installed, or empty when it is not known without starting it."""
        ...

    @property
    def licence(self) -> str:
        """Its licence, as SPDX names it."""
        ...

    @property
    def location(self) -> str:
        """Where it was found, or empty when it is not on this machine."""
        ...

    @property
    def install_hint(self) -> str:
        """What the user does to have it."""
        ...

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What it can that not every engine can."""
        ...

    def start(self, limits: EvaluationLimits) -> Kernel:
        """Start a kernel; of the limits, those count that are decided at the start.

        Raises:
            KernelError: when it does not start.
        """
        ...
