"""Names and values of the protocol's HTTP headers, for servers and clients.

A header value can carry any text: visible ASCII is sent as is, everything else as UTF-8 encoded in
base64, between `=?base64?` and `?=`.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64

from paddock.protocol.errors import HeaderMismatchError

VERSION_HEADER = "MCP-Protocol-Version"
METHOD_HEADER = "Mcp-Method"
NAME_HEADER = "Mcp-Name"
SESSION_ID_HEADER = "Mcp-Session-Id"
LAST_EVENT_ID_HEADER = "Last-Event-ID"

JSON_MEDIA_TYPE = "application/json"
EVENT_STREAM_MEDIA_TYPE = "text/event-stream"

NAME_PARAMETERS = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "task_id",
    "tasks/update": "task_id",
    "tasks/cancel": "task_id",
}
"""The parameter that the `Mcp-Name` header repeats, by method."""


def to_asgi_name(name: str) -> bytes:
    """Return a header name in the form used by ASGI."""
    return name.lower().encode()


BASE64_PREFIX, BASE64_SUFFIX = "=?base64?", "?="


def encode_header_value(text: str) -> str:
    """Encode a text as the value of an HTTP header.

    Most ASCII texts are left unchanged. All others are encoded as base64 with a prefix and a
    suffix.
    """
    # HTTP strips spaces from both ends of a value. A text that looks like an encoded value must be
    # encoded, because the receiver would decode it.
    is_plain = all(" " <= character <= "~" or character == "\t" for character in text)
    if is_plain and text == text.strip(" \t") and not _is_base64_value(text):
        return text
    return BASE64_PREFIX + b2a_base64(text.encode(), newline=False).decode() + BASE64_SUFFIX


def decode_header_value(value: str, name: str) -> str:
    """Decode an HTTP header value, which may be encoded by `encode_header_value`.

    Args:
        value: The value.
        name: The name of the header, for the error message.

    Raises:
        HeaderMismatchError: The value contains invalid characters or invalid base64.
    """
    if not _is_base64_value(value):
        if all(" " <= character <= "~" or character == "\t" for character in value):
            return value
        raise HeaderMismatchError(f"{name} contains invalid characters; encode it as base64")
    encoded = value[len(BASE64_PREFIX) : -len(BASE64_SUFFIX)]
    try:
        decoded = a2b_base64(encoded.encode("ascii"), strict_mode=True)
        # Strict mode accepts some texts that no encoder produces. They are rejected, so that each
        # text has exactly one encoding.
        if b2a_base64(decoded, newline=False).decode() != encoded:
            raise ValueError(encoded)
        return decoded.decode()
    except ValueError:
        raise HeaderMismatchError(f"{name} is not valid base64 of UTF-8: {value!r:.80}") from None


def _is_base64_value(value: str) -> bool:
    is_long_enough = len(value) >= len(BASE64_PREFIX) + len(BASE64_SUFFIX)
    return is_long_enough and value.startswith(BASE64_PREFIX) and value.endswith(BASE64_SUFFIX)
