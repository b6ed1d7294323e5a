"""A message of the server, as it comes in the body of a response."""

from __future__ import annotations

from paddock.protocol.jsonrpc import DECODE_ERRORS, JsonRpcFrame, decode_frame, is_batch, split_batch


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
