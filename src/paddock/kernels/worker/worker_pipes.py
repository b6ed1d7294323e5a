"""Descriptors of a worker, opened before its processes are forked."""

from __future__ import annotations

import os

from paddock.kernels.child.output_capture import claim_standard_streams


class WorkerPipes:
    """A worker's file descriptors: its connection to the server, and its internal pipes.

    A worker consists of a supervisor and evaluator processes, which run user code.

    Attributes:
        requests: Read end of the pipe that carries the server's requests to the supervisor.
        replies: Write end of the pipe that carries the supervisor's replies to the server.
        output: Read end of the pipe to which the evaluator processes print.
        order_readers: Read ends of the two pipes that carry the supervisor's orders, one for each
            of the two evaluator processes.
        order_writers: Write ends of these pipes.
        notice_reader: Read end of the pipe that evaluator processes use to notify the supervisor.
        notice_writer: Write end of this pipe.
    """

    def __init__(self) -> None:
        self.requests, self.replies, self.output = claim_standard_streams()
        first_orders, second_orders = os.pipe(), os.pipe()
        self.order_readers = (first_orders[0], second_orders[0])
        self.order_writers = (first_orders[1], second_orders[1])
        self.notice_reader, self.notice_writer = os.pipe()

    def close_supervisor_ends(self) -> None:
        """Close the descriptors that only the supervisor may use.

        Called in an evaluator process after the fork, before it runs user code.
        """
        for handle in (self.requests, self.replies, self.output, self.notice_reader):
            os.close(handle)
        for handle in self.order_writers:
            os.close(handle)
