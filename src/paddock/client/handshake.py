"""Version negotiation, and the `_meta` of the client's requests."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from paddock.client.callbacks import declare_capabilities
from paddock.client.calls import PendingCall
from paddock.client.connect_options import Json
from paddock.client.errors import (
    AccessRefusedError,
    AnswerError,
    HttpError,
    PeerError,
    PeerTimeoutError,
)
from paddock.errors import ConnectError, PaddockError
from paddock.protocol.early_handshake import META_SERVER_INFO
from paddock.protocol.errors import UNSUPPORTED_VERSION
from paddock.protocol.params import LoggingLevel, RequestMeta
from paddock.protocol.versions import SESSION_VERSIONS, STATELESS_VERSIONS, SUPPORTED_VERSIONS
from paddock.version import __version__

if TYPE_CHECKING:
    from paddock.client.connect_options import ConnectSettings, TraceContextSource
    from paddock.client.connection import ClientConnection
    from paddock.client.notifications import NotificationQueue


TRACE_CONTEXT_KEYS = ("traceparent", "tracestate", "baggage")
"""The `_meta` keys that the protocol reserves for the W3C trace context."""


def collect_trace_context(source: TraceContextSource | None) -> dict[str, str]:
    """Return the W3C trace context of the current thread, such as `{"traceparent": "00-…"}`.

    It comes from `source` or, if that is None, from OpenTelemetry. OpenTelemetry is never imported
    for this, because a program that uses tracing has already imported it.
    """
    if source is not None:
        carrier = source()
    elif "opentelemetry" in sys.modules:
        carrier = _inject_current_context()
    else:
        return {}
    return {key: carrier[key] for key in TRACE_CONTEXT_KEYS if carrier.get(key)}


def _inject_current_context() -> dict[str, str]:
    """Return OpenTelemetry's current trace context, such as `{"traceparent": "00-…"}`."""
    try:
        from opentelemetry.propagate import inject  # noqa: PLC0415 - an optional dependency
    except (
        ImportError
    ):  # `opentelemetry` is a namespace package, and only another part is installed.
        return {}
    carrier: dict[str, str] = {}
    inject(carrier)
    return carrier


METHODS_WITH_PROGRESS = frozenset({"tools/call", "prompts/get", "resources/read"})
"""Methods that may report progress."""


class RequestMetaBuilder:
    """Builds the `_meta` member of each client request.

    Stateless versions of the protocol have no handshake, so `_meta` also describes the client: its
    version, capabilities and name.
    """

    def __init__(self, settings: ConnectSettings, version: str) -> None:
        self._trace_context_source = settings.trace_context
        self._wants_progress = settings.on_progress is not None
        self._last_progress_token = 0
        """Progress tokens are increasing numbers, because each token must be unique."""
        self.version = version
        self.is_stateless = version in STATELESS_VERSIONS
        self.capabilities = declare_capabilities(settings, version)
        self.client_info = settings.client_info or {"name": "paddock", "version": __version__}
        self.log_level: LoggingLevel | None = "info" if settings.on_log is not None else None
        """The minimum level of log messages to receive, or None for no log messages."""

    def add_meta(self, method: str, params: Json) -> Json:
        """Return the request parameters with the client's `_meta` added.

        Keys that the caller has set in `_meta` take precedence.
        """
        meta: Json = msgspec.to_builtins(self._build_meta(method))
        meta.update(collect_trace_context(self._trace_context_source))
        caller_meta = params.get("_meta")
        if isinstance(caller_meta, dict):
            meta.update(caller_meta)
        return {**params, "_meta": meta} if meta else params

    def _build_meta(self, method: str) -> RequestMeta:
        """Return the `_meta` for the next request with a method, with a new progress token."""
        meta = RequestMeta()
        if self._wants_progress and method in METHODS_WITH_PROGRESS:
            self._last_progress_token += 1
            meta.progress_token = self._last_progress_token
        if self.is_stateless:
            meta.version = self.version
            meta.capabilities = self.capabilities
            meta.client_info = self.client_info
            if self.log_level is not None:
                meta.log_level = self.log_level
        return meta


NO_ENDPOINT_STATUSES = (200, 404, 405)
"""Statuses returned by web servers that are not MCP servers."""


class HandshakeResult(Struct):
    """The server's answer to the handshake."""

    version: str
    server_info: Json
    capabilities: Json
    instructions: str | None


