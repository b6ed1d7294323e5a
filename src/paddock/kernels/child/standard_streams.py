"""Redirection of a worker's standard streams. Compatible with Python 3.8."""

from __future__ import annotations

import os


def claim_standard_streams() -> tuple[int, int, int]:
    """Reserve standard input and output for requests and replies.

    Afterwards standard input is empty, and standard output and error lead to a pipe, so that user
    code can print without disturbing the connection to the server.

    Returns:
        Descriptors for reading requests, writing replies, and reading printed output.
    """
    requests, replies = os.dup(0), os.dup(1)
    output_reader, output_writer = os.pipe()
    null_device = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_device, 0)
    os.dup2(output_writer, 1)
    os.dup2(output_writer, 2)
    os.close(null_device)
    os.close(output_writer)
    return requests, replies, output_reader
