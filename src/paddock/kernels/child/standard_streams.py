"""The standard streams of a worker, which belong to its engine, and what was there before them.

Python 3.8 can read this module.
"""

from __future__ import annotations

import os


def claim_standard_streams() -> tuple[int, int, int]:
    """Where requests come from, where replies go, and where what is printed comes out.

    From then on standard input is empty, and standard output and error lead into a pipe.
    """
    requests, replies = os.dup(0), os.dup(1)
    output, written = os.pipe()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(written, 1)
    os.dup2(written, 2)
    os.close(nothing)
    os.close(written)
    return requests, replies, output
