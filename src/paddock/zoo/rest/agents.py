"""Routes of agents: listed, made, changed, put into the bin and taken out again.

Routes of an agent's earlier versions.

Routes of what makes a model take the part of an agent.
"""

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
    QueryParameter(name="text", max_length=200, description="Words in the name or description."),
]
TagQuery = Annotated[str | None, QueryParameter(name="tag", max_length=100)]
ArchivedQuery = Annotated[
    bool, QueryParameter(name="archived", description="Whether those that are archived are meant.")
]


class WholeAgent(Agent, rename="camel", kw_only=True):
    """An agent, with its brain where that was asked for."""

    brain_entries: list[BrainEntry] | UnsetType = UNSET


@get("/agents", summary="List whole agents", responses=describe_errors(400), sync_to_thread=True)
def list_agents(
    zoo: ZooDependency,
    text: TextQuery = None,
    tag: TagQuery = None,
    archived: ArchivedQuery = False,
    brain: Annotated[bool, QueryParameter(description="With their brain entries.")] = False,
    limit: LimitQuery = None,
    cursor: CursorQuery = None,
) -> Response[list[WholeAgent]]:
    """In the order in which they were made. `X-Next-Cursor` leads to the next page."""
    page = zoo.agents.list_agents(archived=archived, text=text, tag=tag, limit=limit, cursor=cursor)
    found = [_make_agent_with_brain(zoo, agent, has_brain=brain) for agent in page.items]
    return Response(found, headers=make_page_headers(page.next_cursor))


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
    """What a list shows of each agent."""
    return zoo.agents.list_summaries(
        archived=archived, text=text, tag=tag, limit=limit, cursor=cursor
    )


@post("/agents", summary="Make an agent", responses=describe_errors(400), sync_to_thread=True)
def create_agent(zoo: ZooDependency, data: JSONBody[NewAgentBody | None] = None) -> Response[Agent]:
    """Its id is made from the given one or from the name; `-2`, `-3` … where that is taken."""
    body = data or NewAgentBody()
    made = zoo.agents.create({**get_changes(body), "id": body.id}, source="web")
    return Response(made, headers=make_etag_headers(made))


