"""Options for `connect`, and connection transcripts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import IO, Literal, NamedTuple, TypedDict

from msgspec import Struct

from paddock.client.thread_pool import call_safely


class TranscriptMessage(NamedTuple):
    """A message as it was sent or received, without its line ending."""

    is_from_client: bool
    frame: bytes


MessageWatcher = Callable[[TranscriptMessage], object]


class Transcript:
    """A recording of all messages between a client and a server, in order.

    Args:
        watch: Called with each message when it is added.
    """

    def __init__(self, watch: MessageWatcher | None = None) -> None:
        self.messages: list[TranscriptMessage] = []
        self._watch = watch
        self._lock = threading.Lock()

    def add(self, frame: bytes, *, is_from_client: bool) -> None:
        """Record a message. May be called from multiple threads.

        Args:
            frame: The encoded message.
            is_from_client: True if the client sent the message, False if the server did.
        """
        message = TranscriptMessage(is_from_client, frame.rstrip(b"\r\n"))
        # `watch` is called under the lock, so it sees the messages in the recorded order.
        with self._lock:
            self.messages.append(message)
            if self._watch is not None:
                call_safely(self._watch, message)

    @property
    def sent(self) -> list[bytes]:
        """The messages that the client sent."""
        return [message.frame for message in self.messages if message.is_from_client]

    @property
    def received(self) -> list[bytes]:
        """The messages that the server sent."""
        return [message.frame for message in self.messages if not message.is_from_client]


Json = dict[str, object]

OnElicit = Callable[[Json], Json | None]
"""Receives the parameters of an elicitation and returns an `ElicitResult`, or None to decline."""
OnSample = Callable[[Json], Json | str]
"""Receives the parameters of a sampling request.

Returns a `CreateMessageResult` or just its text.
"""
OnQuestion = Callable[[str, Json], Json]
"""Receives the method and parameters of any server request; returns its result."""
OnNotificationParams = Callable[[Json], object]
OnNotification = Callable[[str, Json], object]
RootLike = str | PathLike[str] | Json
"""A URI, a path, or a `Root` object of the protocol."""
StderrTarget = int | IO[bytes] | Literal["capture"] | None
"""Destination of a server's standard error. None inherits the client's, "capture" keeps the last
lines for error messages, and anything else is passed to `subprocess.Popen`.
"""

TokenSource = str | Callable[[], str]
"""A bearer token, or a function that returns one. The function is called again when the server
rejects the previous token.
"""
TraceContextSource = Callable[[], Mapping[str, str]]
"""Returns the W3C trace context of the current work: `traceparent`, `tracestate`, `baggage`."""

DEFAULT_TIMEOUT_SECONDS = 30.0
PROBE_TIMEOUT_SECONDS = 5.0


class ConnectOptions(TypedDict, total=False):
    """The keyword arguments of `connect`.

    By default, the client declares the capabilities for which callbacks are set. Callbacks run in
    separate threads and may use the peer. By the time an answer is returned, all notifications that
    arrived before it have been passed to their callbacks.
    """

    era: str | None
    """The protocol version to use; None negotiates one."""
    timeout: float
    """Seconds to wait for an answer. `Peer.with_timeout` overrides it."""
    probe_timeout: float
    """Seconds to wait for the answer to `server/discover` before `initialize` is sent as well."""
    on_elicit: OnElicit | None
    on_sample: OnSample | None
    on_question: OnQuestion | None
    """Answers every server request, instead of `on_elicit`, `on_sample` and `roots`. It needs
    `client_capabilities`, which cannot be derived from the callback.
    """
    roots: Sequence[RootLike] | None
    on_log: OnNotificationParams | None
    on_progress: OnNotificationParams | None
    on_notification: OnNotification | None
    """Receives every notification, including those that have their own callback."""
    tasks: bool
    """Allow the server to answer calls with tasks (2026-07-28), which the client polls to the end.
    """
    client_capabilities: Json | None
    client_info: Json | None
    record: bool | Transcript
    """Record every message in `Peer.transcript`."""
    env: Mapping[str, str] | None
    """Environment variables for the server, added to those of this process."""
    cwd: str | PathLike[str] | None
    stderr: StderrTarget
    token: TokenSource | None
    """Credentials for a server with a URL. They are only sent to the URL's origin."""
    headers: Mapping[str, str] | None
    """Additional HTTP headers for a server with a URL."""
    verify: bool | str
    """Whether to verify the certificate of an https URL, or the path to a file or directory of
    trusted certificates.
    """
    allow_plain_http: bool
    """Allow a token to be sent unencrypted to another host."""
    trace_context: TraceContextSource | None
    """None uses OpenTelemetry's current context if the program has imported OpenTelemetry."""


class ConnectSettings(Struct, kw_only=True, frozen=True):
    """The options of `connect` with their defaults. `ConnectOptions` describes them."""

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
