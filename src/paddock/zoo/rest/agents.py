"""Routes of agents: listed, made, changed, put into the bin and taken out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from litestar import Response, delete, get, patch, post, put
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import UNSET, UnsetType

from paddock.zoo.errors import InvalidAgentError, Issue
from paddock.zoo.model import Agent, AgentSummary, BrainEntry, Page
from paddock.zoo.rest.answers import described
from paddock.zoo.rest.bodies import AgentChanges, DuplicateBody, NewAgentBody, changes_of
from paddock.zoo.rest.parameters import Cursor, Expected, Limit, TheZoo, page_headers, tag_of

if TYPE_CHECKING:
    from paddock.zoo.service import Zoo

Text = Annotated[
    str | None,
    QueryParameter(name="text", max_length=200, description="Words in the name or description."),
]
Tag = Annotated[str | None, QueryParameter(name="tag", max_length=100)]
Archived = Annotated[
    bool, QueryParameter(name="archived", description="Whether those that are archived are meant.")
]


class WholeAgent(Agent, rename="camel", kw_only=True):
    """An agent, with its brain where that was asked for."""

    brain_entries: list[BrainEntry] | UnsetType = UNSET


@get("/agents", summary="List whole agents", responses=described(400), sync_to_thread=True)
def list_agents(
    zoo: TheZoo,
    text: Text = None,
    tag: Tag = None,
    archived: Archived = False,
    brain: Annotated[bool, QueryParameter(description="With their brain entries.")] = False,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[list[WholeAgent]]:
    """In the order in which they were made. `X-Next-Cursor` leads to the next page."""
    page = zoo.list_whole_agents(archived=archived, text=text, tag=tag, limit=limit, cursor=cursor)
    found = [_whole(zoo, agent, has_brain=brain) for agent in page.items]
    return Response(found, headers=page_headers(page.next_cursor))


@get("/agents/summaries", summary="List agents", responses=described(400), sync_to_thread=True)
def list_summaries(
    zoo: TheZoo,
    text: Text = None,
    tag: Tag = None,
    archived: Archived = False,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[AgentSummary]:
    """What a list shows of each agent."""
    return zoo.list_agents(archived=archived, text=text, tag=tag, limit=limit, cursor=cursor)


@post("/agents", summary="Make an agent", responses=described(400), sync_to_thread=True)
def create_agent(zoo: TheZoo, data: JSONBody[NewAgentBody | None] = None) -> Response[Agent]:
    """Its id is made from the given one or from the name; `-2`, `-3` … where that is taken."""
    body = data or NewAgentBody()
    made = zoo.create_agent({**changes_of(body), "id": body.id}, source="web")
    return Response(made, headers=tag_of(made))


@get(
    "/agents/{agent_id:str}", summary="Get an agent", responses=described(404), sync_to_thread=True
)
def get_agent(
    zoo: TheZoo,
    agent_id: FromPath[str],
    brain: Annotated[bool, QueryParameter(description="With its brain entries.")] = False,
) -> Response[WholeAgent]:
    """With everything but its brain, unless that is asked for."""
    found = zoo.get_agent(agent_id)
    return Response(_whole(zoo, found, has_brain=brain), headers=tag_of(found))


@put(
    "/agents/{agent_id:str}",
    summary="Change an agent",
    responses=described(400, 404, 412),
    sync_to_thread=True,
)
def put_agent(
    zoo: TheZoo, agent_id: FromPath[str], data: JSONBody[AgentChanges], expected: Expected
) -> Response[Agent]:
    """The same as PATCH: what is left out stays."""
    return _changed(zoo, agent_id, data, expected)


@patch(
    "/agents/{agent_id:str}",
    summary="Change an agent",
    responses=described(400, 404, 412),
    sync_to_thread=True,
)
def patch_agent(
    zoo: TheZoo, agent_id: FromPath[str], data: JSONBody[AgentChanges], expected: Expected
) -> Response[Agent]:
    """What is left out stays. A whole agent may be sent back; its id cannot be changed."""
    return _changed(zoo, agent_id, data, expected)


@delete(
    "/agents/{agent_id:str}",
    summary="Put an agent into the bin",
    responses=described(404, 412),
    sync_to_thread=True,
)
def delete_agent(zoo: TheZoo, agent_id: FromPath[str], expected: Expected) -> None:
    """It can be restored from there."""
    zoo.delete_agent(agent_id, version=expected, source="web")


@post(
    "/agents/{agent_id:str}/duplicate",
    summary="Copy an agent",
    responses=described(400, 404),
    sync_to_thread=True,
)
def duplicate_agent(
    zoo: TheZoo, agent_id: FromPath[str], data: JSONBody[DuplicateBody | None] = None
) -> Response[Agent]:
    """With soul and skills, and an empty brain."""
    made = zoo.duplicate_agent(agent_id, None if data is None else data.name, source="web")
    return Response(made, headers=tag_of(made))


@get("/bin", summary="List what is in the bin", sync_to_thread=True)
def list_bin(zoo: TheZoo) -> list[AgentSummary]:
    """The agents that were deleted and can be restored, the latest first."""
    return zoo.bin()


@post(
    "/agents/{agent_id:str}/restore",
    summary="Take an agent out of the bin",
    responses=described(404),
    status_code=200,
    sync_to_thread=True,
)
def restore_agent(zoo: TheZoo, agent_id: FromPath[str]) -> Response[Agent]:
    """With its brain, as it was."""
    found = zoo.restore_agent(agent_id, source="web")
    return Response(found, headers=tag_of(found))


@delete(
    "/bin/{agent_id:str}",
    summary="Delete an agent for good",
    responses=described(404),
    sync_to_thread=True,
)
def purge_agent(zoo: TheZoo, agent_id: FromPath[str]) -> None:
    """Only what is in the bin can be."""
    zoo.purge_agent(agent_id, source="web")


def _changed(zoo: Zoo, agent_id: str, body: AgentChanges, version: int | None) -> Response[Agent]:
    if body.id is not UNSET and body.id != agent_id:
        raise InvalidAgentError([Issue("id", "The id of an agent cannot be changed")])
    found = zoo.update_agent(agent_id, changes_of(body), version=version, source="web")
    return Response(found, headers=tag_of(found))


def _whole(zoo: Zoo, agent: Agent, *, has_brain: bool) -> WholeAgent:
    known = msgspec.structs.asdict(agent)
    if not has_brain:
        return WholeAgent(**known)
    return WholeAgent(**known, brain_entries=zoo.query_entries(agent.id).items)


ROUTES = [
    *(list_agents, list_summaries, create_agent, get_agent, put_agent, patch_agent),
    *(delete_agent, duplicate_agent, list_bin, restore_agent, purge_agent),
]
