"""A message of the server, as it comes in the body of a response.

A message of ours, as far as HTTP has to know what it says.
"""

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
    """The message without line ends, which mean nothing between the parts of JSON."""
    return data.replace(b"\r", b" ").replace(b"\n", b" ")


def decode_frames(line: bytes) -> list[JsonRpcFrame]:
    """What a line says; nothing when it is no message, which whoever reads it will note."""
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
"""Requests that do no harm when the server gets them twice."""


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
    """A request, a notification, or an answer (which has no method)."""

    frame: bytes
    id: RequestId | None
    method: str | None
    params: _MessageParams

    @property
    def is_request(self) -> bool:
        """Whether an answer has to come."""
        return self.id is not None and self.method is not None

    @property
    def is_repeatable(self) -> bool:
        """Whether it may be sent again though the server may have acted on it."""
        return self.method in REPEATABLE_METHODS

    @property
    def meta(self) -> dict[str, object]:
        """Its `_meta`."""
        return self.params.meta if isinstance(self.params.meta, dict) else {}

    @property
    def version(self) -> str | None:
        """The protocol version that it names, which it does in the stateless era only."""
        version = self.meta.get(META_VERSION)
        return version if isinstance(version, str) else None

    @property
    def arguments(self) -> dict[str, object]:
        """The arguments of a call."""
        raw = self.params.arguments
        value = {} if raw is UNSET else _decode_json(raw)
        return value if isinstance(value, dict) else {}

    @property
    def headers(self) -> dict[str, str]:
        """What a request of the stateless era repeats of itself, but for a tool's arguments."""
        if self.method is None:
            return {}
        headers = {METHOD_HEADER: encode_header_value(self.method)}
        name = getattr(self.params, NAME_PARAMETERS.get(self.method, "name"))
        if self.method in NAME_PARAMETERS and isinstance(name, str):
            headers[NAME_HEADER] = encode_header_value(name)
        return headers


def parse_outgoing(frame: bytes) -> OutgoingMessage:
    """What a frame of ours is."""
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
