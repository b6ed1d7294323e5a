"""The zoo as resources: all agents, one agent, its brain, one entry of it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.resource import Resource, ResourceTemplate
from paddock.toolkits.zoo.agents import MOST_AGENTS
from paddock.toolkits.zoo.answers import plain
from paddock.toolkits.zoo.brains import MOST_FOUND
from paddock.toolkits.zoo.zoos import zoo_of

Json = dict[str, Any]
AGENTS = "agent-zoo://agents"
MIME_TYPE = "application/json"


def agent_uri(agent_id: str) -> str:
    """Where an agent can be read."""
    return f"{AGENTS}/{quote(agent_id, safe='')}"


def brain_uri(agent_id: str) -> str:
    """Where the brain of an agent can be read."""
    return f"{agent_uri(agent_id)}/brain"


def read_agents(ctx: Context) -> Json:
    """All agents, in short."""
    page = zoo_of(ctx).list_agents(limit=MOST_AGENTS)
    return {"agents": plain(page.items)}


def read_agent(id: str, ctx: Context) -> Json:  # noqa: A002 - as the template has it
    """An agent without its brain."""
    agent: Json = plain(zoo_of(ctx).get_agent(id))
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
) -> Json:
    """Entries of an agent's brain, the newest first."""
    wanted = [tag.strip() for tag in (tags or "").split(",") if tag.strip()]
    page = zoo_of(ctx).query_entries(
        id,
        type=type,
        tags=wanted,
        date_from=dateFrom,
        date_to=dateTo,
        pinned=pinned,
        text=text,
        limit=MOST_FOUND,
    )
    return {"agentId": id, "entries": plain(page.items)}


def read_entry(id: str, entry_id: str, ctx: Context) -> Json:  # noqa: A002 - as above
    """One entry of an agent's brain."""
    entry: Json = plain(zoo_of(ctx).get_entry(id, entry_id))
    return entry


agents_resource = Resource(
    AGENTS,
    read_agents,
    name="agents",
    title="All agents",
    description="Who is in the zoo",
    mime_type=MIME_TYPE,
)
entry_template = ResourceTemplate(
    f"{AGENTS}/{{id}}/brain/{{entry_id}}",
    read_entry,
    name="brain entry",
    description="One thing that an agent remembers",
    mime_type=MIME_TYPE,
)
brain_template = ResourceTemplate(
    f"{AGENTS}/{{id}}/brain{{?type,tags,dateFrom,dateTo,pinned,text}}",
    read_brain,
    name="brain",
    description="What an agent remembers, the newest first",
    mime_type=MIME_TYPE,
)
agent_template = ResourceTemplate(
    f"{AGENTS}/{{id}}",
    read_agent,
    name="agent",
    description="An agent with its soul and skills",
    mime_type=MIME_TYPE,
)
