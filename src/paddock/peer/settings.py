"""What a caller may say about a connection: the options of `connect`, in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import IO, Literal, TypedDict

from msgspec import Struct

from paddock.peer.transcript import Transcript

Json = dict[str, object]

OnElicit = Callable[[Json], Json | None]
"""Gets the question's parameters; returns an `ElicitResult`, or None to decline."""
OnSample = Callable[[Json], Json | str]
"""Gets the request's parameters; returns a `CreateMessageResult`, or only the model's text."""
OnQuestion = Callable[[str, Json], Json]
"""Gets the method and the parameters of any question; returns its result."""
OnParams = Callable[[Json], object]
OnNotification = Callable[[str, Json], object]
Root = str | PathLike[str] | Json
"""A URI, a path or a `Root` object of the protocol."""
Stderr = int | IO[bytes] | Literal["capture"] | None
"""What becomes of a server's standard error: None leaves it with ours, "capture" keeps its end for
error messages; otherwise as for `subprocess.Popen`."""

Token = str | Callable[[], str]
"""A bearer token, or what gives one; it is asked anew when the server refuses its last one."""
TraceContext = Callable[[], Mapping[str, str]]
"""Gives the W3C trace context of the current work: `traceparent`, `tracestate`, `baggage`."""

DEFAULT_TIMEOUT = 30.0
PROBE_TIMEOUT = 5.0


class Options(TypedDict, total=False):
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
    roots: Sequence[Root] | None
    on_log: OnParams | None
    on_progress: OnParams | None
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
    stderr: Stderr
    token: Token | None
    """For a server behind a URL: sent to that origin only, and never recorded."""
    headers: Mapping[str, str] | None
    """More HTTP headers for a server behind a URL."""
    verify: bool | str
    """Whether to check the certificate of an https URL, or the file or directory with the
    certificates to check it against."""
    trace_context: TraceContext | None
    """None takes OpenTelemetry's current context, if the program has imported that."""


class Settings(Struct, kw_only=True, frozen=True):
    """The options with their defaults."""

    era: str | None = None
    timeout: float = DEFAULT_TIMEOUT
    probe_timeout: float = PROBE_TIMEOUT
    on_elicit: OnElicit | None = None
    on_sample: OnSample | None = None
    on_question: OnQuestion | None = None
    roots: Sequence[Root] | None = None
    on_log: OnParams | None = None
    on_progress: OnParams | None = None
    on_notification: OnNotification | None = None
    tasks: bool = False
    client_capabilities: Json | None = None
    client_info: Json | None = None
    record: bool | Transcript = False
    env: Mapping[str, str] | None = None
    cwd: str | PathLike[str] | None = None
    stderr: Stderr = None
    token: Token | None = None
    headers: Mapping[str, str] | None = None
    verify: bool | str = True
    trace_context: TraceContext | None = None
