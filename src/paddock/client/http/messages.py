"""Server messages in response bodies, and the parts of client messages that HTTP depends on."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from paddock.protocol.early_handshake import META_VERSION
from paddock.protocol.http_headers import (
    METHOD_HEADER,
    NAME_HEADER,
    NAME_PARAMETERS,
    encode_header_value,
)
from paddock.protocol.jsonrpc import (
    DECODE_ERRORS,
    JsonRpcFrame,
    RequestId,
    decode_frame,
    is_batch,
    split_batch,
)


def join_lines(data: bytes) -> bytes:
    """Return the message on one line. Line breaks between JSON tokens have no meaning."""
    return data.replace(b"\r", b" ").replace(b"\n", b" ")


def decode_frames(line: bytes) -> list[JsonRpcFrame]:
    """Decode the messages of a line. A malformed line has none, and the connection reports it."""
    try:
        messages = split_batch(line) if is_batch(line) else [line]
        return [decode_frame(message) for message in messages]
    except DECODE_ERRORS:
        return []


REPEATABLE_METHODS = frozenset(
    {
        *("completion/complete", "initialize", "logging/setLevel", "ping", "prompts/list"),
        *("resources/list", "resources/read", "resources/templates/list", "server/discover"),
        *("resources/subscribe", "resources/unsubscribe", "subscriptions/listen", "tasks/get"),
        *("skills/get", "skills/list", "tools/list", "resources/directory/read"),
    }
)
"""Methods without side effects, which the server may receive twice."""


class _MessageParams(Struct):
    meta: object = field(default=None, name="_meta")
    name: object = None
    uri: object = None
    task_id: object = field(default=None, name="taskId")
    request_id: object = field(default=None, name="requestId")
    arguments: Raw | UnsetType = UNSET


_decode_params = msgspec.json.Decoder(_MessageParams).decode
_decode_json = msgspec.json.Decoder().decode


class OutgoingMessage(Struct):
    """A request, a notification, or a response (without a method)."""

    frame: bytes
    id: RequestId | None
    method: str | None
    params: _MessageParams

    @property
    def is_request(self) -> bool:
        """Whether the message expects an answer."""
        return self.id is not None and self.method is not None

    @property
    def is_repeatable(self) -> bool:
        """Whether the message may be sent again even if the server may have acted on it."""
        return self.method in REPEATABLE_METHODS

    @property
    def meta(self) -> dict[str, object]:
        """The `_meta` of the message."""
        return self.params.meta if isinstance(self.params.meta, dict) else {}

    @property
    def version(self) -> str | None:
        """The protocol version in `_meta`, which only stateless requests have."""
        version = self.meta.get(META_VERSION)
        return version if isinstance(version, str) else None

    @property
    def arguments(self) -> dict[str, object]:
        """The arguments of a tool call."""
        raw = self.params.arguments
        value = {} if raw is UNSET else _decode_json(raw)
        return value if isinstance(value, dict) else {}

    @property
    def headers(self) -> dict[str, str]:
        """The headers that repeat the method and name of a stateless request."""
        if self.method is None:
            return {}
        headers = {METHOD_HEADER: encode_header_value(self.method)}
        name = getattr(self.params, NAME_PARAMETERS.get(self.method, "name"))
        if self.method in NAME_PARAMETERS and isinstance(name, str):
            headers[NAME_HEADER] = encode_header_value(name)
        return headers


def parse_outgoing(frame: bytes) -> OutgoingMessage:
    """Parse a message that the client is about to send."""
    message = decode_frame(frame)
    params = _MessageParams()
    if message.params is not UNSET and bytes(message.params).startswith(b"{"):
        params = _decode_params(message.params)
    return OutgoingMessage(
        frame=frame,
        id=None if message.id is UNSET else message.id,
        method=None if message.method is UNSET else message.method,
        params=params,
    )
