"""The tools for the default agent of a project, which a small file in the project names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.protocol.model.content import (
    CallToolResult,  # noqa: TC001 - read from the hints of handlers
)
from paddock.toolkits.paths import resolve_path, get_working_directory
from paddock.toolkits.zoo.answers import create_result
from paddock.toolkits.zoo.declaring import create_read_tool, object_schema, string_property, create_write_tool
from paddock.toolkits.zoo.zoos import get_caller_zoo
from paddock.zoo.project import get_default_agent, set_default_agent

if TYPE_CHECKING:
    from pathlib import Path


JsonObject = dict[str, Any]


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
