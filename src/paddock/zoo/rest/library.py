"""Routes for the library: skills that can be copied to agents, and skill packs."""

from __future__ import annotations

from typing import Annotated

from litestar import delete, get, patch, post
from litestar.params import FromPath, JSONBody, QueryParameter

from paddock.zoo.model import Agent, AgentSummary, LibrarySkill, Pack
from paddock.zoo.rest.error_responses import declare_route
from paddock.zoo.rest.parameters import ExpectedVersion, ZooDependency
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
LIBRARY_ERRORS = (400, 404, 412)


@declare_route(get, "/library/skills", "List the skills of the library")
def list_skills(
    zoo: ZooDependency,
    text: Annotated[str | None, QueryParameter(max_length=200)] = None,
    tag: Annotated[str | None, QueryParameter(max_length=100)] = None,
    pack_id: Annotated[str | None, QueryParameter(name="packId", max_length=100)] = None,
) -> list[LibrarySkill]:
    """Return skills in order of creation."""
    return zoo.library.list_skills(text=text, pack_id=pack_id, tag=tag)


@declare_route(post, "/library/skills", "Add a skill to the library", errors=(400, 404))
def create_skill(zoo: ZooDependency, data: JSONBody[NewLibrarySkillBody]) -> LibrarySkill:
    """Add a skill. Its ID is derived from the given one or from the name."""
    return zoo.library.create_skill(get_given_fields(data))


@declare_route(patch, LIBRARY_SKILL_PATH, "Change a skill of the library", errors=LIBRARY_ERRORS)
def update_skill(
    zoo: ZooDependency,
    skill_id: FromPath[str],
    data: JSONBody[LibrarySkillChanges],
    expected: ExpectedVersion,
) -> LibrarySkill:
    """Change fields of a skill. Copies in agents do not change."""
    changes = get_changes(data)
    return zoo.library.update_skill(skill_id, changes, version=expected)


@declare_route(delete, LIBRARY_SKILL_PATH, "Delete a skill of the library", errors=LIBRARY_ERRORS)
def delete_skill(zoo: ZooDependency, skill_id: FromPath[str], expected: ExpectedVersion) -> None:
    """Delete a skill. Copies in agents remain."""
    zoo.library.delete_skill(skill_id, version=expected)


@declare_route(get, f"{LIBRARY_SKILL_PATH}/agents", "List the agents with a copy of a skill")
def list_holders(zoo: ZooDependency, skill_id: FromPath[str]) -> list[AgentSummary]:
    """Return the agents that have a copy of the skill."""
    return zoo.library.list_agents_with_copy(skill_id)


@declare_route(get, "/library/packs", "List the packs")
def list_packs(zoo: ZooDependency) -> list[Pack]:
    """Return packs in order of creation."""
    return zoo.library.list_packs()


@declare_route(post, "/library/packs", "Create a pack", errors=(400,))
def create_pack(zoo: ZooDependency, data: JSONBody[NewPackBody]) -> Pack:
    """Create an empty pack. Skills name the pack that they belong to."""
    return zoo.library.create_pack(get_given_fields(data))


@declare_route(patch, PACK_PATH, "Change a pack", errors=LIBRARY_ERRORS)
def update_pack(
    zoo: ZooDependency,
    pack_id: FromPath[str],
    data: JSONBody[PackChanges],
    expected: ExpectedVersion,
) -> Pack:
    """Change fields of a pack. Omitted fields stay as they are."""
    return zoo.library.update_pack(pack_id, get_changes(data), version=expected)


@declare_route(delete, PACK_PATH, "Delete a pack", errors=LIBRARY_ERRORS)
def delete_pack(zoo: ZooDependency, pack_id: FromPath[str], expected: ExpectedVersion) -> None:
    """Delete a pack. Its skills remain in the library."""
    zoo.library.delete_pack(pack_id, version=expected)


@declare_route(
    post, "/library/copy", "Copy library skills to an agent", errors=LIBRARY_ERRORS, status_code=200
)
def copy_to_agent(zoo: ZooDependency, data: JSONBody[CopyBody], expected: ExpectedVersion) -> Agent:
    """Copy skills and what they require, unless the agent already has a copy."""
    return zoo.library.copy_to_agent(
        data.agent_id, data.skill_ids, pack_id=data.pack_id, version=expected
    )


LIBRARY_ROUTES = [
    *(list_skills, create_skill, update_skill, delete_skill, list_holders),
    *(list_packs, create_pack, update_pack, delete_pack, copy_to_agent),
]
