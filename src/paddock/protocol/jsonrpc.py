"""JSON-RPC frames: decoding what comes in, encoding what goes out.

A frame is one line. Its `params`, `result` and `error` stay undecoded until somebody who knows
their type asks for them.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from paddock.protocol.errors import INVALID_REQUEST, PARSE_ERROR, ProtocolError

RequestId = int | str

encode = msgspec.json.Encoder().encode


class Frame(Struct):
    """One message: a request, a notification (no id) or an answer (no method)."""

    jsonrpc: Literal["2.0"]
    method: str | UnsetType = UNSET
    id: RequestId | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


decode_frame = msgspec.json.Decoder(Frame).decode
_decode_any = msgspec.json.Decoder().decode
_decode_list = msgspec.json.Decoder(list[Raw]).decode

DECODE_FAULTS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are not the JSON that was expected."""


def encode_id(request_id: RequestId) -> bytes:
    """A request id as JSON."""
    return b"%d" % request_id if request_id.__class__ is int else encode(request_id)


def result_frame(request_id: RequestId, result: object) -> bytes:
    """An answer with a result."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (encode_id(request_id), encode(result))


def error_frame(request_id: RequestId | None, error: ProtocolError) -> bytes:
    """An answer with an error; the id is left out where the request's could not be read."""
    body: dict[str, object] = {"code": error.rpc_code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    known = b"" if request_id is None else b'"id":%b,' % encode_id(request_id)
    return b'{"jsonrpc":"2.0",%b"error":%b}\n' % (known, encode(body))


def notification_frame(method: str, params: object = None) -> bytes:
    """A message that expects no answer."""
    if params is None:
        return b'{"jsonrpc":"2.0","method":%b}\n' % encode(method)
    return b'{"jsonrpc":"2.0","method":%b,"params":%b}\n' % (encode(method), encode(params))


def request_frame(request_id: RequestId, method: str, params: object) -> bytes:
    """A request of ours to the peer."""
    return b'{"jsonrpc":"2.0","id":%b,"method":%b,"params":%b}\n' % (
        encode_id(request_id),
        encode(method),
        encode(params),
    )


def is_batch(line: bytes) -> bool:
    """Whether a line holds an array of messages."""
    return line.lstrip()[:1] == b"["


def split_batch(line: bytes) -> list[bytes]:
    """The messages of an array of messages."""
    return [bytes(message) for message in _decode_list(line)]


def fault_frame(line: bytes, fault: Exception) -> bytes | None:
    """What to answer to a line that is no frame; None where nothing may be answered.

    A blank line, a malformed notification and a malformed answer get no reply; a malformed
    request gets one with its id.
    """
    if not line.strip():
        return None
    if isinstance(fault, RecursionError):
        known_id = find_id(line[:1024], line[-1024:])
        return error_frame(known_id, _invalid("The message is nested too deeply"))
    try:
        message = _decode_any(line)
    except DECODE_FAULTS as error:
        text = f"The message is not JSON in UTF-8: {error}"
        return error_frame(None, ProtocolError(text, rpc_code=PARSE_ERROR))
    if isinstance(message, list):
        return error_frame(None, _invalid("A batch of messages is not allowed in this version"))
    if not isinstance(message, dict):
        return error_frame(None, _invalid(f"Expected a JSON object, got {message!r:.40}"))
    if "method" not in message and ("result" in message or "error" in message):
        return None
    if "method" in message and "id" not in message:
        return None
    known = message.get("id")
    request_id = known if type(known) in (int, str) else None
    return error_frame(request_id, _invalid(f"Not a JSON-RPC 2.0 request: {fault}"))


_ID = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\\x00-\x1f]*")\s*'
_SCALAR = rb'"[^"\\]*"\s*:\s*(?:"[^"\\]*"|-?\d+)\s*'
_LEADING_ID = rb"\s*\{\s*(?:" + _SCALAR + rb",\s*)*?" + _ID + rb"[,}]"
_TRAILING_ID = rb"[,{]\s*" + _ID + rb"(?:,\s*" + _SCALAR + rb")*\}\s*\Z"


_ANSWER = rb"\s*\{\s*(?:" + _SCALAR + rb",\s*)*\"(?:result|error)\"\s*:"


def is_answer(head: bytes) -> bool:
    """Whether a message of which only the beginning is known is an answer to a request."""
    import re  # noqa: PLC0415 - only a line beyond the limit needs it

    return re.match(_ANSWER, head) is not None


def find_id(head: bytes, tail: bytes) -> RequestId | None:
    """The id of a request of which only the two ends are known.

    Only members of the outermost object are looked at: before anything nested has begun, or
    after everything nested has ended.
    """
    import re  # noqa: PLC0415 - only a line beyond the limit needs it

    found = re.match(_LEADING_ID, head) or re.search(_TRAILING_ID, tail)
    return _decode_id(found[1]) if found else None


_decode_id = msgspec.json.Decoder(RequestId).decode


def _invalid(text: str) -> ProtocolError:
    return ProtocolError(text, rpc_code=INVALID_REQUEST)
