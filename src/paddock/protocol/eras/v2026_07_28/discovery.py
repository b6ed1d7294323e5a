"""The answer to `server/discover`. Needs nothing but the interpreter (see `protocol.opening`)."""

from __future__ import annotations

from paddock.protocol.versions import STATELESS_VERSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.protocol.facts import Json, ServerFacts

META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
TASKS = "io.modelcontextprotocol/tasks"
META_SERVER_INFO = "io.modelcontextprotocol/serverInfo"


def discover(facts: ServerFacts) -> Json:
    """The result of `server/discover`, all but its `resultType` and `_meta`."""
    result: Json = {
        "supportedVersions": list(STATELESS_VERSIONS),
        "capabilities": _capabilities(facts),
        **facts.cache_hints(),
    }
    if facts.instructions:
        result["instructions"] = facts.instructions
    return result


def complete(result: Json, facts: ServerFacts) -> Json:
    """A result as it goes out: marked complete, and saying who answered."""
    meta = result.get("_meta")
    own = {META_SERVER_INFO: facts.info()}
    merged = {**own, **meta} if isinstance(meta, dict) else own
    return {"resultType": "complete", **result, "_meta": merged}


def _capabilities(facts: ServerFacts) -> Json:
    """What the server can do, in which tasks are an extension."""
    known: Json = {key: value for key, value in facts.capabilities.items() if key != "tasks"}
    if facts.has("tasks") and facts.has("tools"):
        extensions = known.get("extensions")
        known["extensions"] = {TASKS: {}, **(extensions if isinstance(extensions, dict) else {})}
    return known
