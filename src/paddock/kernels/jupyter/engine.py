"""Jupyter kernels as engines: found by name, here or at a gateway."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec

from paddock.kernels.engine import Capability, Language
from paddock.kernels.jupyter.kernel import JupyterKernel
from paddock.kernels.jupyter.links import GatewayKernelLink, LocalKernelLink
from paddock.kernels.kernel import KernelError
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from jupyter_client.kernelspec import KernelSpec

    from paddock.kernels.kernel import EvaluationLimits

JUPYTER_CAPABILITIES: frozenset[Capability] = frozenset({"interrupt", "pictures", "evaluation"})
JUPYTER_INSTALL_HINT = 'pip install "paddock[python]"'


def get_kernel_spec(name: str) -> KernelSpec:
    """The description of an installed kernel.

    Raises:
        KernelError: when there is none of that name, or no jupyter_client.
    """
    if find_spec("jupyter_client") is None:
        raise KernelError(
            "Jupyter kernels need the package jupyter_client", hint=JUPYTER_INSTALL_HINT
        )
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel  # noqa: PLC0415 - an extra

    manager = KernelSpecManager()
    try:
        return manager.get_kernel_spec(name)
    except NoSuchKernel:
        known = sorted(manager.find_kernel_specs())
        raise KernelError(
            f"There is no Jupyter kernel {name!r} here. There are: {', '.join(known) or 'none'}",
            hint=did_you_mean(name, known) or None,
        ) from None


class JupyterEngine(msgspec.Struct, frozen=True):
    """A kind of kernel that Jupyter knows, and the directory that its kernels begin in."""

    kernel: str
    """Its name, as `jupyter kernelspec list` has it."""
    title: str
    directory: str
    gateway: str = ""
    """The URL of the server that has it; empty for one that is installed here."""
    token: str = ""
    version: str = ""
    language: Language = "other"
    licence: str = "as the kernel's"
    install_hint: str = JUPYTER_INSTALL_HINT
    capabilities: frozenset[Capability] = JUPYTER_CAPABILITIES

    @property
    def name(self) -> str:
        """The word by which sessions tell engines apart."""
        return f"jupyter {self.kernel} {self.gateway}".rstrip()

    @property
    def location(self) -> str:
        """Where it is."""
        return self.gateway or "installed"

    def __repr__(self) -> str:
        """Without the token."""
        return f"<{self.name}>"

    def start(self, limits: EvaluationLimits) -> JupyterKernel:
        """Start a kernel.

        Raises:
            KernelError: when it does not start, or may not use sockets.
        """
        if not limits.network:
            raise KernelError(
                f"The Jupyter kernel {self.kernel} cannot be used without network: such kernels "
                "talk through sockets",
                hint="whoever runs this server can set the tool option AllowNetwork",
            )
        kernel = JupyterKernel(self.kernel, self._start_link(limits))
        kernel.wait_until_started()
        return kernel

    def _start_link(self, limits: EvaluationLimits) -> LocalKernelLink | GatewayKernelLink:
        if self.gateway:
            return GatewayKernelLink(self.gateway, self.kernel, self.token)
        return LocalKernelLink(self.kernel, get_kernel_spec(self.kernel), self.directory, limits)
