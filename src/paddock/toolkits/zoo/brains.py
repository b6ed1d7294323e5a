"""The tools that read and write what agents remember."""

from __future__ import annotations

from typing import Any

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.protocol.model.content import (
    CallToolResult,  # noqa: TC001 - read from the hints of handlers
)
from paddock.toolkits.zoo.agents import AGENT_ID
from paddock.toolkits.zoo.answers import answer, plain
from paddock.toolkits.zoo.declaring import (
    ENTRY_TYPE,
    TEXTS,
    TYPE_MEANINGS,
    described,
    reading_tool,
    taking,
    text,
    writing_tool,
)
from paddock.toolkits.zoo.zoos import SOURCE, zoo_of

Json = dict[str, Any]
MOST_FOUND = 200
ENTRY_ID = text("The id of the brain entry.")
_CHANGEABLE = ("type", "content", "tags", "pinned", "metadata")


def create_entry(arguments: Json, ctx: Context) -> CallToolResult:
    """Keep something in an agent's brain."""
    zoo = zoo_of(ctx)
    entry = zoo.create_entry(
        zoo.find_agent(arguments["agentId"]).id,
        arguments["type"],
        arguments["content"],
        tags=arguments.get("tags") or [],
        pinned=bool(arguments.get("pinned")),
        metadata={**_provenance(ctx), **(arguments.get("metadata") or {})},
        source=SOURCE,
    )
    return answer(plain(entry))


def update_entry(arguments: Json, ctx: Context) -> CallToolResult:
    """Change what is said of an entry; the rest of it stays as it is."""
    zoo = zoo_of(ctx)
    changes = {key: arguments[key] for key in _CHANGEABLE if arguments.get(key) is not None}
    agent = zoo.find_agent(arguments["agentId"])
    return answer(plain(zoo.update_entry(agent.id, arguments["entryId"], changes, source=SOURCE)))


def delete_entry(arguments: Json, ctx: Context) -> CallToolResult:
    """Forget an entry."""
    zoo = zoo_of(ctx)
    agent = zoo.find_agent(arguments["agentId"])
    zoo.delete_entry(agent.id, arguments["entryId"], source=SOURCE)
    return answer({"success": True, "entryId": arguments["entryId"]})


def query_entries(arguments: Json, ctx: Context) -> CallToolResult:
    """Find entries of an agent, the newest first."""
    zoo = zoo_of(ctx)
    agent = zoo.find_agent(arguments["agentId"])
    page = zoo.query_entries(
        agent.id,
        type=arguments.get("type"),
        tags=arguments.get("tags") or (),
        date_from=arguments.get("dateFrom"),
        date_to=arguments.get("dateTo"),
        pinned=arguments.get("pinned"),
        text=arguments.get("text"),
        limit=MOST_FOUND,
    )
    told: Json = {"agentId": agent.id, "entries": plain(page.items)}
    if page.next_cursor is not None:
        told["more"] = f"These are the newest {MOST_FOUND}: narrow the query for others."
    return answer(told)


def search_brain(arguments: Json, ctx: Context) -> CallToolResult:
    """Find entries by their words, of one agent or of all."""
    zoo = zoo_of(ctx)
    wanted = arguments.get("agentId")
    agent_id = None if wanted is None else zoo.find_agent(wanted).id
    found = zoo.search_brain(arguments["text"], agent_id=agent_id, limit=arguments.get("limit", 20))
    return answer({"results": plain(found)})


def hand_over(arguments: Json, ctx: Context) -> CallToolResult:
    """Give another agent what it needs to go on."""
    zoo = zoo_of(ctx)
    giver = zoo.find_agent(arguments["fromAgentId"])
    taker = zoo.find_agent(arguments["toAgentId"])
    entry = zoo.hand_over(
        giver.id,
        taker.id,
        arguments["summary"],
        entry_ids=arguments.get("entryIds") or (),
        source=SOURCE,
    )
    told = {"entry": plain(entry), "toAgentId": taker.id, "toAgentName": taker.name}
    return answer({**told, "next": f"Call agent_zoo_inject with agentId={taker.id} to go on."})


def _provenance(ctx: Context) -> Json:
    """Who writes, as far as the client says."""
    client = (ctx.client_info or {}).get("name")
    return {"source": SOURCE, **({"client": client} if isinstance(client, str) else {})}


_WRITTEN: Json = {
    "type": described(ENTRY_TYPE, f"What kind of memory it is. {TYPE_MEANINGS}."),
    "content": text("What to remember, so that it can be understood without the conversation."),
    "tags": described(TEXTS, "Words to find it by."),
    "pinned": {"type": "boolean", "description": "Whether it is always remembered first."},
    "metadata": {
        "type": "object",
        "description": "Where it is from: sessionId, workspaceId, and what else is worth keeping.",
    },
}

create_entry_tool = writing_tool(
    "agent_zoo_create_brain_entry",
    create_entry,
    title="Remember",
    description="Keep something in an agent's brain, for later conversations. Do so without being "
    "asked when something was decided, finished or learned that the agent should know next time.",
    schema=taking({"agentId": AGENT_ID, **_WRITTEN}, "agentId", "type", "content"),
)
update_entry_tool = writing_tool(
    "agent_zoo_update_brain_entry",
    update_entry,
    title="Correct a memory",
    description="Change parts of a brain entry. What is not given stays as it is.",
    schema=taking({"agentId": AGENT_ID, "entryId": ENTRY_ID, **_WRITTEN}, "agentId", "entryId"),
    hints=("destructiveHint", "idempotentHint"),
)
delete_entry_tool = writing_tool(
    "agent_zoo_delete_brain_entry",
    delete_entry,
    title="Forget",
    description="Delete a brain entry for good.",
    schema=taking({"agentId": AGENT_ID, "entryId": ENTRY_ID}, "agentId", "entryId"),
    hints=("destructiveHint",),
)
query_entries_tool = reading_tool(
    "agent_zoo_query_brain_entries",
    query_entries,
    title="Look into a brain",
    description="Find brain entries of an agent, the newest first.",
    schema=taking(
        {
            "agentId": AGENT_ID,
            "type": described(ENTRY_TYPE, "Only entries of this type."),
            "tags": described(TEXTS, "Only entries with at least one of these tags."),
            "dateFrom": text("Only entries from this day or time on, ISO 8601."),
            "dateTo": text("Only entries up to this time, or the end of this day, ISO 8601."),
            "pinned": {"type": "boolean", "description": "Only pinned entries, or only others."},
            "text": text("Only entries with these words."),
        },
        "agentId",
    ),
)
search_brain_tool = reading_tool(
    "agent_zoo_search_brain",
    search_brain,
    title="Search memories",
    description="Search the brain entries of one agent, or of all agents, by their words.",
    schema=taking(
        {
            "text": text("Words to look for."),
            "agentId": described(AGENT_ID, "Only the brain of this agent, by its id or name."),
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "At most."},
        },
        "text",
    ),
)
hand_over_tool = writing_tool(
    "agent_zoo_hand_over",
    hand_over,
    title="Hand over to another agent",
    description="Hand work over from one agent to another: the summary, and the entries that you "
    "choose, are put into the brain of the one that goes on.",
    schema=taking(
        {
            "fromAgentId": text("The agent that has worked so far, by its id or name."),
            "toAgentId": text("The agent that goes on, by its id or name."),
            "summary": text("What was done, what was decided, and what is to be done next."),
            "entryIds": described(TEXTS, "Brain entries of the first one that belong to it."),
        },
        "fromAgentId",
        "toAgentId",
        "summary",
    ),
)
