"""A message of the server, as it comes in the body of a response."""

from __future__ import annotations

from paddock.protocol.jsonrpc import DECODE_FAULTS, Frame, decode_frame, is_batch, split_batch


def one_line(data: bytes) -> bytes:
    """The message without line ends, which mean nothing between the parts of JSON."""
    return data.replace(b"\r", b" ").replace(b"\n", b" ")


def frames_in(line: bytes) -> list[Frame]:
    """What a line says; nothing when it is no message, which whoever reads it will note."""
    try:
        messages = split_batch(line) if is_batch(line) else [line]
        return [decode_frame(message) for message in messages]
    except DECODE_FAULTS:
        return []
