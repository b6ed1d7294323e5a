"""A record of the messages of one connection, in the order in which we sent or received them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from paddock.peer.reporting import report_callback_error


class TranscriptMessage(NamedTuple):
    """One frame as it travelled, without the end of its line."""

    is_ours: bool
    frame: bytes


MessageWatcher = Callable[[TranscriptMessage], object]


class Transcript:
    """Everything that was said; `watch` is told of each message as it is recorded."""

    def __init__(self, watch: MessageWatcher | None = None) -> None:
        self.messages: list[TranscriptMessage] = []
        self._watch = watch
        self._lock = threading.Lock()

    def add(self, frame: bytes, *, is_ours: bool) -> None:
        """Record a message. May be called by several threads."""
        message = TranscriptMessage(is_ours, frame.rstrip(b"\r\n"))
        with self._lock:
            self.messages.append(message)
            try:
                if self._watch is not None:
                    self._watch(message)
            except Exception as fault:  # noqa: BLE001 - the thread has the connection to look after
                report_callback_error(fault)

    @property
    def sent(self) -> list[bytes]:
        """Our own messages."""
        return [message.frame for message in self.messages if message.is_ours]

    @property
    def received(self) -> list[bytes]:
        """The server's messages."""
        return [message.frame for message in self.messages if not message.is_ours]
