"""The tools that find, show and inject agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.protocol.model.content import (
    CallToolResult,  # noqa: TC001 - read from the hints of handlers
)
from paddock.toolkits.zoo.answers import create_result, to_json
from paddock.toolkits.zoo.declaring import (
    MEMORY_OPTION_NAME,
    MEMORY_OPTIONS,
    MEMORY_TOKENS_OPTION_NAME,
    with_description,
    create_read_tool,
    object_schema,
    string_property,
    create_write_tool,
)
from paddock.toolkits.zoo.zoos import CHANGE_SOURCE, get_caller_zoo

if TYPE_CHECKING:
    from paddock.zoo.model import Agent, AgentSummary, Page

JsonObject = dict[str, Any]
MAX_SHOWN_ENTRIES = 500
"""How many brain entries are shown with an agent."""
MAX_RETURNED_AGENTS = 1000
AGENT_ID_SCHEMA = string_property("The id of the agent, or its name.")
STRUCTURED_FORMAT = "structured"


def inject_agent(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Give what a chat needs to be an agent."""
    injection = get_caller_zoo(ctx).inject(
        arguments["agentId"],
        memory=None if ctx.options[MEMORY_OPTION_NAME] else False,
        budget_tokens=ctx.options[MEMORY_TOKENS_OPTION_NAME],
        source=CHANGE_SOURCE,
    )
    told: JsonObject = {"agentId": injection.agent_id, "agentName": injection.agent_name}
    if arguments.get("format") != STRUCTURED_FORMAT:
        return create_result({**told, "prompt": injection.prompt})
    agent = get_caller_zoo(ctx).get_agent(injection.agent_id)
    return create_result({**told, "systemPrompt": agent.system_prompt, "skills": _list_enabled_skills(agent)})


def _list_enabled_skills(agent: Agent) -> list[JsonObject]:
    """The skills that are injected."""
    return [
        {"id": skill.id, "name": skill.name, "description": skill.description}
        for skill in agent.skills
        if skill.enabled
    ]


def list_agents(_arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Say which agents there are, with what it takes to choose one."""
    return _format_agents(get_caller_zoo(ctx).list_agents(limit=MAX_RETURNED_AGENTS))


def find_agents(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Say which agents match."""
    text, tag = arguments.get("text"), arguments.get("tag")
    return _format_agents(get_caller_zoo(ctx).list_agents(text=text, tag=tag, limit=MAX_RETURNED_AGENTS))


def _format_agents(page: Page[AgentSummary]) -> CallToolResult:
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
    told: JsonObject = {"agents": agents}
    if page.next_cursor is not None:
        told["more"] = f"There are more than {MAX_RETURNED_AGENTS}: use agent_zoo_find_agents."
    return create_result(told)


def get_agent(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Show an agent as it is kept."""
    zoo = get_caller_zoo(ctx)
    agent = zoo.find_agent(arguments["agentId"])
    page = zoo.query_entries(agent.id, limit=MAX_SHOWN_ENTRIES)
    told = {**to_json(agent), "brainEntries": to_json(page.items)}
    if page.next_cursor is not None:
        told["more"] = f"These are the newest {MAX_SHOWN_ENTRIES} brain entries: query for others."
    return create_result(told)


def toggle_skill(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Turn a skill of an agent on or off."""
    zoo = get_caller_zoo(ctx)
    agent = zoo.find_agent(arguments["agentId"])
    skill_id = _find_skill_id(agent, arguments["skillId"])
    changed = zoo.toggle_skill(agent.id, skill_id, arguments.get("enabled"), source=CHANGE_SOURCE)
    skills = [{"id": s.id, "name": s.name, "enabled": s.enabled} for s in changed.skills]
    return create_result({"agentId": changed.id, "skills": skills})


def _find_skill_id(agent: Agent, wanted: str) -> str:
    """The id of the skill that a caller means, who may have said its name."""
    if any(skill.id == wanted for skill in agent.skills):
        return wanted
    name = wanted.strip().casefold()
    return next((s.id for s in agent.skills if s.name.casefold() == name), wanted)


inject_tool = create_read_tool(
    "agent_zoo_inject",
    inject_agent,
    title="Become an agent",
    description="Get the prompt of an agent of the zoo: who it is, its active skills and what it "
    "remembers. Adopt it for the rest of the conversation. Use it when the person asks for an "
    "agent, or wants to change to another one.",
    schema=object_schema(
        {
            "agentId": with_description(AGENT_ID_SCHEMA, "Agent ID to inject; its name will do too."),
            "format": {
                "type": "string",
                "enum": ["compiled", STRUCTURED_FORMAT],
                "description": "compiled: one prompt as a text (the default). structured: the "
                "system prompt and the active skills as data.",
            },
        },
        "agentId",
    ),
    options=MEMORY_OPTIONS,
)
list_agents_tool = create_read_tool(
    "agent_zoo_list_agents",
    list_agents,
    title="List agents",
    description="List the agents of the zoo with what they are for, their tags and their skills.",
    schema=object_schema({}),
)
find_agents_tool = create_read_tool(
    "agent_zoo_find_agents",
    find_agents,
    title="Find agents",
    description="List those agents of the zoo that match a text, a tag, or both.",
    schema=object_schema(
        {
            "text": string_property("Words that occur in the name, the description or the tags."),
            "tag": string_property("A tag that they have."),
        }
    ),
)
get_agent_tool = create_read_tool(
    "agent_zoo_get_agent",
    get_agent,
    title="Show an agent",
    description="Show all that is kept of an agent, its brain included. To become the agent, use "
    "agent_zoo_inject instead.",
    schema=object_schema({"agentId": with_description(AGENT_ID_SCHEMA, "Agent ID to retrieve.")}, "agentId"),
)
toggle_skill_tool = create_write_tool(
    "agent_zoo_toggle_skill",
    toggle_skill,
    title="Turn a skill on or off",
    description="Turn a skill of an agent on or off. It counts from the next injection on.",
    schema=object_schema(
        {
            "agentId": AGENT_ID_SCHEMA,
            "skillId": string_property("The id of the skill, or its name."),
            "enabled": {
                "type": "boolean",
                "description": "Whether it is on from now on; the opposite of now when left out.",
            },
        },
        "agentId",
        "skillId",
    ),
)
