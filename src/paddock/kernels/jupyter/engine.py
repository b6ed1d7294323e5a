"""Jupyter engine: kernels found by name, on this machine or on a gateway."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from paddock.kernels.engine import Capability, Engine
from paddock.kernels.kernel import KernelError

if TYPE_CHECKING:
    from paddock.kernels.jupyter.kernel import JupyterKernel
    from paddock.kernels.kernel import EvaluationLimits

JUPYTER_CAPABILITIES: frozenset[Capability] = frozenset({"interrupt", "pictures", "evaluation"})
JUPYTER_INSTALL_HINT = 'pip install "paddock[python]"'


def make_jupyter_engine(
    kernel_name: str, title: str, directory: str, gateway: str = "", token: str = ""
) -> Engine:
    """Return the engine for a Jupyter kernel.

    Args:
        kernel_name: The name that `jupyter kernelspec list` shows.
        title: The display name.
        directory: The initial working directory of its kernels.
        gateway: The URL of the server that runs the kernel, or empty for this machine.
        token: The access token for that server.
    """

    def start(limits: EvaluationLimits) -> JupyterKernel:
        """Start a kernel, here or on the gateway, and wait until it replies."""
        if not limits.network:
            raise KernelError(
                f"The Jupyter kernel {kernel_name} cannot be used without network access, because "
                "Jupyter kernels communicate through sockets",
                hint="the operator of this server can set the tool option AllowNetwork",
            )
        if find_spec("jupyter_client") is None:
            raise KernelError(
                "Jupyter kernels need the package jupyter_client", hint=JUPYTER_INSTALL_HINT
            )
        # The module imports jupyter_client and tornado, which are optional and slow to import.
        from paddock.kernels.jupyter.kernel_connections import (
            GatewayJupyterKernel,
            LocalJupyterKernel,
        )

        kernel: JupyterKernel
        if gateway:
            kernel = GatewayJupyterKernel(gateway, kernel_name, token)
        else:
            kernel = LocalJupyterKernel(kernel_name, directory, limits)
        kernel.wait_until_started()
        return kernel

    return Engine(
        name=f"jupyter {kernel_name} {gateway}".rstrip(),
        title=title,
        language="other",
        licence="as the kernel's",
        install_hint=JUPYTER_INSTALL_HINT,
        capabilities=JUPYTER_CAPABILITIES,
        start=start,
        location=gateway or "installed",
        directory=directory,
    )
