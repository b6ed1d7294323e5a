"""One connection to a server, and serving within the same process.

The server may still be loading when the connection opens. Requests that only need its metadata are
answered immediately, and the others wait. The serving thread, which is the main thread of a stdio
server, loads the server and enters and exits its lifespan.
"""

from __future__ import annotations

import threading  # noqa: F401 - must be imported by the main thread, which it would misidentify
from _thread import start_new_thread
from typing import TYPE_CHECKING, Any, NoReturn

from paddock.authoring.handler_errors import log_failure
from paddock.authoring.lifespans import combine_lifespans
from paddock.authoring.methods import ServerMethods
from paddock.errors import PaddockError
from paddock.protocol.connection import ServerConnection
from paddock.protocol.dispatcher import Dispatcher, ProtocolEras, ServerNotReady
from paddock.protocol.errors import ProtocolError
from paddock.protocol.server_operations import METHODS_BY_CAPABILITY, METHODS_OF_AUTHOR_CODE
from paddock.telemetry.settings import make_observers
from paddock.transports.channel import create_memory_channels
from paddock.transports.channel_server import MAX_LINE_BYTES, ChannelServer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.authoring.base_server import BaseServer
    from paddock.protocol.observers import RequestObserver
    from paddock.protocol.request import Operation, Request
    from paddock.protocol.server_metadata import ServerMetadata
    from paddock.protocol.server_operations import ServerOperations
    from paddock.transports.channel import Channel

    ServerFactory = Callable[[], BaseServer]


class UnavailableOperations:
    """The operations of a server that is not ready yet or failed to load.

    All operations raise the same exception: either `ServerNotReady`, which defers the request until
    the server is loaded, or the error that loading failed with.
    """

    def __init__(self, metadata: ServerMetadata, reason: Exception) -> None:
        self.metadata = metadata
        self._reason = reason
        self.methods: dict[str, Operation] = {
            method: self._raise_reason
            for methods in METHODS_BY_CAPABILITY.values()
            for method in methods
        }

    @property
    def state_key(self) -> bytes:
        """Raise the reason, because the key belongs to the server, which is not loaded."""
        raise self._reason

    @property
    def tasks(self) -> NoReturn:
        """Raise the reason, because tasks belong to the server, which is not loaded."""
        raise self._reason

    def watch(self, _uri: str) -> None:
        """Raise the reason, because resources belong to the server, which is not loaded."""
        raise self._reason

    def _raise_reason(self, _request: Request) -> NoReturn:
        raise self._reason


class ListOnlyMethods(ServerMethods):
    """Answers list requests, and defers all others until the lifespan has been entered."""

    def __init__(self, server: BaseServer) -> None:
        super().__init__(server)
        self.methods.update(dict.fromkeys(METHODS_OF_AUTHOR_CODE, _defer_request))


def _defer_request(_request: Request) -> NoReturn:
    raise ServerNotReady


