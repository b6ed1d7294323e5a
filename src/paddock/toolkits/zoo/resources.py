"""The zoo as resources: all agents, one agent, its brain, one entry of it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.resource import Resource, ResourceTemplate
from paddock.toolkits.zoo.agents import MAX_RETURNED_AGENTS
from paddock.toolkits.zoo.answers import to_json
from paddock.toolkits.zoo.brains import MAX_QUERIED_ENTRIES
from paddock.toolkits.zoo.zoos import get_caller_zoo

JsonObject = dict[str, Any]
AGENTS_URI = "agent-zoo://agents"
MIME_TYPE = "application/json"


def get_agent_uri(agent_id: str) -> str:
    """Where an agent can be read."""
    return f"{AGENTS_URI}/{quote(agent_id, safe='')}"


def get_brain_uri(agent_id: str) -> str:
    """Where the brain of an agent can be read."""
    return f"{get_agent_uri(agent_id)}/brain"


def read_agents(ctx: Context) -> JsonObject:
    """All agents, in short."""
    page = get_caller_zoo(ctx).list_agents(limit=MAX_RETURNED_AGENTS)
    return {"agents": to_json(page.items)}


def read_agent(id: str, ctx: Context) -> JsonObject:  # noqa: A002 - as the template has it
    """An agent without its brain."""
    agent: JsonObject = to_json(get_caller_zoo(ctx).get_agent(id))
    return agent


def read_brain(
    id: str,  # noqa: A002 - as the template has it
    ctx: Context,
    type: str | None = None,  # noqa: A002 - as the template has it
    tags: str | None = None,
    dateFrom: str | None = None,  # noqa: N803 - as the template has it
    dateTo: str | None = None,  # noqa: N803 - as the template has it
    pinned: bool | None = None,
    text: str | None = None,
) -> JsonObject:
    """Entries of an agent's brain, the newest first."""
    wanted = [tag.strip() for tag in (tags or "").split(",") if tag.strip()]
    page = get_caller_zoo(ctx).query_entries(
        id,
        type=type,
        tags=wanted,
        date_from=dateFrom,
        date_to=dateTo,
        pinned=pinned,
        text=text,
        limit=MAX_QUERIED_ENTRIES,
    )
    return {"agentId": id, "entries": to_json(page.items)}


def read_entry(id: str, entry_id: str, ctx: Context) -> JsonObject:  # noqa: A002 - as above
    """One entry of an agent's brain."""
    entry: JsonObject = to_json(get_caller_zoo(ctx).get_entry(id, entry_id))
    return entry


agents_resource = Resource(
    AGENTS_URI,
    read_agents,
    name="agents",
    title="All agents",
    description="Who is in the zoo",
    mime_type=MIME_TYPE,
)
entry_template = ResourceTemplate(
    f"{AGENTS_URI}/{{id}}/brain/{{entry_id}}",
    read_entry,
    name="brain entry",
    description="One thing that an agent remembers",
    mime_type=MIME_TYPE,
)
brain_template = ResourceTemplate(
    f"{AGENTS_URI}/{{id}}/brain{{?type,tags,dateFrom,dateTo,pinned,text}}",
    read_brain,
    name="brain",
    description="What an agent remembers, the newest first",
    mime_type=MIME_TYPE,
)
agent_template = ResourceTemplate(
    f"{AGENTS_URI}/{{id}}",
    read_agent,
    name="agent",
    description="An agent with its soul and skills",
    mime_type=MIME_TYPE,
)
