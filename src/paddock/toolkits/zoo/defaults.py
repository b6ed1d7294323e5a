"""The tools for the default agent of a project, which a small file in the project names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.protocol.model.content import (
    CallToolResult,  # noqa: TC001 - read from the hints of handlers
)
from paddock.toolkits.paths import resolve, working_directory
from paddock.toolkits.zoo.answers import answer
from paddock.toolkits.zoo.declaring import reading_tool, taking, text, writing_tool
from paddock.toolkits.zoo.zoos import zoo_of
from paddock.zoo.project import default_agent, set_default

if TYPE_CHECKING:
    from pathlib import Path


Json = dict[str, Any]


class NoDefaultAgentError(ToolError):
    """A project has not said which agent it wants."""

    code = "no-default-agent"


PROJECT = text(
    "The directory of the project; the one that the client works in when it is left out."
)


def get_default(arguments: Json, ctx: Context) -> CallToolResult:
    """Say which agent a project wants."""
    project = _project(arguments, ctx)
    wanted = default_agent(project)
    if wanted is None:
        raise NoDefaultAgentError(
            f"{project} has no default agent", hint="agent_zoo_list_agents says which there are"
        )
    agent = zoo_of(ctx).find_agent(wanted)
    return answer({"agentId": agent.id, "agentName": agent.name, "project": str(project)})


def choose_default(arguments: Json, ctx: Context) -> CallToolResult:
    """Say from now on which agent a project wants."""
    project = _project(arguments, ctx)
    agent = zoo_of(ctx).find_agent(arguments["agentId"])
    set_default(project, agent.id)
    return answer({"agentId": agent.id, "agentName": agent.name, "project": str(project)})


def _project(arguments: Json, ctx: Context) -> Path:
    given = arguments.get("project")
    return working_directory(ctx) if given is None else resolve(given, ctx)


get_default_tool = reading_tool(
    "agent_zoo_get_default_agent",
    get_default,
    title="Default agent",
    description="Say which agent a project wants, to be injected when the person names none.",
    schema=taking({"project": PROJECT}),
)
set_default_tool = writing_tool(
    "agent_zoo_set_default_agent",
    choose_default,
    title="Choose the default agent",
    description="Write into a project which agent it wants from now on.",
    schema=taking(
        {
            "agentId": text("The agent, by its id or name."),
            "project": PROJECT,
        },
        "agentId",
    ),
    hints=("idempotentHint",),
)
