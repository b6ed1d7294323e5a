"""Routes of agents: listed, made, changed, put into the bin and taken out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from litestar import Response, delete, get, patch, post, put
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import UNSET, UnsetType

from paddock.zoo.errors import InvalidAgentError, FieldError
from paddock.zoo.model import Agent, AgentSummary, BrainEntry, Page
from paddock.zoo.rest.answers import describe_errors
from paddock.zoo.rest.bodies import AgentChanges, DuplicateBody, NewAgentBody, get_changes
from paddock.zoo.rest.parameters import CursorQuery, ExpectedVersion, LimitQuery, ZooDependency, make_page_headers, make_etag_headers

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
    page = zoo.list_whole_agents(archived=archived, text=text, tag=tag, limit=limit, cursor=cursor)
    found = [_make_agent_with_brain(zoo, agent, has_brain=brain) for agent in page.items]
    return Response(found, headers=make_page_headers(page.next_cursor))


@get("/agents/summaries", summary="List agents", responses=describe_errors(400), sync_to_thread=True)
def list_summaries(
    zoo: ZooDependency,
    text: TextQuery = None,
    tag: TagQuery = None,
    archived: ArchivedQuery = False,
    limit: LimitQuery = None,
    cursor: CursorQuery = None,
) -> Page[AgentSummary]:
    """What a list shows of each agent."""
    return zoo.list_agents(archived=archived, text=text, tag=tag, limit=limit, cursor=cursor)


@post("/agents", summary="Make an agent", responses=describe_errors(400), sync_to_thread=True)
def create_agent(zoo: ZooDependency, data: JSONBody[NewAgentBody | None] = None) -> Response[Agent]:
    """Its id is made from the given one or from the name; `-2`, `-3` … where that is taken."""
    body = data or NewAgentBody()
    made = zoo.create_agent({**get_changes(body), "id": body.id}, source="web")
    return Response(made, headers=make_etag_headers(made))


@get(
    "/agents/{agent_id:str}", summary="Get an agent", responses=describe_errors(404), sync_to_thread=True
)
def get_agent(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    brain: Annotated[bool, QueryParameter(description="With its brain entries.")] = False,
) -> Response[WholeAgent]:
    """With everything but its brain, unless that is asked for."""
    found = zoo.get_agent(agent_id)
    return Response(_make_agent_with_brain(zoo, found, has_brain=brain), headers=make_etag_headers(found))


@put(
    "/agents/{agent_id:str}",
    summary="Change an agent",
    responses=describe_errors(400, 404, 412),
    sync_to_thread=True,
)
def put_agent(
    zoo: ZooDependency, agent_id: FromPath[str], data: JSONBody[AgentChanges], expected: ExpectedVersion
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
    zoo: ZooDependency, agent_id: FromPath[str], data: JSONBody[AgentChanges], expected: ExpectedVersion
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
    zoo.delete_agent(agent_id, version=expected, source="web")


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
    made = zoo.duplicate_agent(agent_id, None if data is None else data.name, source="web")
    return Response(made, headers=make_etag_headers(made))


@get("/bin", summary="List what is in the bin", sync_to_thread=True)
def list_bin(zoo: ZooDependency) -> list[AgentSummary]:
    """The agents that were deleted and can be restored, the latest first."""
    return zoo.bin()


@post(
    "/agents/{agent_id:str}/restore",
    summary="Take an agent out of the bin",
    responses=describe_errors(404),
    status_code=200,
    sync_to_thread=True,
)
def restore_agent(zoo: ZooDependency, agent_id: FromPath[str]) -> Response[Agent]:
    """With its brain, as it was."""
    found = zoo.restore_agent(agent_id, source="web")
    return Response(found, headers=make_etag_headers(found))


@delete(
    "/bin/{agent_id:str}",
    summary="Delete an agent for good",
    responses=describe_errors(404),
    sync_to_thread=True,
)
def purge_agent(zoo: ZooDependency, agent_id: FromPath[str]) -> None:
    """Only what is in the bin can be."""
    zoo.purge_agent(agent_id, source="web")


def _update_agent(zoo: Zoo, agent_id: str, body: AgentChanges, version: int | None) -> Response[Agent]:
    if body.id is not UNSET and body.id != agent_id:
        raise InvalidAgentError([FieldError("id", "The id of an agent cannot be changed")])
    found = zoo.update_agent(agent_id, get_changes(body), version=version, source="web")
    return Response(found, headers=make_etag_headers(found))


def _make_agent_with_brain(zoo: Zoo, agent: Agent, *, has_brain: bool) -> WholeAgent:
    known = msgspec.structs.asdict(agent)
    if not has_brain:
        return WholeAgent(**known)
    return WholeAgent(**known, brain_entries=zoo.query_entries(agent.id).items)


AGENT_ROUTES = [
    *(list_agents, list_summaries, create_agent, get_agent, put_agent, patch_agent),
    *(delete_agent, duplicate_agent, list_bin, restore_agent, purge_agent),
]
