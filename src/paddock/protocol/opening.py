"""Answer the first message before the rest of the library is loaded.

Several clients give up a few seconds after starting a server, and one pays for every import
between its start and its first answer. So the plain forms of `initialize` and `server/discover`
are answered here with nothing loaded but the interpreter. Whatever is not plain is left, unread,
to the dispatcher, which knows all the rest.
"""

from __future__ import annotations

from paddock.protocol import plainjson
from paddock.protocol.eras.v2025_11_25.handshake import open_session
from paddock.protocol.eras.v2026_07_28.discovery import (
    META_CAPABILITIES,
    META_VERSION,
    complete_result,
    build_discover_result,
)
from paddock.protocol.versions import STATELESS_VERSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.protocol.connection import ServerConnection
    from paddock.protocol.facts import Json, ServerMetadata


def answer_handshake(line: bytes, connection: ServerConnection, facts: ServerMetadata) -> bytes | None:
    """The answer to a plain opening message, or None to leave it to the dispatcher."""
    try:
        message = plainjson.parse_json(line)
    except ValueError:
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return None
    request_id, params = message.get("id"), message.get("params")
    if type(request_id) not in (int, str) or not isinstance(params, dict):
        return None
    result = _build_handshake_result(message.get("method"), params, connection, facts)
    if result is None:
        return None
    frame = {"jsonrpc": "2.0", "id": request_id, "result": result}
    return plainjson.dump_json(frame).encode() + b"\n"


def _build_handshake_result(
    method: object, params: Json, connection: ServerConnection, facts: ServerMetadata
) -> Json | None:
    meta = params.get("_meta")
    version = meta.get(META_VERSION) if isinstance(meta, dict) else None
    if method == "initialize" and version is None and _is_plain_initialize(params):
        return open_session(connection, facts, params)
    if method == "server/discover" and isinstance(meta, dict) and _is_plain_discover(meta):
        return complete_result(build_discover_result(facts), facts)
    return None


def _is_plain_initialize(params: Json) -> bool:
    return isinstance(params.get("protocolVersion"), str) and isinstance(
        params.get("capabilities"), dict
    )


def _is_plain_discover(meta: Json) -> bool:
    version, capabilities = meta.get(META_VERSION), meta.get(META_CAPABILITIES)
    return version in STATELESS_VERSIONS and isinstance(capabilities, dict)
