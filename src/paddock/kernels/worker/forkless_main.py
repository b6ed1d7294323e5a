"""Entry point of a single-process worker that runs its engine in Paddock's own Python.

It is a separate module so that other workers need not import `threading`.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import NoReturn

from paddock.kernels import sandbox
from paddock.kernels.child.forkless_worker import run_forkless
from paddock.kernels.child.job_runner import load_interpreter


def main() -> NoReturn:
    """Run a single-process worker, on systems that cannot fork.

    The arguments in `sys.argv` are the engine's interpreter module, and the word `network` if
    network access is allowed.
    """
    interpreter, *flags = sys.argv[1:]
    restrictions = sandbox.enter_sandbox(network="network" in flags)
    run_forkless(partial(load_interpreter, interpreter), restrictions)
