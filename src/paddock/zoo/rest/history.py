"""Routes of an agent's earlier versions."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, get, post
from litestar.params import FromPath, PathParameter

from paddock.zoo.model import Agent, AgentVersion, FieldChange
from paddock.zoo.rest.answers import describe_errors
from paddock.zoo.rest.parameters import ZooDependency, make_etag_headers

VERSIONS_PATH = "/agents/{agent_id:str}/versions"
VERSION_ERRORS = describe_errors(400, 404)
VersionNumber = Annotated[int, PathParameter(ge=1, le=2**31 - 1)]


@get(VERSIONS_PATH, summary="List the versions of an agent", responses=VERSION_ERRORS, sync_to_thread=True)
def list_versions(zoo: ZooDependency, agent_id: FromPath[str]) -> list[AgentVersion]:
    """The latest first, without what the agent was."""
    return zoo.versions(agent_id)


@get(
    f"{VERSIONS_PATH}/{{number:int}}",
    summary="Get a version of an agent",
    responses=VERSION_ERRORS,
    sync_to_thread=True,
)
def get_version(zoo: ZooDependency, agent_id: FromPath[str], number: VersionNumber) -> AgentVersion:
    """With what the agent was."""
    return zoo.get_version(agent_id, number)


@post(
    f"{VERSIONS_PATH}/{{number:int}}/restore",
    summary="Make an agent what it was",
    responses=VERSION_ERRORS,
    status_code=200,
    sync_to_thread=True,
)
def restore_version(zoo: ZooDependency, agent_id: FromPath[str], number: VersionNumber) -> Response[Agent]:
    """As a new version; nothing of the history is lost."""
    found = zoo.restore_version(agent_id, number, source="web")
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
    return zoo.diff_versions(agent_id, before, after)


VERSION_ROUTES = [list_versions, get_version, restore_version, diff_versions]