class ServerSession:
    """Serves one connection."""

    def __init__(
        self,
        channel: Channel,
        connection: ServerConnection,
        metadata: ServerMetadata,
        *,
        max_line: int = MAX_LINE_BYTES,
    ) -> None:
        initial_operations: ServerOperations = UnavailableOperations(metadata, ServerNotReady())
        self._metadata = metadata
        self._dispatcher = Dispatcher(connection, ProtocolEras(initial_operations))
        self.channel_server = ChannelServer(channel, self._dispatcher, max_line)
        self._server: BaseServer | None = None
        self._lifespan: Any = None

    def start(self) -> None:
        """Start answering requests that only need the server's metadata."""
        self.channel_server.start()

    def load_server(self, load: ServerFactory) -> None:
        """Load the server, enter its lifespan, and answer the deferred requests.

        If that fails, all of these requests are answered with the error.
        """
        try:
            server = load()
            if server.can_list_before_lifespan:
                # Entering the lifespan may take a while. In the meantime, list requests are
                # answered, and all others are still deferred.
                list_methods = ListOnlyMethods(server)
                self._answer_deferred(list_methods, is_ready=False)
            self._enter_lifespan(server)
        except Exception as error:  # noqa: BLE001 - any error must be reported to the client
            self.report_failure(error)
            return
        self.set_server(server)

    def _answer_deferred(
        self,
        operations: ServerOperations,
        observers: Sequence[RequestObserver] = (),
        *,
        is_ready: bool = True,
    ) -> None:
        """Answer all deferred and future requests with the given operations.

        Args:
            operations: The operations.
            observers: Observers that see each of these requests.
            is_ready: Pass False if the operations may still defer requests.
        """
        deferred_lines = self._dispatcher.set_operations(operations, observers, is_ready=is_ready)
        self.channel_server.replay_lines(deferred_lines)

    def set_server(self, server: BaseServer) -> None:
        """Answer all deferred and future requests with a loaded server."""
        self._server = server
        self.channel_server.set_max_line(server.max_message)
        # The server notifies its connections of changes. The connection is added before the first
        # list is sent, so that the client is notified of every change to that list.
        server.add_connection(self._dispatcher.announce_change, self.channel_server.stop)
        self._answer_deferred(ServerMethods(server), make_observers(server.tracing))

    def replace_server(self, server: BaseServer) -> None:
        """Replace the current tools and other items with those of a reloaded server.

        If the first load failed, there is no current server to update. In that case, the reloaded
        server is used from now on, and the client is notified that all lists have changed.
        """
        if self._server is None:
            self.set_server(server)
            for kind in ("tools", "prompts", "resources"):
                self._dispatcher.announce_change(kind)
        else:
            self._server.update_from(server)

    def report_failure(self, error: Exception) -> None:
        """Answer all deferred and future requests with the error that prevented the load.

        The error is also logged, including its traceback if it is unexpected.
        """
        is_known = isinstance(error, PaddockError)
        reason = str(error) if is_known else f"{type(error).__name__}: {error}"
        cause = error.__cause__ if is_known else error
        log_failure(cause, f"Starting the server: {reason}")
        refusal = ProtocolError(f"The server could not be started: {reason}")
        self._answer_deferred(UnavailableOperations(self._metadata, refusal))

    def run(self) -> None:
        """Serve until the connection ends and all calls have finished."""
        try:
            self.channel_server.run()
        finally:
            if self._server is not None:
                self._server.remove_connection(self._dispatcher.announce_change)

    def close(self) -> None:
        """Exit the lifespan and release the channel."""
        self._leave_lifespan()
        self.channel_server.close()

    def _enter_lifespan(self, server: BaseServer) -> None:
        """Enter the server's lifespan, and make its value available to handlers.

        An asynchronous lifespan is entered on the same event loop that runs coroutine handlers.
        """
        lifespan: Any = combine_lifespans(server)
        if lifespan is None:
            return
        if hasattr(lifespan, "__aenter__"):
            state = self.channel_server.get_event_loop().run_until_complete(lifespan.__aenter__())
        else:
            state = lifespan.__enter__()
        self._dispatcher.connection.state = state
        self._lifespan = lifespan

    def _leave_lifespan(self) -> None:
        """Exit the server's lifespan if it was entered. An exception is only logged."""
        lifespan, self._lifespan = self._lifespan, None
        if lifespan is None:
            return
        try:
            if hasattr(lifespan, "__aexit__"):
                self.channel_server.get_event_loop().run_until_complete(
                    lifespan.__aexit__(None, None, None)
                )
            else:
                lifespan.__exit__(None, None, None)
        except Exception as error:  # noqa: BLE001 - the process is ending, so it can only be logged
            log_failure(error, "Leaving the lifespan failed")


def serve_in_memory(server: BaseServer) -> Channel:
    """Serve one connection in a new thread, without a process or network.

    Returns:
        The client's end of the connection.
    """
    server_channel, client_channel = create_memory_channels()
    session = ServerSession(server_channel, ServerConnection(server_channel.write), server.metadata)

    def serve() -> None:
        session.start()
        session.load_server(lambda: server)
        session.run()
        session.close()

    start_new_thread(serve, ())
    return client_channel
