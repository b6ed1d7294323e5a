"""`paddock.connect`, which connects to a server inside or outside this process.

A `Server` object is served in memory. All other targets are passed to `paddock.client`, which does
not depend on the serving package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from paddock.authoring.base_server import BaseServer
from paddock.client import connect as remote
from paddock.client.connect_options import ConnectOptions, ConnectSettings
from paddock.serving.session import serve_in_memory

if TYPE_CHECKING:
    from paddock.client.connect import ServerCommand
    from paddock.client.peer import Peer

    ConnectTarget = BaseServer | ServerCommand


def connect(target: ConnectTarget, **options: Unpack[ConnectOptions]) -> Peer:
    """Connect to a server: a `Server` object, a command, a Python file or a directory.

    The keyword arguments are those of `paddock.client.connect_options.ConnectOptions`. Close the
    returned peer, or use it in a `with` statement.

    Raises:
        ConnectError: The server cannot be started or does not answer.
    """
    if isinstance(target, BaseServer):
        return remote.connect_channel(serve_in_memory(target), ConnectSettings(**options))
    return remote.connect(target, **options)