@get(
    "/agents/{agent_id:str}",
    summary="Get an agent",
    responses=describe_errors(404),
    sync_to_thread=True,
)
def get_agent(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    brain: Annotated[bool, QueryParameter(description="With its brain entries.")] = False,
) -> Response[WholeAgent]:
    """With everything but its brain, unless that is asked for."""
    found = zoo.agents.get(agent_id)
    return Response(
        _make_agent_with_brain(zoo, found, has_brain=brain), headers=make_etag_headers(found)
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
    """The same as PATCH: what is left out stays."""
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
    """What is left out stays. A whole agent may be sent back; its id cannot be changed."""
    return _update_agent(zoo, agent_id, data, expected)


@delete(
    "/agents/{agent_id:str}",
    summary="Put an agent into the bin",
    responses=describe_errors(404, 412),
    sync_to_thread=True,
)
def delete_agent(zoo: ZooDependency, agent_id: FromPath[str], expected: ExpectedVersion) -> None:
    """It can be restored from there."""
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
    """With soul and skills, and an empty brain."""
    made = zoo.agents.duplicate(agent_id, None if data is None else data.name, source="web")
    return Response(made, headers=make_etag_headers(made))


@get("/bin", summary="List what is in the bin", sync_to_thread=True)
def list_bin(zoo: ZooDependency) -> list[AgentSummary]:
    """The agents that were deleted and can be restored, the latest first."""
    return zoo.agents.list_deleted()


@post(
    "/agents/{agent_id:str}/restore",
    summary="Take an agent out of the bin",
    responses=describe_errors(404),
    status_code=200,
    sync_to_thread=True,
)
def restore_agent(zoo: ZooDependency, agent_id: FromPath[str]) -> Response[Agent]:
    """With its brain, as it was."""
    found = zoo.agents.restore(agent_id, source="web")
    return Response(found, headers=make_etag_headers(found))


@delete(
    "/bin/{agent_id:str}",
    summary="Delete an agent for good",
    responses=describe_errors(404),
    sync_to_thread=True,
)
def purge_agent(zoo: ZooDependency, agent_id: FromPath[str]) -> None:
    """Only what is in the bin can be."""
    zoo.agents.purge(agent_id, source="web")


def _update_agent(
    zoo: Zoo, agent_id: str, body: AgentChanges, version: int | None
) -> Response[Agent]:
    if body.id is not UNSET and body.id != agent_id:
        raise InvalidAgentError([FieldError("id", "The id of an agent cannot be changed")])
    found = zoo.agents.update(agent_id, get_changes(body), version=version, source="web")
    return Response(found, headers=make_etag_headers(found))


def _make_agent_with_brain(zoo: Zoo, agent: Agent, *, has_brain: bool) -> WholeAgent:
    known = msgspec.structs.asdict(agent)
    if not has_brain:
        return WholeAgent(**known)
    return WholeAgent(**known, brain_entries=zoo.brain.query_entries(agent.id).items)


AGENT_ROUTES = [
    *(list_agents, list_summaries, create_agent, get_agent, put_agent, patch_agent),
    *(delete_agent, duplicate_agent, list_bin, restore_agent, purge_agent),
]


VERSIONS_PATH = "/agents/{agent_id:str}/versions"
VERSION_ERRORS = describe_errors(400, 404)
VersionNumber = Annotated[int, PathParameter(ge=1, le=2**31 - 1)]


@get(
    VERSIONS_PATH,
    summary="List the versions of an agent",
    responses=VERSION_ERRORS,
    sync_to_thread=True,
)
def list_versions(zoo: ZooDependency, agent_id: FromPath[str]) -> list[AgentVersion]:
    """The latest first, without what the agent was."""
    return zoo.history.list_versions(agent_id)


@get(
    f"{VERSIONS_PATH}/{{number:int}}",
    summary="Get a version of an agent",
    responses=VERSION_ERRORS,
    sync_to_thread=True,
)
def get_version(zoo: ZooDependency, agent_id: FromPath[str], number: VersionNumber) -> AgentVersion:
    """With what the agent was."""
    return zoo.history.get_version(agent_id, number)


@post(
    f"{VERSIONS_PATH}/{{number:int}}/restore",
    summary="Make an agent what it was",
    responses=VERSION_ERRORS,
    status_code=200,
    sync_to_thread=True,
)
def restore_version(
    zoo: ZooDependency, agent_id: FromPath[str], number: VersionNumber
) -> Response[Agent]:
    """As a new version; nothing of the history is lost."""
    found = zoo.history.restore_version(agent_id, number, source="web")
    return Response(found, headers=make_etag_headers(found))


@get(
    f"{VERSIONS_PATH}/{{before:int}}/diff/{{after:int}}",
    summary="Compare two versions of an agent",
    responses=VERSION_ERRORS,
    sync_to_thread=True,
)
def diff_versions(
    zoo: ZooDependency, agent_id: FromPath[str], before: VersionNumber, after: VersionNumber
) -> list[FieldChange]:
    """Field by field, and skill by skill."""
    return zoo.history.diff_versions(agent_id, before, after)


VERSION_ROUTES = [list_versions, get_version, restore_version, diff_versions]


INJECTION_ERRORS = describe_errors(400, 404)


@get(
    "/agents/{agent_id:str}/preview",
    summary="See what would be injected",
    responses=INJECTION_ERRORS,
    sync_to_thread=True,
)
def preview(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    memory: FromQuery[bool | None] = None,
    budget: Annotated[
        int | None, QueryParameter(ge=0, le=1_000_000, description="Tokens for the memory.")
    ] = None,
    workspace_id: Annotated[str | None, QueryParameter(name="workspaceId", max_length=500)] = None,
) -> Injection:
    """The exact text, section by section, with estimates of its tokens. Nobody is told of it."""
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
    """The same text, and an event `agent:injected`."""
    said = data or InjectBody()
    return zoo.injector.inject(
        agent_id,
        memory=said.memory,
        budget_tokens=said.budget_tokens,
        workspace_id=said.workspace_id,
        source="web",
    ).injection


INJECTION_ROUTES = [preview, inject]
