"""The answer to `initialize`. Needs nothing but the interpreter (see `protocol.opening`)."""

from __future__ import annotations

from paddock.protocol.versions import negotiate, supports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.protocol.connection import Connection
    from paddock.protocol.facts import Json, ServerFacts


def initialize(connection: Connection, facts: ServerFacts, params: Json) -> Json:
    """Open or reopen the session of a connection; the result of `initialize`."""
    connection.version = negotiate(str(params["protocolVersion"]))
    capabilities, info = params.get("capabilities"), params.get("clientInfo")
    connection.client_capabilities = capabilities if isinstance(capabilities, dict) else {}
    connection.client_info = info if isinstance(info, dict) else None
    result: Json = {
        "protocolVersion": connection.version,
        "capabilities": _capabilities(facts, connection.version),
        "serverInfo": facts.info(),
    }
    if facts.instructions:
        result["instructions"] = facts.instructions
    return result


def _capabilities(facts: ServerFacts, version: str) -> Json:
    """What a session of a version is told that the server can do."""
    known: Json = {key: value for key, value in facts.capabilities.items() if key != "tasks"}
    if facts.has("tasks") and facts.has("tools") and supports(version, "tasks"):
        known["tasks"] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    return known
