"""`paddock.connect`: one way to reach a server, wherever it is.

Stands above serving and peers, which do not know each other, and joins them: a server in this
process is served over memory, everything else is left to `peer.connect`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from paddock.authoring.base_server import BaseServer
from paddock.client import connect as elsewhere
from paddock.client.connect_options import ConnectOptions, ConnectSettings
from paddock.serving.session import serve_in_memory

if TYPE_CHECKING:
    from paddock.client.connect import ServerCommand
    from paddock.client.peer import Peer

    ConnectTarget = BaseServer | ServerCommand


def connect(target: ConnectTarget, **options: Unpack[ConnectOptions]) -> Peer:
    """Connect to a server: a `Server` object, a command, a Python file or a directory.

    The keyword arguments are those of `paddock.client.connect_options.ConnectOptions`. Close the peer, or use it
    in a `with` statement.

    Raises:
        ConnectError: when the server cannot be started or does not answer.
    """
    if isinstance(target, BaseServer):
        return elsewhere.connect_channel(serve_in_memory(target), ConnectSettings(**options))
    return elsewhere.connect(target, **options)
