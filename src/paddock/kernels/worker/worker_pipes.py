"""Descriptors of a worker, opened before its processes are forked."""

from __future__ import annotations

import os

from paddock.kernels.child.output_capture import claim_standard_streams


class WorkerPipes:
    """Descriptors of a worker: its connection to the server, and the pipes between its processes.

    Attributes:
        requests: Read end of the server's requests.
        replies: Write end of the replies to the server.
        output: Read end of what the evaluator processes print.
        order_readers: Read ends of the two order pipes. The two evaluator processes take turns in
            reading them.
        order_writers: Write ends of the order pipes.
        notice_reader: Read end of the notices that the evaluator processes send.
        notice_writer: Write end of the notices.
    """

    def __init__(self) -> None:
        self.requests, self.replies, self.output = claim_standard_streams()
        first_orders, second_orders = os.pipe(), os.pipe()
        self.order_readers = (first_orders[0], second_orders[0])
        self.order_writers = (first_orders[1], second_orders[1])
        self.notice_reader, self.notice_writer = os.pipe()

    def close_supervisor_ends(self) -> None:
        """Close the descriptors that only the supervisor may use, in an evaluator process."""
        for handle in (self.requests, self.replies, self.output, self.notice_reader):
            os.close(handle)
        for handle in self.order_writers:
            os.close(handle)
