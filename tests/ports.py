"""Ports for servers that have to be reported theirs before they start."""

import random
import socket

_RANGE = range(20_000, 32_000)
"""Below the ports that the system assigns to sockets that name none: until the server listens,
none of the many connections of other tests can get its port."""

_random = random.SystemRandom()  # other workers use the same seed


def free_port() -> int:
    """A port that no one listens on."""
    while True:
        port = _random.choice(_RANGE)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
