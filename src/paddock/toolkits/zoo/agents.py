"""The tools that find, show and inject agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.protocol.model.content import (
    CallToolResult,  # noqa: TC001 - read from the hints of handlers
)
from paddock.toolkits.zoo.answers import answer, plain
from paddock.toolkits.zoo.declaring import (
    MEMORY,
    MEMORY_OPTIONS,
    MEMORY_TOKENS,
    described,
    reading_tool,
    taking,
    text,
    writing_tool,
)
from paddock.toolkits.zoo.zoos import SOURCE, zoo_of

if TYPE_CHECKING:
    from paddock.zoo.model import Agent, AgentSummary, Page

Json = dict[str, Any]
MOST_ENTRIES = 500
"""How many brain entries are shown with an agent."""
MOST_AGENTS = 1000
AGENT_ID = text("The id of the agent, or its name.")
STRUCTURED = "structured"


def inject(arguments: Json, ctx: Context) -> CallToolResult:
    """Give what a chat needs to be an agent."""
    injection = zoo_of(ctx).inject(
        arguments["agentId"],
        memory=None if ctx.options[MEMORY] else False,
        budget_tokens=ctx.options[MEMORY_TOKENS],
        source=SOURCE,
    )
    told: Json = {"agentId": injection.agent_id, "agentName": injection.agent_name}
    if arguments.get("format") != STRUCTURED:
        return answer({**told, "prompt": injection.prompt})
    agent = zoo_of(ctx).get_agent(injection.agent_id)
    return answer({**told, "systemPrompt": agent.system_prompt, "skills": _enabled(agent)})


def _enabled(agent: Agent) -> list[Json]:
    """The skills that are injected."""
    return [
        {"id": skill.id, "name": skill.name, "description": skill.description}
        for skill in agent.skills
        if skill.enabled
    ]


def list_agents(_arguments: Json, ctx: Context) -> CallToolResult:
    """Say which agents there are, with what it takes to choose one."""
    return _listed(zoo_of(ctx).list_agents(limit=MOST_AGENTS))


def find_agents(arguments: Json, ctx: Context) -> CallToolResult:
    """Say which agents match."""
    text, tag = arguments.get("text"), arguments.get("tag")
    return _listed(zoo_of(ctx).list_agents(text=text, tag=tag, limit=MOST_AGENTS))


def _listed(page: Page[AgentSummary]) -> CallToolResult:
    agents = [
        {
            "id": agent.id,
            "name": agent.name,
            "description": agent.description,
            "tags": agent.tags,
            "skills": agent.skill_names,
        }
        for agent in page.items
    ]
    told: Json = {"agents": agents}
    if page.next_cursor is not None:
        told["more"] = f"There are more than {MOST_AGENTS}: use agent_zoo_find_agents."
    return answer(told)


def get_agent(arguments: Json, ctx: Context) -> CallToolResult:
    """Show an agent as it is kept."""
    zoo = zoo_of(ctx)
    agent = zoo.find_agent(arguments["agentId"])
    page = zoo.query_entries(agent.id, limit=MOST_ENTRIES)
    told = {**plain(agent), "brainEntries": plain(page.items)}
    if page.next_cursor is not None:
        told["more"] = f"These are the newest {MOST_ENTRIES} brain entries: query for others."
    return answer(told)


def toggle_skill(arguments: Json, ctx: Context) -> CallToolResult:
    """Turn a skill of an agent on or off."""
    zoo = zoo_of(ctx)
    agent = zoo.find_agent(arguments["agentId"])
    skill_id = _skill_id(agent, arguments["skillId"])
    changed = zoo.toggle_skill(agent.id, skill_id, arguments.get("enabled"), source=SOURCE)
    skills = [{"id": s.id, "name": s.name, "enabled": s.enabled} for s in changed.skills]
    return answer({"agentId": changed.id, "skills": skills})


def _skill_id(agent: Agent, wanted: str) -> str:
    """The id of the skill that a caller means, who may have said its name."""
    if any(skill.id == wanted for skill in agent.skills):
        return wanted
    name = wanted.strip().casefold()
    return next((s.id for s in agent.skills if s.name.casefold() == name), wanted)


inject_tool = reading_tool(
    "agent_zoo_inject",
    inject,
    title="Become an agent",
    description="Get the prompt of an agent of the zoo: who it is, its active skills and what it "
    "remembers. Adopt it for the rest of the conversation. Use it when the person asks for an "
    "agent, or wants to change to another one.",
    schema=taking(
        {
            "agentId": described(AGENT_ID, "Agent ID to inject; its name will do too."),
            "format": {
                "type": "string",
                "enum": ["compiled", STRUCTURED],
                "description": "compiled: one prompt as a text (the default). structured: the "
                "system prompt and the active skills as data.",
            },
        },
        "agentId",
    ),
    options=MEMORY_OPTIONS,
)
list_agents_tool = reading_tool(
    "agent_zoo_list_agents",
    list_agents,
    title="List agents",
    description="List the agents of the zoo with what they are for, their tags and their skills.",
    schema=taking({}),
)
find_agents_tool = reading_tool(
    "agent_zoo_find_agents",
    find_agents,
    title="Find agents",
    description="List those agents of the zoo that match a text, a tag, or both.",
    schema=taking(
        {
            "text": text("Words that occur in the name, the description or the tags."),
            "tag": text("A tag that they have."),
        }
    ),
)
get_agent_tool = reading_tool(
    "agent_zoo_get_agent",
    get_agent,
    title="Show an agent",
    description="Show all that is kept of an agent, its brain included. To become the agent, use "
    "agent_zoo_inject instead.",
    schema=taking({"agentId": described(AGENT_ID, "Agent ID to retrieve.")}, "agentId"),
)
toggle_skill_tool = writing_tool(
    "agent_zoo_toggle_skill",
    toggle_skill,
    title="Turn a skill on or off",
    description="Turn a skill of an agent on or off. It counts from the next injection on.",
    schema=taking(
        {
            "agentId": AGENT_ID,
            "skillId": text("The id of the skill, or its name."),
            "enabled": {
                "type": "boolean",
                "description": "Whether it is on from now on; the opposite of now when left out.",
            },
        },
        "agentId",
        "skillId",
    ),
)
