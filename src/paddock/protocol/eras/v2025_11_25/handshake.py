"""The answer to `initialize`. Needs nothing but the interpreter (see `protocol.opening`)."""

from __future__ import annotations

from paddock.protocol.versions import negotiate_version, supports_feature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.protocol.connection import ServerConnection
    from paddock.protocol.facts import Json, ServerMetadata


def open_session(connection: ServerConnection, facts: ServerMetadata, params: Json) -> Json:
    """Open or reopen the session of a connection; the result of `initialize`."""
    connection.version = negotiate_version(str(params["protocolVersion"]))
    capabilities, info = params.get("capabilities"), params.get("clientInfo")
    connection.client_capabilities = capabilities if isinstance(capabilities, dict) else {}
    connection.client_info = info if isinstance(info, dict) else None
    result: Json = {
        "protocolVersion": connection.version,
        "capabilities": _build_session_capabilities(facts, connection.version),
        "serverInfo": facts.to_server_info(),
    }
    if facts.instructions:
        result["instructions"] = facts.instructions
    return result


def _build_session_capabilities(facts: ServerMetadata, version: str) -> Json:
    """What a session of a version is told that the server can do."""
    known: Json = {key: value for key, value in facts.capabilities.items() if key != "tasks"}
    if facts.has_capability("tasks") and facts.has_capability("tools") and supports_feature(version, "tasks"):
        known["tasks"] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    return known
