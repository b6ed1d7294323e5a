"""The first exchange with a server: finding out what it speaks, and who it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from paddock.errors import ConnectError, PaddockError
from paddock.peer.calls import PendingCall
from paddock.peer.envelope import Envelope
from paddock.peer.errors import (
    AccessRefusedError,
    AnswerError,
    HttpError,
    PeerError,
    PeerTimeoutError,
)
from paddock.peer.settings import Json
from paddock.protocol.eras.v2026_07_28.discovery import META_SERVER_INFO
from paddock.protocol.errors import UNSUPPORTED_VERSION
from paddock.protocol.versions import SESSION_VERSIONS, STATELESS_VERSIONS, SUPPORTED_VERSIONS

if TYPE_CHECKING:
    from paddock.peer.delivery import Delivery
    from paddock.peer.link import Link
    from paddock.peer.settings import Settings


NO_ENDPOINT = (200, 404, 405)
"""What web servers answer that know nothing of the protocol."""


class Greeting(Struct):
    """What a server said about itself."""

    version: str
    server_info: Json
    capabilities: Json
    instructions: str | None


class Opening:
    """Opens one connection."""

    def __init__(self, link: Link, delivery: Delivery, settings: Settings) -> None:
        self._link = link
        self._delivery = delivery
        self._settings = settings

    def greet(self) -> Greeting:
        """Exchange greetings in the era that was asked for, or in the newest that works.

        Raises:
            ConnectError: when there is none.
        """
        try:
            return self._greet()
        except (PeerError, PeerTimeoutError, AnswerError) as error:
            text = f"The server cannot be talked to: {error.message}"
            raise ConnectError(text, hint=error.hint) from error

    def _greet(self) -> Greeting:
        era = self._settings.era
        if era is None:
            return self._probe()
        if era not in SUPPORTED_VERSIONS:
            known = ", ".join(SUPPORTED_VERSIONS)
            raise ConnectError(f"Unknown protocol version {era!r}", hint=f"known are {known}")
        if era in STATELESS_VERSIONS:
            greeting = self._discovery(self._discover(era), self._settings.timeout)
            if greeting is None:
                raise ConnectError(f"The server does not speak protocol version {era}")
            return greeting
        greeting = self._initialize(era)
        if greeting.version != era:
            raise ConnectError(
                f"The server answered with protocol version {greeting.version} instead of {era}"
            )
        return greeting

    def _probe(self) -> Greeting:
        probe = self._discover(STATELESS_VERSIONS[0])
        limit = min(self._settings.probe_timeout, self._settings.timeout)
        try:
            greeting = self._discovery(probe, limit)
            if greeting is not None:
                return greeting
        except (PeerError, PeerTimeoutError):
            pass  # an older server, or one that is slow to start
        except HttpError as error:
            if not _may_be_older(error):
                raise
        except ConnectError as error:
            hint = "if it cannot stand an unknown method, name an older version as the era"
            raise ConnectError(error.message, hint=error.hint or hint) from None
        try:
            return self._initialize(SESSION_VERSIONS[0])
        except PaddockError as error:
            late = _answered(probe)
            if late is None:
                raise _advised(error) from None
            return late

    def _discovery(self, probe: PendingCall, limit: float) -> Greeting | None:
        """The greeting in the answer to a probe; repeats it in a version that the server names."""
        try:
            return _discovered(probe.result(limit))
        except PeerError as error:
            offered = _offered(error)
            if offered is None:
                raise
        return _discovered(self._discover(offered).result(limit))

    def _discover(self, version: str) -> PendingCall:
        params = Envelope(self._settings, version).wrap("server/discover", {})
        return self._start("server/discover", params)

    def _initialize(self, version: str) -> Greeting:
        envelope = Envelope(self._settings, version)
        params: Json = {
            "protocolVersion": version,
            "capabilities": envelope.capabilities,
            "clientInfo": envelope.client_info,
        }
        answer = self._start("initialize", params).result()
        chosen = answer.get("protocolVersion")
        if chosen not in SESSION_VERSIONS:
            raise ConnectError(
                f"The server speaks protocol version {chosen!r}, which we do not",
                hint=f"we speak {', '.join(SUPPORTED_VERSIONS)}",
            )
        self._link.notify("notifications/initialized")
        return _greeting(chosen, answer.get("serverInfo"), answer)

    def _start(self, method: str, params: Json) -> PendingCall:
        timeout = self._settings.timeout
        return PendingCall(self._link, self._delivery, method, params, timeout=timeout)


def _discovered(answer: Json) -> Greeting | None:
    """The greeting in an answer to `server/discover`; None when we have no version in common."""
    theirs = answer.get("supportedVersions")
    common = [version for version in STATELESS_VERSIONS if version in _list(theirs)]
    if not common:
        return None
    meta = answer.get("_meta")
    info = meta.get(META_SERVER_INFO) if isinstance(meta, dict) else None
    return _greeting(common[0], info, answer)


def _offered(error: PeerError) -> str | None:
    """The version that a server names which does not know the one that we have tried."""
    if error.rpc_code != UNSUPPORTED_VERSION or not isinstance(error.data, dict):
        return None
    theirs = _list(error.data.get("supported"))
    return next((version for version in STATELESS_VERSIONS if version in theirs), None)


def _may_be_older(error: HttpError) -> bool:
    """Whether a server that refuses our first request may only not understand it."""
    return error.status is not None and not isinstance(error, AccessRefusedError)


def _advised(error: PaddockError) -> PaddockError:
    if isinstance(error, HttpError) and error.status in NO_ENDPOINT and error.hint is None:
        error.hint = "is this the URL of an MCP endpoint, and its path right?"
    return error


def _answered(probe: PendingCall) -> Greeting | None:
    """What came of a probe that we had given up waiting for."""
    try:
        return _discovered(probe.result(0))
    except PaddockError:
        return None


def _greeting(version: str, info: object, answer: Json) -> Greeting:
    capabilities, instructions = answer.get("capabilities"), answer.get("instructions")
    return Greeting(
        version=version,
        server_info=info if isinstance(info, dict) else {},
        capabilities=capabilities if isinstance(capabilities, dict) else {},
        instructions=instructions if isinstance(instructions, str) else None,
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
