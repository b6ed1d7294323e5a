"""The tools that find, show and inject agents.

The tools that read and write what agents remember.

The tools for the default agent of a project, which a small file in the project names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.handler_errors import ToolError
from paddock.protocol.content import (
    CallToolResult,  # noqa: TC001 - read from the hints of handlers
)
from paddock.toolkits.paths import get_working_directory, resolve_path
from paddock.toolkits.zoo.declarations import (
    CHANGE_SOURCE,
    ENTRY_TYPE_MEANINGS,
    ENTRY_TYPE_SCHEMA,
    MEMORY_OPTION_NAME,
    MEMORY_OPTIONS,
    MEMORY_TOKENS_OPTION_NAME,
    STRING_LIST_SCHEMA,
    create_read_tool,
    create_result,
    create_write_tool,
    get_caller_zoo,
    object_schema,
    string_property,
    to_json,
    with_description,
)
from paddock.zoo.project import get_default_agent, set_default_agent

if TYPE_CHECKING:
    from pathlib import Path

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
    return create_result(
        {**told, "systemPrompt": agent.system_prompt, "skills": _list_enabled_skills(agent)}
    )


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
    return _format_agents(
        get_caller_zoo(ctx).list_agents(text=text, tag=tag, limit=MAX_RETURNED_AGENTS)
    )


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
            "agentId": with_description(
                AGENT_ID_SCHEMA, "Agent ID to inject; its name will do too."
            ),
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
    schema=object_schema(
        {"agentId": with_description(AGENT_ID_SCHEMA, "Agent ID to retrieve.")}, "agentId"
    ),
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
    return create_result(
        to_json(zoo.update_entry(agent.id, arguments["entryId"], changes, source=CHANGE_SOURCE))
    )


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
    return create_result(
        {**told, "next": f"Call agent_zoo_inject with agentId={taker.id} to go on."}
    )


def _build_provenance(ctx: Context) -> JsonObject:
    """Who writes, as far as the client says."""
    client = (ctx.client_info or {}).get("name")
    return {"source": CHANGE_SOURCE, **({"client": client} if isinstance(client, str) else {})}


_ENTRY_PROPERTIES: JsonObject = {
    "type": with_description(
        ENTRY_TYPE_SCHEMA, f"What kind of memory it is. {ENTRY_TYPE_MEANINGS}."
    ),
    "content": string_property(
        "What to remember, so that it can be understood without the conversation."
    ),
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
    schema=object_schema(
        {"agentId": AGENT_ID_SCHEMA, **_ENTRY_PROPERTIES}, "agentId", "type", "content"
    ),
)
update_entry_tool = create_write_tool(
    "agent_zoo_update_brain_entry",
    update_entry,
    title="Correct a memory",
    description="Change parts of a brain entry. What is not given stays as it is.",
    schema=object_schema(
        {"agentId": AGENT_ID_SCHEMA, "entryId": ENTRY_ID_SCHEMA, **_ENTRY_PROPERTIES},
        "agentId",
        "entryId",
    ),
    hints=("destructiveHint", "idempotentHint"),
)
delete_entry_tool = create_write_tool(
    "agent_zoo_delete_brain_entry",
    delete_entry,
    title="Forget",
    description="Delete a brain entry for good.",
    schema=object_schema(
        {"agentId": AGENT_ID_SCHEMA, "entryId": ENTRY_ID_SCHEMA}, "agentId", "entryId"
    ),
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
            "tags": with_description(
                STRING_LIST_SCHEMA, "Only entries with at least one of these tags."
            ),
            "dateFrom": string_property("Only entries from this day or time on, ISO 8601."),
            "dateTo": string_property(
                "Only entries up to this time, or the end of this day, ISO 8601."
            ),
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
            "agentId": with_description(
                AGENT_ID_SCHEMA, "Only the brain of this agent, by its id or name."
            ),
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
            "summary": string_property(
                "What was done, what was decided, and what is to be done next."
            ),
            "entryIds": with_description(
                STRING_LIST_SCHEMA, "Brain entries of the first one that belong to it."
            ),
        },
        "fromAgentId",
        "toAgentId",
        "summary",
    ),
)


class NoDefaultAgentError(ToolError):
    """A project has not said which agent it wants."""

    code = "no-default-agent"


PROJECT_SCHEMA = string_property(
    "The directory of the project; the one that the client works in when it is left out."
)


def show_default_agent(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Say which agent a project wants."""
    project = _resolve_project(arguments, ctx)
    wanted = get_default_agent(project)
    if wanted is None:
        raise NoDefaultAgentError(
            f"{project} has no default agent", hint="agent_zoo_list_agents says which there are"
        )
    agent = get_caller_zoo(ctx).find_agent(wanted)
    return create_result({"agentId": agent.id, "agentName": agent.name, "project": str(project)})


def choose_default_agent(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Say from now on which agent a project wants."""
    project = _resolve_project(arguments, ctx)
    agent = get_caller_zoo(ctx).find_agent(arguments["agentId"])
    set_default_agent(project, agent.id)
    return create_result({"agentId": agent.id, "agentName": agent.name, "project": str(project)})


def _resolve_project(arguments: JsonObject, ctx: Context) -> Path:
    given = arguments.get("project")
    return get_working_directory(ctx) if given is None else resolve_path(given, ctx)


get_default_tool = create_read_tool(
    "agent_zoo_get_default_agent",
    show_default_agent,
    title="Default agent",
    description="Say which agent a project wants, to be injected when the person names none.",
    schema=object_schema({"project": PROJECT_SCHEMA}),
)
set_default_tool = create_write_tool(
    "agent_zoo_set_default_agent",
    choose_default_agent,
    title="Choose the default agent",
    description="Write into a project which agent it wants from now on.",
    schema=object_schema(
        {
            "agentId": string_property("The agent, by its id or name."),
            "project": PROJECT_SCHEMA,
        },
        "agentId",
    ),
    hints=("idempotentHint",),
)
