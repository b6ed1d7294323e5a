"""Routes of an agent's earlier versions."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, get, post
from litestar.params import FromPath, PathParameter

from paddock.zoo.model import Agent, AgentVersion, FieldChange
from paddock.zoo.rest.answers import described
from paddock.zoo.rest.parameters import TheZoo, tag_of

VERSIONS = "/agents/{agent_id:str}/versions"
ERRORS = described(400, 404)
Number = Annotated[int, PathParameter(ge=1, le=2**31 - 1)]


@get(VERSIONS, summary="List the versions of an agent", responses=ERRORS, sync_to_thread=True)
def list_versions(zoo: TheZoo, agent_id: FromPath[str]) -> list[AgentVersion]:
    """The latest first, without what the agent was."""
    return zoo.versions(agent_id)


@get(
    f"{VERSIONS}/{{number:int}}",
    summary="Get a version of an agent",
    responses=ERRORS,
    sync_to_thread=True,
)
def get_version(zoo: TheZoo, agent_id: FromPath[str], number: Number) -> AgentVersion:
    """With what the agent was."""
    return zoo.get_version(agent_id, number)


@post(
    f"{VERSIONS}/{{number:int}}/restore",
    summary="Make an agent what it was",
    responses=ERRORS,
    status_code=200,
    sync_to_thread=True,
)
def restore_version(zoo: TheZoo, agent_id: FromPath[str], number: Number) -> Response[Agent]:
    """As a new version; nothing of the history is lost."""
    found = zoo.restore_version(agent_id, number, source="web")
    return Response(found, headers=tag_of(found))


@get(
    f"{VERSIONS}/{{before:int}}/diff/{{after:int}}",
    summary="Compare two versions of an agent",
    responses=ERRORS,
    sync_to_thread=True,
)
def diff_versions(
    zoo: TheZoo, agent_id: FromPath[str], before: Number, after: Number
) -> list[FieldChange]:
    """Field by field, and skill by skill."""
    return zoo.diff_versions(agent_id, before, after)


ROUTES = [list_versions, get_version, restore_version, diff_versions]
