"""JSON-RPC frames: decoding and encoding.

A frame is one line. Its `params`, `result` and `error` remain encoded until their types are known.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from paddock.protocol.errors import INVALID_REQUEST, PARSE_ERROR, ProtocolError

RequestId = int | str

encode_json = msgspec.json.Encoder().encode
decode_json = msgspec.json.Decoder().decode


class JsonRpcFrame(Struct):
    """A JSON-RPC message: a request, a notification (no id) or a response (no method).

    Parameters and results remain encoded, because their types depend on the method.
    """

    jsonrpc: Literal["2.0"]
    method: str | UnsetType = UNSET
    id: RequestId | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


decode_frame = msgspec.json.Decoder(JsonRpcFrame).decode
_decode_raw_list = msgspec.json.Decoder(list[Raw]).decode

DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Exceptions that msgspec raises for bytes that are not valid JSON of the expected type."""


def encode_request_id(request_id: RequestId) -> bytes:
    """Encode a request id as JSON."""
    return b"%d" % request_id if request_id.__class__ is int else encode_json(request_id)


def encode_result(request_id: RequestId, result: object) -> bytes:
    """Encode a response with a result."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (
        encode_request_id(request_id),
        encode_json(result),
    )


def encode_error(request_id: RequestId | None, error: ProtocolError) -> bytes:
    """Encode a response with an error. `request_id` is None if it could not be read."""
    body: dict[str, object] = {"code": error.rpc_code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    id_member = b"" if request_id is None else b'"id":%b,' % encode_request_id(request_id)
    return b'{"jsonrpc":"2.0",%b"error":%b}\n' % (id_member, encode_json(body))


def encode_notification(method: str, params: object = None) -> bytes:
    """Encode a JSON-RPC notification, which is a message without an answer, as one line."""
    if params is None:
        return b'{"jsonrpc":"2.0","method":%b}\n' % encode_json(method)
    return b'{"jsonrpc":"2.0","method":%b,"params":%b}\n' % (
        encode_json(method),
        encode_json(params),
    )


def encode_request(request_id: RequestId, method: str, params: object) -> bytes:
    """Encode a request."""
    return b'{"jsonrpc":"2.0","id":%b,"method":%b,"params":%b}\n' % (
        encode_request_id(request_id),
        encode_json(method),
        encode_json(params),
    )


def is_batch(line: bytes) -> bool:
    """Return whether a line is an array of messages."""
    return line.lstrip()[:1] == b"["


def split_messages(line: bytes) -> list[bytes]:
    """Return the messages in a line: the members of a batch, or the line itself."""
    return [bytes(message) for message in _decode_raw_list(line)] if is_batch(line) else [line]


def answer_malformed_line(line: bytes, decode_error: Exception) -> bytes | None:
    """Return the error for a line that could not be decoded as a JSON-RPC message.

    A malformed request gets an error with its id. Returns None for blank lines, malformed
    notifications and malformed responses, which are not answered.

    Args:
        line: The line.
        decode_error: The exception raised when decoding the line.
    """
    if not line.strip():
        return None
    if isinstance(decode_error, RecursionError):
        return _encode_invalid_request(
            "The message is nested too deeply", find_request_id(line[:1024], line[-1024:])
        )
    try:
        message = decode_json(line)
    except DECODE_ERRORS as error:
        text = f"The message is not JSON in UTF-8: {error}"
        return encode_error(None, ProtocolError(text, rpc_code=PARSE_ERROR))
    if isinstance(message, list):
        return _encode_invalid_request("A batch of messages is not allowed in this version")
    if not isinstance(message, dict):
        return _encode_invalid_request(f"Expected a JSON object, got {message!r:.40}")
    # JSON-RPC 2.0, section 4.1: notifications must not be answered, and responses never are.
    if "method" not in message and ("result" in message or "error" in message):
        return None
    if "method" in message and "id" not in message:
        return None
    raw_id = message.get("id")
    request_id = raw_id if type(raw_id) in (int, str) else None
    return _encode_invalid_request(f"Not a JSON-RPC 2.0 request: {decode_error}", request_id)


# The patterns are not compiled here, because only lines that exceed the size limit need them.
_ID_PATTERN = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\\x00-\x1f]*")\s*'
_SCALAR_PATTERN = rb'"[^"\\]*"\s*:\s*(?:"[^"\\]*"|-?\d+)\s*'
_LEADING_ID_PATTERN = rb"\s*\{\s*(?:" + _SCALAR_PATTERN + rb",\s*)*?" + _ID_PATTERN + rb"[,}]"
_TRAILING_ID_PATTERN = rb"[,{]\s*" + _ID_PATTERN + rb"(?:,\s*" + _SCALAR_PATTERN + rb")*\}\s*\Z"


_RESPONSE_PATTERN = rb"\s*\{\s*(?:" + _SCALAR_PATTERN + rb",\s*)*\"(?:result|error)\"\s*:"


def is_response(head: bytes) -> bool:
    """Return whether a message is a response, judging only by its beginning."""
    return re.match(_RESPONSE_PATTERN, head) is not None


def find_request_id(head: bytes, tail: bytes) -> RequestId | None:
    """Find the id of a request that is too long to decode, using its first and last bytes.

    Nested values may also contain members named `id`. The search is therefore limited to the
    members before the first nested value and after the last one. Returns None if no id is found.
    """
    match = re.match(_LEADING_ID_PATTERN, head) or re.search(_TRAILING_ID_PATTERN, tail)
    return _decode_request_id(match[1]) if match else None


_decode_request_id = msgspec.json.Decoder(RequestId).decode


def _encode_invalid_request(text: str, request_id: RequestId | None = None) -> bytes:
    return encode_error(request_id, ProtocolError(text, rpc_code=INVALID_REQUEST))
