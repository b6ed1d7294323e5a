"""Routes for agents, their versions and their injection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from litestar import Response, delete, get, patch, post, put
from litestar.params import FromPath, FromQuery, JSONBody, PathParameter, QueryParameter
from msgspec import UNSET, UnsetType

from paddock.zoo.errors import FieldError, InvalidAgentError
from paddock.zoo.model import (
    Agent,
    AgentSummary,
    AgentVersion,
    BrainEntry,
    FieldChange,
    Injection,
    ResultPage,
    set_component_name,
)
from paddock.zoo.rest.error_responses import declare_route
from paddock.zoo.rest.parameters import (
    CursorQuery,
    ExpectedVersion,
    LimitQuery,
    ZooDependency,
    make_page_headers,
)
from paddock.zoo.rest.request_bodies import (
    AgentChanges,
    DuplicateBody,
    InjectBody,
    NewAgentBody,
    get_changes,
)

if TYPE_CHECKING:
    from paddock.zoo.service import Zoo


TextQuery = Annotated[
    str | None,
    QueryParameter(
        name="text", max_length=200, description="Substring of the name, the description or a tag."
    ),
]
TagQuery = Annotated[str | None, QueryParameter(name="tag", max_length=100)]
ArchivedQuery = Annotated[
    bool,
    QueryParameter(name="archived", description="Return archived agents instead of the others."),
]

VERSIONS_PATH = "/agents/{agent_id:str}/versions"
VERSION_ERRORS = (400, 404)
INJECTION_ERRORS = (400, 404)


@set_component_name("WholeAgent")
class AgentWithBrain(Agent, rename="camel", kw_only=True):
    """An agent, on request with its brain."""

    brain_entries: list[BrainEntry] | UnsetType = UNSET


@declare_route(get, "/agents", "List complete agents", errors=(400,))
def list_agents(
    zoo: ZooDependency,
    text: TextQuery = None,
    tag: TagQuery = None,
    archived: ArchivedQuery = False,
    brain: Annotated[bool, QueryParameter(description="Include brain entries.")] = False,
    limit: LimitQuery = None,
    cursor: CursorQuery = None,
) -> Response[list[AgentWithBrain]]:
    """Return agents in order of creation. `X-Next-Cursor` is the cursor of the next page."""
    page = zoo.agents.list_agents(archived=archived, text=text, tag=tag, limit=limit, cursor=cursor)
    agents = [_make_agent_with_brain(zoo, agent, include_brain=brain) for agent in page.items]
    return Response(agents, headers=make_page_headers(page.next_cursor))


@declare_route(get, "/agents/summaries", "List agents", errors=(400,))
def list_summaries(
    zoo: ZooDependency,
    text: TextQuery = None,
    tag: TagQuery = None,
    archived: ArchivedQuery = False,
    limit: LimitQuery = None,
    cursor: CursorQuery = None,
) -> ResultPage[AgentSummary]:
    """Return the fields that a list shows, in order of creation."""
    return zoo.agents.list_summaries(
        archived=archived, text=text, tag=tag, limit=limit, cursor=cursor
    )


@declare_route(post, "/agents", "Create an agent", errors=(400,))
def create_agent(zoo: ZooDependency, data: JSONBody[NewAgentBody | None] = None) -> Agent:
    """Create an agent. Its ID is derived from the given one or from the name."""
    body = data or NewAgentBody()
    return zoo.agents.create({**get_changes(body), "id": body.id})


@declare_route(get, "/agents/{agent_id:str}", "Get an agent", errors=(404,))
def get_agent(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    brain: Annotated[bool, QueryParameter(description="Include brain entries.")] = False,
) -> AgentWithBrain:
    """Return an agent, without its brain by default."""
    return _make_agent_with_brain(zoo, zoo.agents.get(agent_id), include_brain=brain)


@declare_route(put, "/agents/{agent_id:str}", "Change an agent", errors=(400, 404, 412))
def put_agent(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    data: JSONBody[AgentChanges],
    expected: ExpectedVersion,
) -> Agent:
    """Change an agent, like PATCH: omitted fields stay as they are."""
    return _update_agent(zoo, agent_id, data, expected)


@declare_route(patch, "/agents/{agent_id:str}", "Change an agent", errors=(400, 404, 412))
def patch_agent(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    data: JSONBody[AgentChanges],
    expected: ExpectedVersion,
) -> Agent:
    """Change fields of an agent. A complete agent may be sent; its ID cannot be changed."""
    return _update_agent(zoo, agent_id, data, expected)


@declare_route(delete, "/agents/{agent_id:str}", "Delete an agent", errors=(404, 412))
def delete_agent(zoo: ZooDependency, agent_id: FromPath[str], expected: ExpectedVersion) -> None:
    """Move an agent to the bin, from which it can be restored for 30 days."""
    zoo.agents.delete(agent_id, version=expected)


@declare_route(post, "/agents/{agent_id:str}/duplicate", "Copy an agent", errors=(400, 404))
def duplicate_agent(
    zoo: ZooDependency, agent_id: FromPath[str], data: JSONBody[DuplicateBody | None] = None
) -> Agent:
    """Copy an agent with its soul and skills, and with an empty brain."""
    return zoo.agents.duplicate(agent_id, None if data is None else data.name)


@declare_route(get, "/bin", "List deleted agents")
def list_bin(zoo: ZooDependency) -> list[AgentSummary]:
    """Return the agents that can be restored, most recently deleted first."""
    return zoo.agents.list_deleted()


@declare_route(
    post,
    "/agents/{agent_id:str}/restore",
    "Restore a deleted agent",
    errors=(404,),
    status_code=200,
)
def restore_agent(zoo: ZooDependency, agent_id: FromPath[str]) -> Agent:
    """Restore an agent from the bin, with its brain and its history."""
    return zoo.agents.restore(agent_id)


@declare_route(delete, "/bin/{agent_id:str}", "Delete an agent permanently", errors=(404,))
def purge_agent(zoo: ZooDependency, agent_id: FromPath[str]) -> None:
    """Delete an agent in the bin permanently, with its brain and its history."""
    zoo.agents.purge(agent_id)


def _update_agent(zoo: Zoo, agent_id: str, body: AgentChanges, version: int | None) -> Agent:
    """Apply the changes of a PUT or PATCH request."""
    # A complete agent contains its ID, so only a different one is a mistake.
    if body.id is not UNSET and body.id != agent_id:
        raise InvalidAgentError([FieldError("id", "the ID of an agent cannot be changed")])
    return zoo.agents.update(agent_id, get_changes(body), version=version)


def _make_agent_with_brain(zoo: Zoo, agent: Agent, *, include_brain: bool) -> AgentWithBrain:
    fields = msgspec.structs.asdict(agent)
    if not include_brain:
        return AgentWithBrain(**fields)
    return AgentWithBrain(**fields, brain_entries=zoo.brain.query_entries(agent.id).items)


AGENT_ROUTES = [
    *(list_agents, list_summaries, create_agent, get_agent, put_agent, patch_agent),
    *(delete_agent, duplicate_agent, list_bin, restore_agent, purge_agent),
]


VersionNumber = Annotated[int, PathParameter(ge=1, le=2**31 - 1)]


@declare_route(get, VERSIONS_PATH, "List the versions of an agent", errors=VERSION_ERRORS)
def list_versions(zoo: ZooDependency, agent_id: FromPath[str]) -> list[AgentVersion]:
    """Return the versions, newest first, without their content."""
    return zoo.history.list_versions(agent_id)


@declare_route(
    get, f"{VERSIONS_PATH}/{{number:int}}", "Get a version of an agent", errors=VERSION_ERRORS
)
def get_version(zoo: ZooDependency, agent_id: FromPath[str], number: VersionNumber) -> AgentVersion:
    """Return a version with its content."""
    return zoo.history.get_version(agent_id, number)


@declare_route(
    post,
    f"{VERSIONS_PATH}/{{number:int}}/restore",
    "Restore a version of an agent",
    errors=VERSION_ERRORS,
    status_code=200,
)
def restore_version(zoo: ZooDependency, agent_id: FromPath[str], number: VersionNumber) -> Agent:
    """Save an earlier version as a new one. The history stays complete."""
    return zoo.history.restore_version(agent_id, number)


@declare_route(
    get,
    f"{VERSIONS_PATH}/{{before:int}}/diff/{{after:int}}",
    "Compare two versions of an agent",
    errors=VERSION_ERRORS,
)
def diff_versions(
    zoo: ZooDependency, agent_id: FromPath[str], before: VersionNumber, after: VersionNumber
) -> list[FieldChange]:
    """Return the differences by field, and by skill and category."""
    return zoo.history.diff_versions(agent_id, before, after)


VERSION_ROUTES = [list_versions, get_version, restore_version, diff_versions]


@declare_route(
    get, "/agents/{agent_id:str}/preview", "Preview an injection", errors=INJECTION_ERRORS
)
def preview(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    memory: FromQuery[bool | None] = None,
    budget: Annotated[
        int | None,
        QueryParameter(ge=0, le=1_000_000, description="Maximum size of the memory in tokens."),
    ] = None,
    workspace_id: Annotated[str | None, QueryParameter(name="workspaceId", max_length=500)] = None,
) -> Injection:
    """Return the prompt with its sections and estimated sizes, without recording an injection."""
    return zoo.injector.preview(
        agent_id, memory=memory, budget_tokens=budget, workspace_id=workspace_id
    )


@declare_route(
    post,
    "/agents/{agent_id:str}/inject",
    "Inject an agent",
    errors=INJECTION_ERRORS,
    status_code=200,
)
def inject(
    zoo: ZooDependency, agent_id: FromPath[str], data: JSONBody[InjectBody | None] = None
) -> Injection:
    """Return the same as the preview, and record an event `agent:injected`."""
    body = data or InjectBody()
    return zoo.injector.inject(
        agent_id,
        memory=body.memory,
        budget_tokens=body.budget_tokens,
        workspace_id=body.workspace_id,
        source="web",
    ).injection


INJECTION_ROUTES = [preview, inject]
