"""The tools that read and write what agents remember."""

from __future__ import annotations

from typing import Any

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.protocol.model.content import (
    CallToolResult,  # noqa: TC001 - read from the hints of handlers
)
from paddock.toolkits.zoo.agents import AGENT_ID_SCHEMA
from paddock.toolkits.zoo.answers import create_result, to_json
from paddock.toolkits.zoo.declaring import (
    ENTRY_TYPE_SCHEMA,
    STRING_LIST_SCHEMA,
    ENTRY_TYPE_MEANINGS,
    with_description,
    create_read_tool,
    object_schema,
    string_property,
    create_write_tool,
)
from paddock.toolkits.zoo.zoos import CHANGE_SOURCE, get_caller_zoo

JsonObject = dict[str, Any]
MAX_QUERIED_ENTRIES = 200
ENTRY_ID_SCHEMA = string_property("The id of the brain entry.")
_UPDATABLE_FIELDS = ("type", "content", "tags", "pinned", "metadata")


def create_entry(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Keep something in an agent's brain."""
    zoo = get_caller_zoo(ctx)
    entry = zoo.create_entry(
        zoo.find_agent(arguments["agentId"]).id,
        arguments["type"],
        arguments["content"],
        tags=arguments.get("tags") or [],
        pinned=bool(arguments.get("pinned")),
        metadata={**_build_provenance(ctx), **(arguments.get("metadata") or {})},
        source=CHANGE_SOURCE,
    )
    return create_result(to_json(entry))


def update_entry(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Change what is said of an entry; the rest of it stays as it is."""
    zoo = get_caller_zoo(ctx)
    changes = {key: arguments[key] for key in _UPDATABLE_FIELDS if arguments.get(key) is not None}
    agent = zoo.find_agent(arguments["agentId"])
    return create_result(to_json(zoo.update_entry(agent.id, arguments["entryId"], changes, source=CHANGE_SOURCE)))


def delete_entry(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Forget an entry."""
    zoo = get_caller_zoo(ctx)
    agent = zoo.find_agent(arguments["agentId"])
    zoo.delete_entry(agent.id, arguments["entryId"], source=CHANGE_SOURCE)
    return create_result({"success": True, "entryId": arguments["entryId"]})


def query_entries(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Find entries of an agent, the newest first."""
    zoo = get_caller_zoo(ctx)
    agent = zoo.find_agent(arguments["agentId"])
    page = zoo.query_entries(
        agent.id,
        type=arguments.get("type"),
        tags=arguments.get("tags") or (),
        date_from=arguments.get("dateFrom"),
        date_to=arguments.get("dateTo"),
        pinned=arguments.get("pinned"),
        text=arguments.get("text"),
        limit=MAX_QUERIED_ENTRIES,
    )
    told: JsonObject = {"agentId": agent.id, "entries": to_json(page.items)}
    if page.next_cursor is not None:
        told["more"] = f"These are the newest {MAX_QUERIED_ENTRIES}: narrow the query for others."
    return create_result(told)


def search_brain(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Find entries by their words, of one agent or of all."""
    zoo = get_caller_zoo(ctx)
    wanted = arguments.get("agentId")
    agent_id = None if wanted is None else zoo.find_agent(wanted).id
    found = zoo.search_brain(arguments["text"], agent_id=agent_id, limit=arguments.get("limit", 20))
    return create_result({"results": to_json(found)})


def hand_over(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Give another agent what it needs to go on."""
    zoo = get_caller_zoo(ctx)
    giver = zoo.find_agent(arguments["fromAgentId"])
    taker = zoo.find_agent(arguments["toAgentId"])
    entry = zoo.hand_over(
        giver.id,
        taker.id,
        arguments["summary"],
        entry_ids=arguments.get("entryIds") or (),
        source=CHANGE_SOURCE,
    )
    told = {"entry": to_json(entry), "toAgentId": taker.id, "toAgentName": taker.name}
    return create_result({**told, "next": f"Call agent_zoo_inject with agentId={taker.id} to go on."})


def _build_provenance(ctx: Context) -> JsonObject:
    """Who writes, as far as the client says."""
    client = (ctx.client_info or {}).get("name")
    return {"source": CHANGE_SOURCE, **({"client": client} if isinstance(client, str) else {})}


_ENTRY_PROPERTIES: JsonObject = {
    "type": with_description(ENTRY_TYPE_SCHEMA, f"What kind of memory it is. {ENTRY_TYPE_MEANINGS}."),
    "content": string_property("What to remember, so that it can be understood without the conversation."),
    "tags": with_description(STRING_LIST_SCHEMA, "Words to find it by."),
    "pinned": {"type": "boolean", "description": "Whether it is always remembered first."},
    "metadata": {
        "type": "object",
        "description": "Where it is from: sessionId, workspaceId, and what else is worth keeping.",
    },
}

create_entry_tool = create_write_tool(
    "agent_zoo_create_brain_entry",
    create_entry,
    title="Remember",
    description="Keep something in an agent's brain, for later conversations. Do so without being "
    "asked when something was decided, finished or learned that the agent should know next time.",
    schema=object_schema({"agentId": AGENT_ID_SCHEMA, **_ENTRY_PROPERTIES}, "agentId", "type", "content"),
)
update_entry_tool = create_write_tool(
    "agent_zoo_update_brain_entry",
    update_entry,
    title="Correct a memory",
    description="Change parts of a brain entry. What is not given stays as it is.",
    schema=object_schema({"agentId": AGENT_ID_SCHEMA, "entryId": ENTRY_ID_SCHEMA, **_ENTRY_PROPERTIES}, "agentId", "entryId"),
    hints=("destructiveHint", "idempotentHint"),
)
delete_entry_tool = create_write_tool(
    "agent_zoo_delete_brain_entry",
    delete_entry,
    title="Forget",
    description="Delete a brain entry for good.",
    schema=object_schema({"agentId": AGENT_ID_SCHEMA, "entryId": ENTRY_ID_SCHEMA}, "agentId", "entryId"),
    hints=("destructiveHint",),
)
query_entries_tool = create_read_tool(
    "agent_zoo_query_brain_entries",
    query_entries,
    title="Look into a brain",
    description="Find brain entries of an agent, the newest first.",
    schema=object_schema(
        {
            "agentId": AGENT_ID_SCHEMA,
            "type": with_description(ENTRY_TYPE_SCHEMA, "Only entries of this type."),
            "tags": with_description(STRING_LIST_SCHEMA, "Only entries with at least one of these tags."),
            "dateFrom": string_property("Only entries from this day or time on, ISO 8601."),
            "dateTo": string_property("Only entries up to this time, or the end of this day, ISO 8601."),
            "pinned": {"type": "boolean", "description": "Only pinned entries, or only others."},
            "text": string_property("Only entries with these words."),
        },
        "agentId",
    ),
)
search_brain_tool = create_read_tool(
    "agent_zoo_search_brain",
    search_brain,
    title="Search memories",
    description="Search the brain entries of one agent, or of all agents, by their words.",
    schema=object_schema(
        {
            "text": string_property("Words to look for."),
            "agentId": with_description(AGENT_ID_SCHEMA, "Only the brain of this agent, by its id or name."),
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "At most."},
        },
        "text",
    ),
)
hand_over_tool = create_write_tool(
    "agent_zoo_hand_over",
    hand_over,
    title="Hand over to another agent",
    description="Hand work over from one agent to another: the summary, and the entries that you "
    "choose, are put into the brain of the one that goes on.",
    schema=object_schema(
        {
            "fromAgentId": string_property("The agent that has worked so far, by its id or name."),
            "toAgentId": string_property("The agent that goes on, by its id or name."),
            "summary": string_property("What was done, what was decided, and what is to be done next."),
            "entryIds": with_description(STRING_LIST_SCHEMA, "Brain entries of the first one that belong to it."),
        },
        "fromAgentId",
        "toAgentId",
        "summary",
    ),
)