class Handshake:
    """Opens one connection."""

    def __init__(
        self,
        connection: ClientConnection,
        notification_queue: NotificationQueue,
        settings: ConnectSettings,
    ) -> None:
        self._connection = connection
        self._notification_queue = notification_queue
        self._settings = settings

    def perform(self) -> HandshakeResult:
        """Negotiate the protocol version, and return it with the server's description.

        This is the version requested by the settings, or else the newest that both sides support.

        Raises:
            ConnectError: The negotiation failed.
        """
        try:
            return self._negotiate()
        except (PeerError, PeerTimeoutError, AnswerError) as error:
            raise ConnectError(f"The handshake failed: {error.message}", hint=error.hint) from error

    def _negotiate(self) -> HandshakeResult:
        """Open the connection with the protocol version requested by the `era` setting.

        If the setting is None, find a version that the server supports.
        """
        era = self._settings.era
        if era is None:
            return self._probe_versions()
        if era not in SUPPORTED_VERSIONS:
            supported_versions = ", ".join(SUPPORTED_VERSIONS)
            raise ConnectError(
                f"Unknown protocol version {era!r}", hint=f"use one of {supported_versions}"
            )
        if era in STATELESS_VERSIONS:
            result = self._read_discovery(self._send_discover(era), self._settings.timeout)
            if result is None:
                raise ConnectError(f"The server does not support protocol version {era}")
            return result
        result = self._initialize(era)
        # Servers may answer with a different version, but the caller asked for exactly this one.
        if result.version != era:
            raise ConnectError(
                f"The server answered with protocol version {result.version} instead of {era}"
            )
        return result

    def _probe_versions(self) -> HandshakeResult:
        """Find a protocol version that the server supports.

        Stateless versions are tried first, with a `server/discover` request as the probe. If that
        fails, `initialize` opens a session in an older version. A server that is merely slow may
        answer the probe after `initialize` has failed. Its late answer is then used.
        """
        probe = self._send_discover(STATELESS_VERSIONS[0])
        timeout = min(self._settings.probe_timeout, self._settings.timeout)
        try:
            result = self._read_discovery(probe, timeout)
            if result is not None:
                return result
        except (PeerError, PeerTimeoutError):
            pass  # An older server, or one that is slow to start.
        except HttpError as error:
            # An older server may reject the unknown request with any status.
            if error.status is None or isinstance(error, AccessRefusedError):
                raise
        except ConnectError as error:
            # Some older servers exit when they receive an unknown method.
            hint = "if the server ends at an unknown method, pass an older version as era"
            raise ConnectError(error.message, hint=error.hint or hint) from None
        try:
            result = self._initialize(SESSION_VERSIONS[0])
        except PaddockError as error:
            late_result = _find_late_result(probe)
            if late_result is None:
                raise _add_endpoint_hint(error) from None
            return late_result
        if self._connection.cancels_by_closing:  # Over HTTP, the probe occupies a connection.
            probe.cancel()
        return result

    def _read_discovery(self, probe: PendingCall, timeout: float) -> HandshakeResult | None:
        """Wait for the server's answer to a `server/discover` request, the probe.

        If the server rejects the probe's version but names others, the probe is repeated once.

        Returns:
            The server's description, or None if no version is supported by both sides.
        """
        try:
            return _parse_discover_result(probe.result(timeout))
        except PeerError as error:
            offered_version = _find_offered_version(error)
            if offered_version is None:
                raise
        return _parse_discover_result(self._send_discover(offered_version).result(timeout))

    def _send_discover(self, version: str) -> PendingCall:
        params = RequestMetaBuilder(self._settings, version).add_meta("server/discover", {})
        return self._start_call("server/discover", params)

    def _initialize(self, version: str) -> HandshakeResult:
        """Open a session with an `initialize` request.

        Args:
            version: The protocol version to offer. The server may choose another one.

        Raises:
            ConnectError: The client does not support the server's version.
        """
        meta_builder = RequestMetaBuilder(self._settings, version)
        params: Json = {
            "protocolVersion": version,
            "capabilities": meta_builder.capabilities,
            "clientInfo": meta_builder.client_info,
        }
        result = self._start_call("initialize", params).result()
        server_version = result.get("protocolVersion")
        if server_version not in SESSION_VERSIONS:
            raise ConnectError(
                f"The server chose the unsupported protocol version {server_version!r}",
                hint=f"supported versions: {', '.join(SUPPORTED_VERSIONS)}",
            )
        self._connection.notify("notifications/initialized")
        return _make_handshake_result(server_version, result.get("serverInfo"), result)

    def _start_call(self, method: str, params: Json) -> PendingCall:
        timeout = self._settings.timeout
        return PendingCall(
            self._connection, self._notification_queue, method, params, timeout=timeout
        )


def _parse_discover_result(result: Json) -> HandshakeResult | None:
    """Return the server's description from its answer to `server/discover`.

    Returns None if the client supports none of the server's protocol versions.
    """
    version = _find_common_version(result.get("supportedVersions"))
    if version is None:
        return None
    meta = result.get("_meta")
    server_info = meta.get(META_SERVER_INFO) if isinstance(meta, dict) else None
    return _make_handshake_result(version, server_info, result)


def _find_offered_version(error: PeerError) -> str | None:
    """Return a common version from an error that lists the server's versions, or None."""
    if error.rpc_code != UNSUPPORTED_VERSION or not isinstance(error.data, dict):
        return None
    return _find_common_version(error.data.get("supported"))


def _add_endpoint_hint(error: PaddockError) -> PaddockError:
    if isinstance(error, HttpError) and error.status in NO_ENDPOINT_STATUSES and error.hint is None:
        error.hint = "check that the URL and its path are those of an MCP endpoint"
    return error


def _find_late_result(probe: PendingCall) -> HandshakeResult | None:
    """Return the result of a probe whose answer arrived after its timeout, or None."""
    try:
        return _parse_discover_result(probe.result(0))
    except PaddockError:
        return None


def _make_handshake_result(version: str, server_info: object, result: Json) -> HandshakeResult:
    """Return the server's description from its answer to the handshake.

    Members of the wrong type are ignored, because the client can work without them.
    """
    capabilities, instructions = result.get("capabilities"), result.get("instructions")
    return HandshakeResult(
        version=version,
        server_info=server_info if isinstance(server_info, dict) else {},
        capabilities=capabilities if isinstance(capabilities, dict) else {},
        instructions=instructions if isinstance(instructions, str) else None,
    )


def _find_common_version(server_versions: object) -> str | None:
    """Return the newest of the server's versions that the client also supports."""
    if not isinstance(server_versions, list):
        return None
    return next((version for version in STATELESS_VERSIONS if version in server_versions), None)
