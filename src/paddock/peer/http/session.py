"""What HTTP has to know of a session: its id and version, and how it was opened."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from paddock.protocol.http_headers import SESSION_ID_HEADER, VERSION_HEADER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.peer.http.outgoing import OutgoingMessage
    from paddock.protocol.jsonrpc import JsonRpcFrame


class _InitializeResult(msgspec.Struct, rename="camel"):
    protocol_version: str


_decode_initialize_result = msgspec.json.Decoder(_InitializeResult).decode


class ClientHttpSession:
    """The session of one connection, if it has one."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        """Held while the session is opened anew; nothing else may be sent in it meanwhile."""
        self.initialize_message: OutgoingMessage | None = None
        self.generation = 0
        """How often it was opened."""
        self.id: str | None = None
        self.version: str | None = None
        self.stateless_version: str | None = None
        """The version of the last request that named one."""

    @property
    def headers(self) -> dict[str, str]:
        """What each request in the session carries."""
        version = self.version or self.stateless_version
        headers = {VERSION_HEADER: version} if version else {}
        if self.id is not None:
            headers[SESSION_ID_HEADER] = self.id
        return headers

    def record_initialize(self, opening: OutgoingMessage, answer: JsonRpcFrame, headers: Mapping[str, str]) -> None:
        """The server has answered `initialize`."""
        try:
            result = _decode_initialize_result(answer.result)  # type: ignore[arg-type]  # no result is no JSON
        except (msgspec.DecodeError, TypeError):
            return  # an error; who asked will see it
        self.initialize_message = opening
        self.version = result.protocol_version
        self.id = headers.get(SESSION_ID_HEADER)
        self.generation += 1
