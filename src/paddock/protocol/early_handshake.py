"""The first answer on a connection, sent before the rest of the library is loaded.

Some clients give up on a server after a few seconds, and every import before the first answer
delays it. The usual forms of `initialize` and `server/discover` are therefore answered here with
code that imports almost nothing. All other messages are left to the dispatcher.
"""

from __future__ import annotations

from paddock.protocol.versions import STATELESS_VERSIONS, negotiate_version, supports_feature

try:
    from _json import encode_basestring_ascii, make_scanner
except ImportError:  # Not CPython: correct, but slower.
    from json.encoder import encode_basestring_ascii
    from json.scanner import make_scanner


TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.protocol.connection import ServerConnection
    from paddock.protocol.server_metadata import Json, ServerMetadata

META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
TASKS_EXTENSION = "io.modelcontextprotocol/tasks"
META_SERVER_INFO = "io.modelcontextprotocol/serverInfo"


def _reject_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


class _ScannerOptions:
    """The options of the standard library's JSON scanner, which reads them as attributes."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_reject_constant)
    memo: dict[str, str] = {}  # noqa: RUF012 - an attribute that the C scanner expects


# The C scanner of the json package, because importing that package would delay the first answer.
_scan_json = make_scanner(_ScannerOptions())  # type: ignore[arg-type]  # the stub is wrong


def parse_json(line: bytes) -> object:
    """Parse JSON without importing the `json` package, which would delay the first answer.

    Raises:
        ValueError: The line is not exactly one JSON value in UTF-8.
    """
    text = line.strip(b" \t\r\n").decode()
    try:
        value, end = _scan_json(text, 0)
    except (StopIteration, RecursionError) as error:
        raise ValueError("not JSON") from error
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def dump_json(value: object) -> str:
    """Serialize a value as JSON: a dictionary, list, string, number, boolean or None.

    Like `parse_json`, this avoids importing the `json` package.
    """
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if isinstance(value, dict):
        members = [f"{dump_json(str(key))}:{dump_json(item)}" for key, item in value.items()]
        return "{" + ",".join(members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(dump_json, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)


def open_session(connection: ServerConnection, metadata: ServerMetadata, params: Json) -> Json:
    """Open the session of a connection, and return the result of the `initialize` request.

    The negotiated version and the client's capabilities are stored in the connection. An already
    open session is opened again.
    """
    connection.version = negotiate_version(str(params["protocolVersion"]))
    capabilities, client_info = params.get("capabilities"), params.get("clientInfo")
    connection.client_capabilities = capabilities if isinstance(capabilities, dict) else {}
    connection.client_info = client_info if isinstance(client_info, dict) else None
    result: Json = {
        "protocolVersion": connection.version,
        "capabilities": _build_session_capabilities(metadata, connection.version),
        "serverInfo": metadata.to_server_info(),
    }
    if metadata.instructions:
        result["instructions"] = metadata.instructions
    return result


def _build_session_capabilities(metadata: ServerMetadata, version: str) -> Json:
    """Return the server's capabilities as declared in a session of this version."""
    capabilities = {**metadata.capabilities}
    capabilities.pop("tasks", None)
    if _has_tasks(metadata) and supports_feature(version, "tasks"):
        capabilities["tasks"] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    return capabilities


def _has_tasks(metadata: ServerMetadata) -> bool:
    return metadata.has_capability("tasks") and metadata.has_capability("tools")


def build_discover_result(metadata: ServerMetadata) -> Json:
    """Return the result of `server/discover`: versions, capabilities and instructions.

    The members `resultType` and `_meta`, which every result of the stateless versions has, are
    added by the caller.
    """
    result: Json = {
        "supportedVersions": list(STATELESS_VERSIONS),
        "capabilities": _build_stateless_capabilities(metadata),
        **metadata.to_cache_hints(),
    }
    if metadata.instructions:
        result["instructions"] = metadata.instructions
    return result


def complete_result(result: Json, metadata: ServerMetadata) -> Json:
    """Mark a result as complete and add the server info to its `_meta`."""
    meta = result.get("_meta")
    server_meta = {META_SERVER_INFO: metadata.to_server_info()}
    merged = {**server_meta, **meta} if isinstance(meta, dict) else server_meta
    return {"resultType": "complete", **result, "_meta": merged}


def _build_stateless_capabilities(metadata: ServerMetadata) -> Json:
    """Return the server's capabilities as declared in the stateless protocol versions.

    In these versions, `tasks` is an extension instead of a capability.
    """
    capabilities = {**metadata.capabilities}
    capabilities.pop("tasks", None)
    if _has_tasks(metadata):
        extensions = capabilities.get("extensions")
        declared_extensions = extensions if isinstance(extensions, dict) else {}
        capabilities["extensions"] = {TASKS_EXTENSION: {}, **declared_extensions}
    return capabilities


def answer_handshake(
    line: bytes, connection: ServerConnection, metadata: ServerMetadata
) -> bytes | None:
    """Answer a client's first message before the rest of the library is loaded.

    Only a valid `initialize` or `server/discover` in its usual form is answered. For any other
    message, None is returned, and the dispatcher must answer it. Errors are also left to the
    dispatcher, so that the rules for them exist in only one place.
    """
    try:
        message = parse_json(line)
    except ValueError:
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return None
    request_id, params = message.get("id"), message.get("params")
    # Not isinstance(): True and False are instances of int, but not valid ids.
    if type(request_id) not in (int, str) or not isinstance(params, dict):
        return None
    result = _build_handshake_result(message.get("method"), params, connection, metadata)
    if result is None:
        return None
    frame = {"jsonrpc": "2.0", "id": request_id, "result": result}
    return dump_json(frame).encode() + b"\n"


def _build_handshake_result(
    method: object, params: Json, connection: ServerConnection, metadata: ServerMetadata
) -> Json | None:
    """Return the result of an `initialize` or `server/discover` request in its usual form.

    Returns None for any other request, which the dispatcher must answer.
    """
    meta = params.get("_meta")
    version = meta.get(META_VERSION) if isinstance(meta, dict) else None
    if method == "initialize" and version is None and _is_plain_initialize(params):
        return open_session(connection, metadata, params)
    if method == "server/discover" and isinstance(meta, dict) and _is_plain_discover(meta):
        return complete_result(build_discover_result(metadata), metadata)
    return None


def _is_plain_initialize(params: Json) -> bool:
    return isinstance(params.get("protocolVersion"), str) and isinstance(
        params.get("capabilities"), dict
    )


def _is_plain_discover(meta: Json) -> bool:
    version, capabilities = meta.get(META_VERSION), meta.get(META_CAPABILITIES)
    return version in STATELESS_VERSIONS and isinstance(capabilities, dict)
