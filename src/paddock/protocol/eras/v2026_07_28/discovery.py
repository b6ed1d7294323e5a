"""The answer to `server/discover`. Needs nothing but the interpreter (see `protocol.opening`)."""

from __future__ import annotations

from paddock.protocol.versions import STATELESS_VERSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.protocol.facts import Json, ServerMetadata

META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
TASKS_EXTENSION = "io.modelcontextprotocol/tasks"
META_SERVER_INFO = "io.modelcontextprotocol/serverInfo"


def build_discover_result(facts: ServerMetadata) -> Json:
    """The result of `server/discover`, all but its `resultType` and `_meta`."""
    result: Json = {
        "supportedVersions": list(STATELESS_VERSIONS),
        "capabilities": _build_stateless_capabilities(facts),
        **facts.to_cache_hints(),
    }
    if facts.instructions:
        result["instructions"] = facts.instructions
    return result


def complete_result(result: Json, facts: ServerMetadata) -> Json:
    """A result as it goes out: marked complete, and saying who answered."""
    meta = result.get("_meta")
    own = {META_SERVER_INFO: facts.to_server_info()}
    merged = {**own, **meta} if isinstance(meta, dict) else own
    return {"resultType": "complete", **result, "_meta": merged}


def _build_stateless_capabilities(facts: ServerMetadata) -> Json:
    """What the server can do, in which tasks are an extension."""
    known: Json = {key: value for key, value in facts.capabilities.items() if key != "tasks"}
    if facts.has_capability("tasks") and facts.has_capability("tools"):
        extensions = known.get("extensions")
        known["extensions"] = {TASKS_EXTENSION: {}, **(extensions if isinstance(extensions, dict) else {})}
    return known
