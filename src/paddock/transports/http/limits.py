"""How much of everything a client may use."""

from __future__ import annotations

from paddock.errors import DefinitionError


class Limits:
    """Bounds on sizes, numbers and times; every one can be set.

    Args:
        body_bytes: Of one request.
        header_bytes: Of all headers of one request.
        connections: Open at once.
        concurrent_requests: Being answered at once; more are told to come back.
        sessions: Open at once; the one that has been idle longest makes room.
        session_idle_seconds: After which a session that nobody uses ends.
        event_bytes, events: Of a session, that a client may ask for again.
        all_event_bytes: Of all sessions together; the longest unused make room.
        backlog_bytes: Waiting for a client that reads slowly, before it is cut off.
        call_seconds: That a handler may take.
        keep_alive_seconds: Between signs of life on a connection where nothing happens.
        idle_seconds: After which a connection without a request is closed.
        receive_seconds: That a client may take to send a request.
        write_seconds: Within which a client must take something of its answer.
        drain_seconds: That what is under way may take when the server is told to end.
    """

    __slots__ = (
        "all_event_bytes",
        "backlog_bytes",
        "body_bytes",
        "call_seconds",
        "concurrent_requests",
        "connections",
        "drain_seconds",
        "event_bytes",
        "events",
        "header_bytes",
        "idle_seconds",
        "keep_alive_seconds",
        "receive_seconds",
        "session_idle_seconds",
        "sessions",
        "write_seconds",
    )

    def __init__(
        self,
        *,
        body_bytes: int = 16 * 1024 * 1024,
        header_bytes: int = 32 * 1024,
        connections: int = 10_000,
        concurrent_requests: int = 2_000,
        sessions: int = 10_000,
        session_idle_seconds: float = 1800,
        events: int = 256,
        event_bytes: int = 4 * 1024 * 1024,
        all_event_bytes: int = 128 * 1024 * 1024,
        backlog_bytes: int = 4 * 1024 * 1024,
        call_seconds: float = 600,
        keep_alive_seconds: float = 15,
        idle_seconds: float = 75,
        receive_seconds: float = 30,
        write_seconds: float = 60,
        drain_seconds: float = 10,
    ) -> None:
        self.body_bytes = body_bytes
        self.header_bytes = header_bytes
        self.connections = connections
        self.concurrent_requests = concurrent_requests
        self.sessions = sessions
        self.session_idle_seconds = session_idle_seconds
        self.events = events
        self.event_bytes = event_bytes
        self.all_event_bytes = all_event_bytes
        self.backlog_bytes = backlog_bytes
        self.call_seconds = call_seconds
        self.keep_alive_seconds = keep_alive_seconds
        self.idle_seconds = idle_seconds
        self.receive_seconds = receive_seconds
        self.write_seconds = write_seconds
        self.drain_seconds = drain_seconds
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise DefinitionError(
                    f"the limit {name} is {getattr(self, name)!r}", hint="use more than 0"
                )
