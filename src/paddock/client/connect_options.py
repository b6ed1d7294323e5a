"""A record of the messages of one connection, in the order in which we sent or received them.

What a caller may say about a connection: the options of `connect`, in one place.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import IO, Literal, NamedTuple, TypedDict

from msgspec import Struct

from paddock.client.thread_pool import report_callback_error


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
            except Exception as error:  # noqa: BLE001 - the thread has the connection to look after
                report_callback_error(error)

    @property
    def sent(self) -> list[bytes]:
        """Our own messages."""
        return [message.frame for message in self.messages if message.is_ours]

    @property
    def received(self) -> list[bytes]:
        """The server's messages."""
        return [message.frame for message in self.messages if not message.is_ours]


Json = dict[str, object]

OnElicit = Callable[[Json], Json | None]
"""Gets the question's parameters; returns an `ElicitResult`, or None to decline."""
OnSample = Callable[[Json], Json | str]
"""Gets the request's parameters; returns a `CreateMessageResult`, or only the model's text."""
OnQuestion = Callable[[str, Json], Json]
"""Gets the method and the parameters of any question; returns its result."""
OnNotificationParams = Callable[[Json], object]
OnNotification = Callable[[str, Json], object]
RootLike = str | PathLike[str] | Json
"""A URI, a path or a `Root` object of the protocol."""
StderrTarget = int | IO[bytes] | Literal["capture"] | None
"""What becomes of a server's standard error: None leaves it with ours, "capture" keeps its end for
error messages; otherwise as for `subprocess.Popen`."""

TokenSource = str | Callable[[], str]
"""A bearer token, or what gives one; it is asked anew when the server refuses its last one."""
TraceContextSource = Callable[[], Mapping[str, str]]
"""Gives the W3C trace context of the current work: `traceparent`, `tracestate`, `baggage`."""

DEFAULT_TIMEOUT_SECONDS = 30.0
PROBE_TIMEOUT_SECONDS = 5.0


class ConnectOptions(TypedDict, total=False):
    """The keyword arguments of `connect`.

    Capabilities are declared for what there is a callback for, unless `client_capabilities` says
    otherwise. Callbacks run in threads of their own and may call the peer. All notifications that
    came before an answer have been handed to their callbacks when the answer is returned.
    """

    era: str | None
    """The protocol version to speak; None finds out what the server knows."""
    timeout: float
    """Seconds to wait for an answer; `Peer.within` sets others."""
    probe_timeout: float
    """Seconds until a server that leaves our first question unanswered is offered a session too."""
    on_elicit: OnElicit | None
    on_sample: OnSample | None
    on_question: OnQuestion | None
    """Answers every question, in place of `on_elicit`, `on_sample` and `roots`. Needs
    `client_capabilities`, since a callback does not say what it can answer."""
    roots: Sequence[RootLike] | None
    on_log: OnNotificationParams | None
    on_progress: OnNotificationParams | None
    on_notification: OnNotification | None
    """Gets every notification, also those that have a callback of their own."""
    tasks: bool
    """Let the server answer calls with tasks (2026-07-28), which are followed to their end."""
    client_capabilities: Json | None
    client_info: Json | None
    record: bool | Transcript
    """Keep every message in `Peer.transcript`."""
    env: Mapping[str, str] | None
    """Environment variables for the server, in addition to ours."""
    cwd: str | PathLike[str] | None
    stderr: StderrTarget
    token: TokenSource | None
    """For a server behind a URL: sent to that origin only."""
    headers: Mapping[str, str] | None
    """More HTTP headers for a server behind a URL."""
    verify: bool | str
    """Whether to check the certificate of an https URL, or the file or directory with the
    certificates to check it against."""
    allow_plain_http: bool
    """Let a token travel over http, unencrypted, to a host that is not this one."""
    trace_context: TraceContextSource | None
    """None takes OpenTelemetry's current context, if the program has imported that."""


class ConnectSettings(Struct, kw_only=True, frozen=True):
    """The options with their defaults."""

    era: str | None = None
    timeout: float = DEFAULT_TIMEOUT_SECONDS
    probe_timeout: float = PROBE_TIMEOUT_SECONDS
    on_elicit: OnElicit | None = None
    on_sample: OnSample | None = None
    on_question: OnQuestion | None = None
    roots: Sequence[RootLike] | None = None
    on_log: OnNotificationParams | None = None
    on_progress: OnNotificationParams | None = None
    on_notification: OnNotification | None = None
    tasks: bool = False
    client_capabilities: Json | None = None
    client_info: Json | None = None
    record: bool | Transcript = False
    env: Mapping[str, str] | None = None
    cwd: str | PathLike[str] | None = None
    stderr: StderrTarget = None
    token: TokenSource | None = None
    headers: Mapping[str, str] | None = None
    verify: bool | str = True
    allow_plain_http: bool = False
    trace_context: TraceContextSource | None = None
