"""Routes of agents, of their versions, and of their injection."""

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
    Page,
)
from paddock.zoo.rest.error_responses import describe_errors
from paddock.zoo.rest.parameters import (
    CursorQuery,
    ExpectedVersion,
    LimitQuery,
    ZooDependency,
    make_etag_headers,
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
VERSION_ERRORS = describe_errors(400, 404)
INJECTION_ERRORS = describe_errors(400, 404)


class WholeAgent(Agent, rename="camel", kw_only=True):
    """An agent, on request with its brain."""

    brain_entries: list[BrainEntry] | UnsetType = UNSET


@get("/agents", summary="List complete agents", responses=describe_errors(400), sync_to_thread=True)
def list_agents(
    zoo: ZooDependency,
    text: TextQuery = None,
    tag: TagQuery = None,
    archived: ArchivedQuery = False,
    brain: Annotated[bool, QueryParameter(description="Include brain entries.")] = False,
    limit: LimitQuery = None,
    cursor: CursorQuery = None,
) -> Response[list[WholeAgent]]:
    """Return agents in order of creation. `X-Next-Cursor` is the cursor of the next page."""
    page = zoo.agents.list_agents(archived=archived, text=text, tag=tag, limit=limit, cursor=cursor)
    agents = [_make_agent_with_brain(zoo, agent, include_brain=brain) for agent in page.items]
    return Response(agents, headers=make_page_headers(page.next_cursor))


@get(
    "/agents/summaries", summary="List agents", responses=describe_errors(400), sync_to_thread=True
)
def list_summaries(
    zoo: ZooDependency,
    text: TextQuery = None,
    tag: TagQuery = None,
    archived: ArchivedQuery = False,
    limit: LimitQuery = None,
    cursor: CursorQuery = None,
) -> Page[AgentSummary]:
    """Return the fields that a list shows, in order of creation."""
    return zoo.agents.list_summaries(
        archived=archived, text=text, tag=tag, limit=limit, cursor=cursor
    )


@post("/agents", summary="Create an agent", responses=describe_errors(400), sync_to_thread=True)
def create_agent(zoo: ZooDependency, data: JSONBody[NewAgentBody | None] = None) -> Response[Agent]:
    """Create an agent. Its ID is derived from the given one or from the name."""
    body = data or NewAgentBody()
    created = zoo.agents.create({**get_changes(body), "id": body.id}, source="web")
    return Response(created, headers=make_etag_headers(created))


@get(
    "/agents/{agent_id:str}",
    summary="Get an agent",
    responses=describe_errors(404),
    sync_to_thread=True,
)
def get_agent(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    brain: Annotated[bool, QueryParameter(description="Include brain entries.")] = False,
) -> Response[WholeAgent]:
    """Return an agent, without its brain by default."""
    agent = zoo.agents.get(agent_id)
    return Response(
        _make_agent_with_brain(zoo, agent, include_brain=brain), headers=make_etag_headers(agent)
    )


@put(
    "/agents/{agent_id:str}",
    summary="Change an agent",
    responses=describe_errors(400, 404, 412),
    sync_to_thread=True,
)
def put_agent(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    data: JSONBody[AgentChanges],
    expected: ExpectedVersion,
) -> Response[Agent]:
    """Change an agent, like PATCH: omitted fields stay as they are."""
    return _update_agent(zoo, agent_id, data, expected)


@patch(
    "/agents/{agent_id:str}",
    summary="Change an agent",
    responses=describe_errors(400, 404, 412),
    sync_to_thread=True,
)
def patch_agent(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    data: JSONBody[AgentChanges],
    expected: ExpectedVersion,
) -> Response[Agent]:
    """Change fields of an agent. A complete agent may be sent; its ID cannot be changed."""
    return _update_agent(zoo, agent_id, data, expected)


@delete(
    "/agents/{agent_id:str}",
    summary="Delete an agent",
    responses=describe_errors(404, 412),
    sync_to_thread=True,
)
def delete_agent(zoo: ZooDependency, agent_id: FromPath[str], expected: ExpectedVersion) -> None:
    """Move an agent to the bin, from which it can be restored for 30 days."""
    zoo.agents.delete(agent_id, version=expected, source="web")


@post(
    "/agents/{agent_id:str}/duplicate",
    summary="Copy an agent",
    responses=describe_errors(400, 404),
    sync_to_thread=True,
)
def duplicate_agent(
    zoo: ZooDependency, agent_id: FromPath[str], data: JSONBody[DuplicateBody | None] = None
) -> Response[Agent]:
    """Copy an agent with its soul and skills, and with an empty brain."""
    created = zoo.agents.duplicate(agent_id, None if data is None else data.name, source="web")
    return Response(created, headers=make_etag_headers(created))


@get("/bin", summary="List deleted agents", sync_to_thread=True)
def list_bin(zoo: ZooDependency) -> list[AgentSummary]:
    """Return the agents that can be restored, most recently deleted first."""
    return zoo.agents.list_deleted()


@post(
    "/agents/{agent_id:str}/restore",
    summary="Restore a deleted agent",
    responses=describe_errors(404),
    status_code=200,
    sync_to_thread=True,
)
def restore_agent(zoo: ZooDependency, agent_id: FromPath[str]) -> Response[Agent]:
    """Restore an agent from the bin, with its brain and its history."""
    agent = zoo.agents.restore(agent_id, source="web")
    return Response(agent, headers=make_etag_headers(agent))


@delete(
    "/bin/{agent_id:str}",
    summary="Delete an agent permanently",
    responses=describe_errors(404),
    sync_to_thread=True,
)
def purge_agent(zoo: ZooDependency, agent_id: FromPath[str]) -> None:
    """Delete an agent in the bin permanently, with its brain and its history."""
    zoo.agents.purge(agent_id, source="web")


def _update_agent(
    zoo: Zoo, agent_id: str, body: AgentChanges, version: int | None
) -> Response[Agent]:
    """Apply the changes of a PUT or PATCH request."""
    # A complete agent contains its ID, so only a different one is a mistake.
    if body.id is not UNSET and body.id != agent_id:
        raise InvalidAgentError([FieldError("id", "the ID of an agent cannot be changed")])
    agent = zoo.agents.update(agent_id, get_changes(body), version=version, source="web")
    return Response(agent, headers=make_etag_headers(agent))


def _make_agent_with_brain(zoo: Zoo, agent: Agent, *, include_brain: bool) -> WholeAgent:
    fields = msgspec.structs.asdict(agent)
    if not include_brain:
        return WholeAgent(**fields)
    return WholeAgent(**fields, brain_entries=zoo.brain.query_entries(agent.id).items)


AGENT_ROUTES = [
    *(list_agents, list_summaries, create_agent, get_agent, put_agent, patch_agent),
    *(delete_agent, duplicate_agent, list_bin, restore_agent, purge_agent),
]


VersionNumber = Annotated[int, PathParameter(ge=1, le=2**31 - 1)]


@get(
    VERSIONS_PATH,
    summary="List the versions of an agent",
    responses=VERSION_ERRORS,
    sync_to_thread=True,
)
def list_versions(zoo: ZooDependency, agent_id: FromPath[str]) -> list[AgentVersion]:
    """Return the versions, newest first, without their content."""
    return zoo.history.list_versions(agent_id)


@get(
    f"{VERSIONS_PATH}/{{number:int}}",
    summary="Get a version of an agent",
    responses=VERSION_ERRORS,
    sync_to_thread=True,
)
def get_version(zoo: ZooDependency, agent_id: FromPath[str], number: VersionNumber) -> AgentVersion:
    """Return a version with its content."""
    return zoo.history.get_version(agent_id, number)


@post(
    f"{VERSIONS_PATH}/{{number:int}}/restore",
    summary="Restore a version of an agent",
    responses=VERSION_ERRORS,
    status_code=200,
    sync_to_thread=True,
)
def restore_version(
    zoo: ZooDependency, agent_id: FromPath[str], number: VersionNumber
) -> Response[Agent]:
    """Save an earlier version as a new one. The history stays complete."""
    agent = zoo.history.restore_version(agent_id, number, source="web")
    return Response(agent, headers=make_etag_headers(agent))


@get(
    f"{VERSIONS_PATH}/{{before:int}}/diff/{{after:int}}",
    summary="Compare two versions of an agent",
    responses=VERSION_ERRORS,
    sync_to_thread=True,
)
def diff_versions(
    zoo: ZooDependency, agent_id: FromPath[str], before: VersionNumber, after: VersionNumber
) -> list[FieldChange]:
    """Return the differences by field, and by skill and category."""
    return zoo.history.diff_versions(agent_id, before, after)


VERSION_ROUTES = [list_versions, get_version, restore_version, diff_versions]


@get(
    "/agents/{agent_id:str}/preview",
    summary="Preview an injection",
    responses=INJECTION_ERRORS,
    sync_to_thread=True,
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


@post(
    "/agents/{agent_id:str}/inject",
    summary="Inject an agent",
    responses=INJECTION_ERRORS,
    status_code=200,
    sync_to_thread=True,
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
