"""Jupyter engine: kernels found by name, on this machine or at a gateway."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from paddock.kernels.engine import Capability, Engine
from paddock.kernels.jupyter.kernel import JupyterKernel
from paddock.kernels.jupyter.links import GatewayKernelLink, LocalKernelLink
from paddock.kernels.kernel import KernelError
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from jupyter_client.kernelspec import KernelSpec

    from paddock.kernels.kernel import EvaluationLimits

JUPYTER_CAPABILITIES: frozenset[Capability] = frozenset({"interrupt", "pictures", "evaluation"})
JUPYTER_INSTALL_HINT = 'pip install "paddock[python]"'


def make_jupyter_engine(
    kernel_name: str, title: str, directory: str, gateway: str = "", token: str = ""
) -> Engine:
    """Return the engine of a Jupyter kernel.

    Args:
        kernel_name: The name that `jupyter kernelspec list` shows.
        title: The display name.
        directory: The initial working directory of its kernels.
        gateway: The URL of the server that runs the kernel, or empty for this machine.
        token: The access token of that server.
    """

    def start(limits: EvaluationLimits) -> JupyterKernel:
        """Start a kernel, here or at the gateway, and wait until it replies."""
        if not limits.network:
            raise KernelError(
                f"The Jupyter kernel {kernel_name} cannot be used without network access, because "
                "Jupyter kernels communicate through sockets",
                hint="the operator of this server can set the tool option AllowNetwork",
            )
        link: LocalKernelLink | GatewayKernelLink
        if gateway:
            link = GatewayKernelLink(gateway, kernel_name, token)
        else:
            link = LocalKernelLink(kernel_name, get_kernel_spec(kernel_name), directory, limits)
        kernel = JupyterKernel(kernel_name, link)
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


def get_kernel_spec(name: str) -> KernelSpec:
    """Return the kernel spec of an installed kernel.

    Raises:
        KernelError: No kernel has this name, or jupyter_client is not installed.
    """
    if find_spec("jupyter_client") is None:
        raise KernelError(
            "Jupyter kernels need the package jupyter_client", hint=JUPYTER_INSTALL_HINT
        )
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel  # optional dependency

    manager = KernelSpecManager()
    try:
        return manager.get_kernel_spec(name)
    except NoSuchKernel:
        installed = sorted(manager.find_kernel_specs())
        raise KernelError(
            f"There is no Jupyter kernel {name!r}. Installed kernels: "
            f"{', '.join(installed) or 'none'}",
            hint=did_you_mean(name, installed) or None,
        ) from None
