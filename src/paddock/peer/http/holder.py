"""Work in a thread that another thread can put an end to, even while it waits for the network."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class AbortableWork:
    """Holds the socket that a piece of work waits for; `abort` shuts it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._aborted = threading.Event()

    @property
    def is_aborted(self) -> bool:
        """Whether nobody wants the work any longer."""
        return self._aborted.is_set()

    @property
    def has_socket(self) -> bool:
        """Whether a connection has been made."""
        return self._socket is not None

    def hold_socket(self, connected: socket.socket) -> None:
        """From now on the work waits for this socket."""
        with self._lock:
            self._socket = connected
            if self.is_aborted:
                _shut_down_socket(connected)

    def release_socket(self) -> None:
        """The work no longer needs its socket, which others may use from now on."""
        with self._lock:
            self._socket = None

    def release_if_held(self, connected: socket.socket | None) -> None:
        """Somebody else uses this socket from now on; another one stays with the work."""
        with self._lock:
            if self._socket is connected:
                self._socket = None

    def set_socket_timeout(self, seconds: float) -> None:
        """Let the work wait for its socket only so long."""
        with self._lock, suppress(OSError):
            if self._socket is not None:
                self._socket.settimeout(seconds)

    def abort(self) -> None:
        """End the work, wherever it is."""
        with self._lock:
            self._aborted.set()
            if self._socket is not None:
                _shut_down_socket(self._socket)

    def sleep(self, seconds: float) -> bool:
        """Wait; whether the work was aborted meanwhile."""
        return self._aborted.wait(seconds)


def _shut_down_socket(connected: socket.socket) -> None:
    # Not the method of an SSL socket, which takes its state from under the thread that reads.
    with suppress(OSError):
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
