"""Declarations and handlers for the zoo's tools: agents, brains and project default agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.context import Context
from paddock.authoring.handler_errors import ToolError
from paddock.protocol.content import CallToolResult
from paddock.toolkits.paths import get_working_directory, resolve_path
from paddock.toolkits.zoo.declarations import (
    CHANGE_SOURCE,
    ENTRY_TYPE_MEANINGS,
    ENTRY_TYPE_SCHEMA,
    MEMORY_OPTION_NAME,
    MEMORY_OPTIONS,
    MEMORY_TOKENS_OPTION_NAME,
    STRING_LIST_SCHEMA,
    create_result,
    create_tool,
    get_caller_zoo,
    string_property,
    to_json,
    with_description,
)
from paddock.zoo.project import get_default_agent, set_default_agent

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.zoo.model import Agent, AgentSummary, ResultPage


JsonObject = dict[str, Any]
MAX_SHOWN_ENTRIES = 500  # Brain entries in the result of agent_zoo_get_agent.
MAX_RETURNED_AGENTS = 1000
AGENT_ID_SCHEMA = string_property("ID or name of the agent.")
STRUCTURED_FORMAT = "structured"


def inject_agent(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Compile the prompt of an agent and record the injection."""
    agent, injection = get_caller_zoo(ctx).injector.inject(
        arguments["agentId"],
        memory=None if ctx.options[MEMORY_OPTION_NAME] else False,
        budget_tokens=ctx.options[MEMORY_TOKENS_OPTION_NAME],
        source=CHANGE_SOURCE,
    )
    result: JsonObject = {"agentId": injection.agent_id, "agentName": injection.agent_name}
    if arguments.get("format") != STRUCTURED_FORMAT:
        return create_result({**result, "prompt": injection.prompt})
    return create_result(
        {**result, "systemPrompt": agent.system_prompt, "skills": _list_enabled_skills(agent)}
    )


def _list_enabled_skills(agent: Agent) -> list[JsonObject]:
    return [
        {"id": skill.id, "name": skill.name, "description": skill.description}
        for skill in agent.skills
        if skill.enabled
    ]


def list_agents(_arguments: JsonObject, ctx: Context) -> CallToolResult:
    """List all agents with the information that is needed to choose one."""
    return _create_agents_result(
        get_caller_zoo(ctx).agents.list_summaries(limit=MAX_RETURNED_AGENTS)
    )


