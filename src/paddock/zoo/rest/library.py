"""Routes of the library: skills that any agent can have a copy of, and packs of them."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, delete, get, patch, post
from litestar.params import FromPath, JSONBody, QueryParameter

from paddock.zoo.model import Agent, AgentSummary, LibrarySkill, Pack
from paddock.zoo.rest.answers import described
from paddock.zoo.rest.bodies import (
    CopyBody,
    LibrarySkillChanges,
    NewLibrarySkillBody,
    NewPackBody,
    PackChanges,
    changes_of,
    said_in,
)
from paddock.zoo.rest.parameters import Expected, TheZoo, tag_of

SKILL = "/library/skills/{skill_id:str}"
PACK = "/library/packs/{pack_id:str}"
ERRORS = described(400, 404, 412)


@get("/library/skills", summary="List the skills of the library", sync_to_thread=True)
def list_skills(
    zoo: TheZoo,
    text: Annotated[str | None, QueryParameter(max_length=200)] = None,
    tag: Annotated[str | None, QueryParameter(max_length=100)] = None,
    pack_id: Annotated[str | None, QueryParameter(name="packId", max_length=100)] = None,
) -> list[LibrarySkill]:
    """In the order in which they were made."""
    return zoo.list_library(text=text, pack_id=pack_id, tag=tag)


@post(
    "/library/skills",
    summary="Add a skill to the library",
    responses=described(400, 404),
    sync_to_thread=True,
)
def create_skill(zoo: TheZoo, data: JSONBody[NewLibrarySkillBody]) -> Response[LibrarySkill]:
    """Its id is made from the given one or from the name."""
    return _skill(zoo.create_library_skill(said_in(data), source="web"))


@patch(SKILL, summary="Change a skill of the library", responses=ERRORS, sync_to_thread=True)
def update_skill(
    zoo: TheZoo,
    skill_id: FromPath[str],
    data: JSONBody[LibrarySkillChanges],
    expected: Expected,
) -> Response[LibrarySkill]:
    """What is left out stays. Copies that agents have stay as they are."""
    changes = changes_of(data)
    return _skill(zoo.update_library_skill(skill_id, changes, version=expected, source="web"))


@delete(SKILL, summary="Delete a skill of the library", responses=ERRORS, sync_to_thread=True)
def delete_skill(zoo: TheZoo, skill_id: FromPath[str], expected: Expected) -> None:
    """Copies that agents have stay."""
    zoo.delete_library_skill(skill_id, version=expected, source="web")


@get(f"{SKILL}/agents", summary="See who has a copy of a skill", sync_to_thread=True)
def list_holders(zoo: TheZoo, skill_id: FromPath[str]) -> list[AgentSummary]:
    """The agents that have a copy of it."""
    return zoo.agents_with_copies(skill_id)


@get("/library/packs", summary="List the packs", sync_to_thread=True)
def list_packs(zoo: TheZoo) -> list[Pack]:
    """Skills that go together."""
    return zoo.list_packs()


@post("/library/packs", summary="Make a pack", responses=described(400), sync_to_thread=True)
def create_pack(zoo: TheZoo, data: JSONBody[NewPackBody]) -> Response[Pack]:
    """Empty at first; skills name the pack that they are in."""
    return _pack(zoo.create_pack(said_in(data), source="web"))


@patch(PACK, summary="Change a pack", responses=ERRORS, sync_to_thread=True)
def update_pack(
    zoo: TheZoo, pack_id: FromPath[str], data: JSONBody[PackChanges], expected: Expected
) -> Response[Pack]:
    """What is left out stays."""
    return _pack(zoo.update_pack(pack_id, changes_of(data), version=expected, source="web"))


@delete(PACK, summary="Delete a pack", responses=ERRORS, sync_to_thread=True)
def delete_pack(zoo: TheZoo, pack_id: FromPath[str], expected: Expected) -> None:
    """Its skills stay in the library."""
    zoo.delete_pack(pack_id, version=expected, source="web")


@post(
    "/library/copy",
    summary="Give an agent skills of the library",
    responses=ERRORS,
    status_code=200,
    sync_to_thread=True,
)
def copy_to_agent(zoo: TheZoo, data: JSONBody[CopyBody], expected: Expected) -> Response[Agent]:
    """With what they require; what the agent has a copy of already stays as it is."""
    agent = zoo.copy_to_agent(
        data.agent_id, data.skill_ids, pack_id=data.pack_id, version=expected, source="web"
    )
    return Response(agent, headers=tag_of(agent))


def _skill(skill: LibrarySkill) -> Response[LibrarySkill]:
    return Response(skill, headers=tag_of(skill))


def _pack(pack: Pack) -> Response[Pack]:
    return Response(pack, headers=tag_of(pack))


ROUTES = [
    *(list_skills, create_skill, update_skill, delete_skill, list_holders),
    *(list_packs, create_pack, update_pack, delete_pack, copy_to_agent),
]
