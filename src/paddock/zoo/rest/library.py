"""Routes of the library: skills that agents can get copies of, and packs of them."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, delete, get, patch, post
from litestar.params import FromPath, JSONBody, QueryParameter

from paddock.zoo.model import Agent, AgentSummary, LibrarySkill, Pack
from paddock.zoo.rest.error_responses import describe_errors
from paddock.zoo.rest.parameters import ExpectedVersion, ZooDependency, make_etag_headers
from paddock.zoo.rest.request_bodies import (
    CopyBody,
    LibrarySkillChanges,
    NewLibrarySkillBody,
    NewPackBody,
    PackChanges,
    get_changes,
    get_given_fields,
)

LIBRARY_SKILL_PATH = "/library/skills/{skill_id:str}"
PACK_PATH = "/library/packs/{pack_id:str}"
LIBRARY_ERRORS = describe_errors(400, 404, 412)


@get("/library/skills", summary="List the skills of the library", sync_to_thread=True)
def list_skills(
    zoo: ZooDependency,
    text: Annotated[str | None, QueryParameter(max_length=200)] = None,
    tag: Annotated[str | None, QueryParameter(max_length=100)] = None,
    pack_id: Annotated[str | None, QueryParameter(name="packId", max_length=100)] = None,
) -> list[LibrarySkill]:
    """Return skills in order of creation."""
    return zoo.library.list_skills(text=text, pack_id=pack_id, tag=tag)


@post(
    "/library/skills",
    summary="Add a skill to the library",
    responses=describe_errors(400, 404),
    sync_to_thread=True,
)
def create_skill(zoo: ZooDependency, data: JSONBody[NewLibrarySkillBody]) -> Response[LibrarySkill]:
    """Add a skill. Its ID is derived from the given one or from the name."""
    return _make_skill_response(zoo.library.create_skill(get_given_fields(data), source="web"))


@patch(
    LIBRARY_SKILL_PATH,
    summary="Change a skill of the library",
    responses=LIBRARY_ERRORS,
    sync_to_thread=True,
)
def update_skill(
    zoo: ZooDependency,
    skill_id: FromPath[str],
    data: JSONBody[LibrarySkillChanges],
    expected: ExpectedVersion,
) -> Response[LibrarySkill]:
    """Change fields of a skill. Copies in agents do not change."""
    changes = get_changes(data)
    return _make_skill_response(
        zoo.library.update_skill(skill_id, changes, version=expected, source="web")
    )


@delete(
    LIBRARY_SKILL_PATH,
    summary="Delete a skill of the library",
    responses=LIBRARY_ERRORS,
    sync_to_thread=True,
)
def delete_skill(zoo: ZooDependency, skill_id: FromPath[str], expected: ExpectedVersion) -> None:
    """Delete a skill. Copies in agents remain."""
    zoo.library.delete_skill(skill_id, version=expected, source="web")


@get(
    f"{LIBRARY_SKILL_PATH}/agents",
    summary="List the agents with a copy of a skill",
    sync_to_thread=True,
)
def list_holders(zoo: ZooDependency, skill_id: FromPath[str]) -> list[AgentSummary]:
    """Return the agents that have a copy of the skill."""
    return zoo.library.list_agents_with_copy(skill_id)


@get("/library/packs", summary="List the packs", sync_to_thread=True)
def list_packs(zoo: ZooDependency) -> list[Pack]:
    """Return packs in order of creation."""
    return zoo.library.list_packs()


@post(
    "/library/packs", summary="Create a pack", responses=describe_errors(400), sync_to_thread=True
)
def create_pack(zoo: ZooDependency, data: JSONBody[NewPackBody]) -> Response[Pack]:
    """Create an empty pack. Skills name the pack that they belong to."""
    return _make_pack_response(zoo.library.create_pack(get_given_fields(data), source="web"))


@patch(PACK_PATH, summary="Change a pack", responses=LIBRARY_ERRORS, sync_to_thread=True)
def update_pack(
    zoo: ZooDependency,
    pack_id: FromPath[str],
    data: JSONBody[PackChanges],
    expected: ExpectedVersion,
) -> Response[Pack]:
    """Change fields of a pack. Omitted fields stay as they are."""
    return _make_pack_response(
        zoo.library.update_pack(pack_id, get_changes(data), version=expected, source="web")
    )


@delete(PACK_PATH, summary="Delete a pack", responses=LIBRARY_ERRORS, sync_to_thread=True)
def delete_pack(zoo: ZooDependency, pack_id: FromPath[str], expected: ExpectedVersion) -> None:
    """Delete a pack. Its skills remain in the library."""
    zoo.library.delete_pack(pack_id, version=expected, source="web")


@post(
    "/library/copy",
    summary="Copy library skills to an agent",
    responses=LIBRARY_ERRORS,
    status_code=200,
    sync_to_thread=True,
)
def copy_to_agent(
    zoo: ZooDependency, data: JSONBody[CopyBody], expected: ExpectedVersion
) -> Response[Agent]:
    """Copy skills and what they require, unless the agent already has a copy."""
    agent = zoo.library.copy_to_agent(
        data.agent_id, data.skill_ids, pack_id=data.pack_id, version=expected, source="web"
    )
    return Response(agent, headers=make_etag_headers(agent))


def _make_skill_response(skill: LibrarySkill) -> Response[LibrarySkill]:
    return Response(skill, headers=make_etag_headers(skill))


def _make_pack_response(pack: Pack) -> Response[Pack]:
    return Response(pack, headers=make_etag_headers(pack))


LIBRARY_ROUTES = [
    *(list_skills, create_skill, update_skill, delete_skill, list_holders),
    *(list_packs, create_pack, update_pack, delete_pack, copy_to_agent),
]