def find_agents(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """List the agents that match a text, a tag, or both."""
    text, tag = arguments.get("text"), arguments.get("tag")
    return _create_agents_result(
        get_caller_zoo(ctx).agents.list_summaries(text=text, tag=tag, limit=MAX_RETURNED_AGENTS)
    )


def _create_agents_result(page: ResultPage[AgentSummary]) -> CallToolResult:
    """Convert a page of agents to a tool result, with a note if there are more agents."""
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
    return _create_page_result(
        {"agents": agents},
        page,
        f"There are more than {MAX_RETURNED_AGENTS} agents. Narrow the list with "
        "agent_zoo_find_agents.",
    )


def _create_page_result(data: JsonObject, page: ResultPage[Any], more: str) -> CallToolResult:
    """Return data as a result, with a note for the model if the page is not the last one."""
    return create_result(data if page.next_cursor is None else {**data, "more": more})


def get_agent(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Return everything stored about an agent."""
    zoo = get_caller_zoo(ctx)
    agent = zoo.agents.find(arguments["agentId"])
    page = zoo.brain.query_entries(agent.id, limit=MAX_SHOWN_ENTRIES)
    return _create_page_result(
        {**to_json(agent), "brainEntries": to_json(page.items)},
        page,
        f"These are the newest {MAX_SHOWN_ENTRIES} brain entries. Get others with "
        "agent_zoo_query_brain_entries.",
    )


def toggle_skill(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Enable or disable a skill of an agent."""
    zoo = get_caller_zoo(ctx)
    agent = zoo.agents.find(arguments["agentId"])
    skill_id = _find_skill_id(agent, arguments["skillId"])
    updated_agent = zoo.skills.toggle(
        agent.id, skill_id, arguments.get("enabled"), source=CHANGE_SOURCE
    )
    skills = [
        {"id": skill.id, "name": skill.name, "enabled": skill.enabled}
        for skill in updated_agent.skills
    ]
    return create_result({"agentId": updated_agent.id, "skills": skills})


def _find_skill_id(agent: Agent, id_or_name: str) -> str:
    """Return the ID of a skill given by ID or name. Unknown text is returned unchanged."""
    if any(skill.id == id_or_name for skill in agent.skills):
        return id_or_name
    name = id_or_name.strip().casefold()
    return next((s.id for s in agent.skills if s.name.casefold() == name), id_or_name)


inject_tool = create_tool(
    "agent_zoo_inject",
    inject_agent,
    "read",
    title="Inject an agent",
    description="Get the prompt of an agent of the zoo: its personality, enabled skills and "
    "memories. Follow it for the rest of the conversation. Use this tool when the user asks for an "
    "agent or wants to switch to another one.",
    arguments={
        "agentId": with_description(AGENT_ID_SCHEMA, "ID or name of the agent to inject."),
        "format": {
            "type": "string",
            "enum": ["compiled", STRUCTURED_FORMAT],
            "description": "compiled (default): one prompt as text. structured: the system "
            "prompt and the enabled skills as data.",
        },
    },
    required=("agentId",),
    options=MEMORY_OPTIONS,
)
list_agents_tool = create_tool(
    "agent_zoo_list_agents",
    list_agents,
    "read",
    title="List agents",
    description="List the agents of the zoo with their descriptions, tags and skills.",
    arguments={},
)
find_agents_tool = create_tool(
    "agent_zoo_find_agents",
    find_agents,
    "read",
    title="Find agents",
    description="List the agents of the zoo that match a text, a tag, or both.",
    arguments={
        "text": string_property("Words in the name, the description or the tags."),
        "tag": string_property("A tag of the agent."),
    },
)
get_agent_tool = create_tool(
    "agent_zoo_get_agent",
    get_agent,
    "read",
    title="Show an agent",
    description="Show everything stored about an agent, including its brain. To act as the agent, "
    "use agent_zoo_inject instead.",
    arguments={"agentId": with_description(AGENT_ID_SCHEMA, "ID or name of the agent to show.")},
    required=("agentId",),
)
toggle_skill_tool = create_tool(
    "agent_zoo_toggle_skill",
    toggle_skill,
    "add",
    title="Enable or disable a skill",
    description="Enable or disable a skill of an agent. Takes effect with the next injection.",
    arguments={
        "agentId": AGENT_ID_SCHEMA,
        "skillId": string_property("ID or name of the skill."),
        "enabled": {
            "type": "boolean",
            "description": "The new state. Toggles the current state if omitted.",
        },
    },
    required=(
        "agentId",
        "skillId",
    ),
)


MAX_QUERIED_ENTRIES = 200
ENTRY_ID_SCHEMA = string_property("ID of the brain entry.")
_UPDATABLE_FIELDS = ("type", "content", "tags", "pinned", "metadata")


def create_entry(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Save an entry to an agent's brain."""
    zoo = get_caller_zoo(ctx)
    entry = zoo.brain.create_entry(
        zoo.agents.find(arguments["agentId"]).id,
        arguments["type"],
        arguments["content"],
        tags=arguments.get("tags") or [],
        pinned=bool(arguments.get("pinned")),
        metadata={**_build_provenance(ctx), **(arguments.get("metadata") or {})},
        source=CHANGE_SOURCE,
    )
    return create_result(to_json(entry))


def update_entry(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Update the given fields of a brain entry."""
    zoo = get_caller_zoo(ctx)
    changes = {key: arguments[key] for key in _UPDATABLE_FIELDS if arguments.get(key) is not None}
    agent = zoo.agents.find(arguments["agentId"])
    entry = zoo.brain.update_entry(agent.id, arguments["entryId"], changes, source=CHANGE_SOURCE)
    return create_result(to_json(entry))


def delete_entry(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Delete a brain entry."""
    zoo = get_caller_zoo(ctx)
    agent = zoo.agents.find(arguments["agentId"])
    zoo.brain.delete_entry(agent.id, arguments["entryId"], source=CHANGE_SOURCE)
    return create_result({"success": True, "entryId": arguments["entryId"]})


def query_entries(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """List the matching entries of an agent, newest first."""
    zoo = get_caller_zoo(ctx)
    agent = zoo.agents.find(arguments["agentId"])
    page = zoo.brain.query_entries(
        agent.id,
        type=arguments.get("type"),
        tags=arguments.get("tags") or (),
        date_from=arguments.get("dateFrom"),
        date_to=arguments.get("dateTo"),
        pinned=arguments.get("pinned"),
        text=arguments.get("text"),
        limit=MAX_QUERIED_ENTRIES,
    )
    return _create_page_result(
        {"agentId": agent.id, "entries": to_json(page.items)},
        page,
        f"These are the newest {MAX_QUERIED_ENTRIES} entries. Narrow the query to get others.",
    )


def search_brain(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Search the text of brain entries of one agent or of all agents."""
    zoo = get_caller_zoo(ctx)
    id_or_name = arguments.get("agentId")
    agent_id = None if id_or_name is None else zoo.agents.find(id_or_name).id
    hits = zoo.brain.search(arguments["text"], agent_id=agent_id, limit=arguments.get("limit", 20))
    return create_result({"results": to_json(hits)})


def hand_over(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Save a handoff entry to the brain of the agent that continues the work."""
    zoo = get_caller_zoo(ctx)
    sender = zoo.agents.find(arguments["fromAgentId"])
    receiver = zoo.agents.find(arguments["toAgentId"])
    entry = zoo.brain.hand_over(
        sender.id,
        receiver.id,
        arguments["summary"],
        entry_ids=arguments.get("entryIds") or (),
        source=CHANGE_SOURCE,
    )
    result = {"entry": to_json(entry), "toAgentId": receiver.id, "toAgentName": receiver.name}
    return create_result(
        {**result, "next": f"Call agent_zoo_inject with agentId={receiver.id} to continue."}
    )


def _build_provenance(ctx: Context) -> JsonObject:
    """Return metadata about the origin of an entry.

    It contains the client's name, if the client reports one.
    """
    client = (ctx.client_info or {}).get("name")
    return {"source": CHANGE_SOURCE, **({"client": client} if isinstance(client, str) else {})}


_ENTRY_PROPERTIES: JsonObject = {
    "type": with_description(ENTRY_TYPE_SCHEMA, f"Kind of entry. {ENTRY_TYPE_MEANINGS}."),
    "content": string_property(
        "Text of the entry. Must be understandable without this conversation."
    ),
    "tags": with_description(STRING_LIST_SCHEMA, "Tags to find the entry by."),
    "pinned": {"type": "boolean", "description": "Whether every injection includes it first."},
    "metadata": {
        "type": "object",
        "description": "Origin and other data, such as sessionId and workspaceId.",
    },
}

create_entry_tool = create_tool(
    "agent_zoo_create_brain_entry",
    create_entry,
    "add",
    title="Save a memory",
    description="Save an entry to an agent's brain so that later conversations can use it. Save "
    "important decisions, results and facts without waiting to be asked.",
    arguments={"agentId": AGENT_ID_SCHEMA, **_ENTRY_PROPERTIES},
    required=(
        "agentId",
        "type",
        "content",
    ),
)
update_entry_tool = create_tool(
    "agent_zoo_update_brain_entry",
    update_entry,
    "replace",
    title="Update a memory",
    description="Update the given fields of a brain entry. Other fields stay unchanged.",
    arguments={"agentId": AGENT_ID_SCHEMA, "entryId": ENTRY_ID_SCHEMA, **_ENTRY_PROPERTIES},
    required=(
        "agentId",
        "entryId",
    ),
)
delete_entry_tool = create_tool(
    "agent_zoo_delete_brain_entry",
    delete_entry,
    "delete",
    title="Delete a memory",
    description="Delete a brain entry permanently.",
    arguments={"agentId": AGENT_ID_SCHEMA, "entryId": ENTRY_ID_SCHEMA},
    required=(
        "agentId",
        "entryId",
    ),
)
query_entries_tool = create_tool(
    "agent_zoo_query_brain_entries",
    query_entries,
    "read",
    title="List memories",
    description="List brain entries of an agent that match all given filters, newest first.",
    arguments={
        "agentId": AGENT_ID_SCHEMA,
        "type": with_description(ENTRY_TYPE_SCHEMA, "Only entries of this type."),
        "tags": with_description(
            STRING_LIST_SCHEMA, "Only entries with at least one of these tags."
        ),
        "dateFrom": string_property("Only entries from this date or time on, ISO 8601."),
        "dateTo": string_property(
            "Only entries up to this time or the end of this date, ISO 8601."
        ),
        "pinned": {"type": "boolean", "description": "true: only pinned; false: only others."},
        "text": string_property("Only entries that contain these words."),
    },
    required=("agentId",),
)
search_brain_tool = create_tool(
    "agent_zoo_search_brain",
    search_brain,
    "read",
    title="Search memories",
    description="Search the text of the brain entries of one agent or of all agents.",
    arguments={
        "text": string_property("Words to search for."),
        "agentId": with_description(AGENT_ID_SCHEMA, "ID or name of the only agent to search."),
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": 100,
            "description": "Maximum number of results (20 if not given).",
        },
    },
    required=("text",),
)
hand_over_tool = create_tool(
    "agent_zoo_hand_over",
    hand_over,
    "add",
    title="Hand over to another agent",
    description="Hand work over from one agent to another. Saves the summary and the chosen "
    "entries to the brain of the agent that continues.",
    arguments={
        "fromAgentId": string_property("ID or name of the agent that has worked so far."),
        "toAgentId": string_property("ID or name of the agent that continues."),
        "summary": string_property("What was done, what was decided, and the next steps."),
        "entryIds": with_description(
            STRING_LIST_SCHEMA, "Brain entries of the first agent to hand over too."
        ),
    },
    required=(
        "fromAgentId",
        "toAgentId",
        "summary",
    ),
)


class NoDefaultAgentError(ToolError):
    """The project has no default agent."""

    code = "no-default-agent"


PROJECT_SCHEMA = string_property(
    "Directory of the project. Defaults to the client's working directory."
)


def show_default_agent(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Return the default agent of a project."""
    project = _resolve_project(arguments, ctx)
    agent_id = get_default_agent(project)
    if agent_id is None:
        raise NoDefaultAgentError(
            f"{project} has no default agent", hint="list the agents with agent_zoo_list_agents"
        )
    agent = get_caller_zoo(ctx).agents.find(agent_id)
    return create_result({"agentId": agent.id, "agentName": agent.name, "project": str(project)})


def choose_default_agent(arguments: JsonObject, ctx: Context) -> CallToolResult:
    """Set the default agent of a project."""
    project = _resolve_project(arguments, ctx)
    agent = get_caller_zoo(ctx).agents.find(arguments["agentId"])
    set_default_agent(project, agent.id)
    return create_result({"agentId": agent.id, "agentName": agent.name, "project": str(project)})


def _resolve_project(arguments: JsonObject, ctx: Context) -> Path:
    """Return the directory of the project that a call names, or the client's working directory."""
    directory = arguments.get("project")
    return get_working_directory(ctx) if directory is None else resolve_path(directory, ctx)


get_default_tool = create_tool(
    "agent_zoo_get_default_agent",
    show_default_agent,
    "read",
    title="Default agent",
    description="Show the default agent of a project, to inject when the user names no agent.",
    arguments={"project": PROJECT_SCHEMA},
)
set_default_tool = create_tool(
    "agent_zoo_set_default_agent",
    choose_default_agent,
    "set",
    title="Choose the default agent",
    description="Set the default agent of a project. Writes a file into the project.",
    arguments={
        "agentId": string_property("ID or name of the agent."),
        "project": PROJECT_SCHEMA,
    },
    required=("agentId",),
)
