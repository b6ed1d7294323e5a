"""One connection to an offering, from its first byte to its last.

The offering may still be on its way when the connection opens: what can be answered without it
is answered at once, the rest waits. Loading it, entering its lifespan and leaving it happen in
the serving thread, which is the main thread of a stdio server.

Serving in the same process: for tests, `paddock.connect` and composition.
"""

from __future__ import annotations

import threading  # noqa: F401 - whichever thread loads it first, it takes for the main thread
from _thread import start_new_thread
from typing import TYPE_CHECKING, Any, NoReturn

from paddock.authoring.handler_errors import log_failure
from paddock.authoring.methods import ServerMethods
from paddock.errors import PaddockError
from paddock.protocol.connection import ServerConnection
from paddock.protocol.dispatcher import Dispatcher, ProtocolEras, ServerNotReady
from paddock.protocol.errors import ProtocolError
from paddock.telemetry.settings import make_observers
from paddock.transports.channel import create_memory_channels
from paddock.transports.channel_server import MAX_LINE_BYTES, ChannelServer

if TYPE_CHECKING:
    from paddock.authoring.base_server import BaseServer
    from paddock.transports.channel import Channel


if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.base_server import BaseServer
    from paddock.protocol.request import Request
    from paddock.protocol.server_metadata import ServerMetadata
    from paddock.protocol.server_operations import ServerOperations
    from paddock.transports.channel import Channel

    ServerFactory = Callable[[], BaseServer]


class UnavailableOperations:
    """Stands in for operations that cannot be had, yet or at all."""

    def __init__(self, facts: ServerMetadata, reason: Exception) -> None:
        self.metadata = facts
        self._reason = reason

    @property
    def state_key(self) -> bytes:
        """None is to be had, so nothing can be checked with it."""
        raise self._reason

    @property
    def tasks(self) -> NoReturn:
        """There are none, since nothing can be called."""
        raise self._reason

    def _raise_reason(self, _request: Request) -> NoReturn:
        raise self._reason

    list_tools = begin_tool_call = list_prompts = begin_get_prompt = _raise_reason
    list_resources = list_templates = begin_read_resource = complete = _raise_reason
    list_skills = get_skill = read_directory = _raise_reason

    def watch(self, _uri: str) -> None:
        """Nothing to watch, yet or at all."""
        raise self._reason


class ListOnlyMethods(ServerMethods):
    """Answers lists, and lets everything else wait for the lifespan of the offering."""

    def _defer(self, request: Request) -> None:
        raise ServerNotReady

    begin_tool_call = begin_get_prompt = begin_read_resource = complete = read_directory = (
        get_skill
    ) = _defer


class ServerSession:
    """Serves one connection."""

    def __init__(
        self,
        channel: Channel,
        connection: ServerConnection,
        facts: ServerMetadata,
        *,
        max_line: int = MAX_LINE_BYTES,
    ) -> None:
        waiting: ServerOperations = UnavailableOperations(facts, ServerNotReady())
        self._metadata = facts
        self._dispatcher = Dispatcher(connection, ProtocolEras(waiting))
        self.channel_server = ChannelServer(channel, self._dispatcher, max_line)
        self._server: BaseServer | None = None
        self._lifespan: Any = None

    def start(self) -> None:
        """Begin to answer what can be answered without the offering."""
        self.channel_server.start()

    def load_server(self, load: ServerFactory) -> None:
        """Get the offering and enter its lifespan; a failure is told to the client."""
        try:
            offering = load()
            if offering.can_list_before_lifespan:
                self._answer_lists(offering)
            self._enter_lifespan(offering)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client must be told
            self.report_failure(error)
            return
        self.set_server(offering)

    def _answer_lists(self, offering: BaseServer) -> None:
        """Answer lists while the lifespan is being entered, which may take its time."""
        self.channel_server.replay_lines(
            self._dispatcher.set_operations(ListOnlyMethods(offering), is_ready=False)
        )

    def set_server(self, offering: BaseServer) -> None:
        """Answer from an offering, beginning with what had to wait for it."""
        self._server = offering
        self.channel_server.set_max_line(offering.max_message)
        # First: what changes after a client has seen a list must be told to it.
        offering.add_connection(self._dispatcher.announce_change, self.channel_server.stop)
        observers = make_observers(offering.tracing)
        self.channel_server.replay_lines(
            self._dispatcher.set_operations(ServerMethods(offering), observers)
        )

    def replace_server(self, offering: BaseServer) -> None:
        """Put a newly loaded offering in the place of the one that is served."""
        if self._server is None:
            self.set_server(offering)
            for kind in ("tools", "prompts", "resources"):
                self._dispatcher.announce_change(kind)
        else:
            self._server.update_from(offering)

    def report_failure(self, error: Exception) -> None:
        """Answer everything that needs the offering with the reason why there is none."""
        is_known = isinstance(error, PaddockError)
        reason = str(error) if is_known else f"{type(error).__name__}: {error}"
        fault = error.__cause__ if is_known else error
        log_failure(fault, f"Starting the server: {reason}")
        refusal = ProtocolError(f"The server could not be started: {reason}")
        self.channel_server.replay_lines(
            self._dispatcher.set_operations(UnavailableOperations(self._metadata, refusal))
        )

    def run(self) -> None:
        """Serve until the connection ends and what was under way has ended too."""
        try:
            self.channel_server.run()
        finally:
            if self._server is not None:
                self._server.remove_connection(self._dispatcher.announce_change)

    def close(self) -> None:
        """Leave the lifespan, and let go of the rest."""
        self._leave_lifespan()
        self.channel_server.close()

    def _enter_lifespan(self, offering: BaseServer) -> None:
        if offering.lifespan is None:
            return
        manager = offering.lifespan(offering)
        if hasattr(manager, "__aenter__"):
            state = self.channel_server.get_event_loop().run_until_complete(manager.__aenter__())
        else:
            state = manager.__enter__()
        self._dispatcher.connection.state = state
        self._lifespan = manager

    def _leave_lifespan(self) -> None:
        manager, self._lifespan = self._lifespan, None
        if manager is None:
            return
        try:
            if hasattr(manager, "__aexit__"):
                self.channel_server.get_event_loop().run_until_complete(
                    manager.__aexit__(None, None, None)
                )
            else:
                manager.__exit__(None, None, None)
        except Exception as error:  # noqa: BLE001 - the process is ending: only the log is left
            log_failure(error, "Leaving the lifespan failed")


def serve_in_memory(offering: BaseServer) -> Channel:
    """Serve one connection in a thread of its own; the other end of it."""
    ours, theirs = create_memory_channels()
    session = ServerSession(ours, ServerConnection(ours.write), offering.metadata)

    def serve() -> None:
        session.start()
        session.load_server(lambda: offering)
        session.run()
        session.close()

    start_new_thread(serve, ())
    return theirs
