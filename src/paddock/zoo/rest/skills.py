"""Routes of an agent's skills and their categories. Every change answers with the whole agent."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, delete, get, patch, post, put
from litestar.params import FromPath, JSONBody, QueryParameter

from paddock.zoo.model import Agent, SkillFinding
from paddock.zoo.rest.answers import described
from paddock.zoo.rest.bodies import (
    CategoryChanges,
    NewCategoryBody,
    NewSkillBody,
    OrderBody,
    SkillChanges,
    ToggleBody,
    changes_of,
    said_in,
)
from paddock.zoo.rest.parameters import Expected, TheZoo, tag_of

SKILLS = "/agents/{agent_id:str}/skills"
SKILL = "/agents/{agent_id:str}/skills/{skill_id:str}"
CATEGORIES = "/agents/{agent_id:str}/categories"
CATEGORY = "/agents/{agent_id:str}/categories/{category_id:str}"
ERRORS = described(400, 404, 412)


@post(SKILLS, summary="Add a skill", responses=ERRORS, sync_to_thread=True)
def add_skill(
    zoo: TheZoo, agent_id: FromPath[str], data: JSONBody[NewSkillBody], expected: Expected
) -> Response[Agent]:
    """At the end; its id is made from the given one or from the name."""
    return _answer(zoo.add_skill(agent_id, said_in(data), version=expected, source="web"))


@put(f"{SKILLS}/order", summary="Arrange the skills", responses=ERRORS, sync_to_thread=True)
def order_skills(
    zoo: TheZoo, agent_id: FromPath[str], data: JSONBody[OrderBody], expected: Expected
) -> Response[Agent]:
    """Skills are injected in this order."""
    return _answer(zoo.order_skills(agent_id, data.ids, version=expected, source="web"))


@patch(SKILL, summary="Change a skill", responses=ERRORS, sync_to_thread=True)
def update_skill(
    zoo: TheZoo,
    agent_id: FromPath[str],
    skill_id: FromPath[str],
    data: JSONBody[SkillChanges],
    expected: Expected,
) -> Response[Agent]:
    """What is left out stays."""
    return _answer(
        zoo.update_skill(agent_id, skill_id, changes_of(data), version=expected, source="web")
    )


@delete(SKILL, summary="Delete a skill", responses=ERRORS, status_code=200, sync_to_thread=True)
def delete_skill(
    zoo: TheZoo, agent_id: FromPath[str], skill_id: FromPath[str], expected: Expected
) -> Response[Agent]:
    """The history of the agent keeps it."""
    return _answer(zoo.delete_skill(agent_id, skill_id, version=expected, source="web"))


@post(
    f"{SKILL}/toggle",
    summary="Enable or disable a skill",
    responses=ERRORS,
    status_code=200,
    sync_to_thread=True,
)
def toggle_skill(
    zoo: TheZoo,
    agent_id: FromPath[str],
    skill_id: FromPath[str],
    expected: Expected,
    data: JSONBody[ToggleBody | None] = None,
) -> Response[Agent]:
    """With `enabled` it may be sent twice and does the same; without, it turns it round."""
    enabled = None if data is None else data.enabled
    return _answer(zoo.toggle_skill(agent_id, skill_id, enabled, version=expected, source="web"))


@post(CATEGORIES, summary="Add a category", responses=ERRORS, sync_to_thread=True)
def add_category(
    zoo: TheZoo, agent_id: FromPath[str], data: JSONBody[NewCategoryBody], expected: Expected
) -> Response[Agent]:
    """Without a colour it gets the first one that no other category has."""
    return _answer(zoo.add_category(agent_id, said_in(data), version=expected, source="web"))


@patch(CATEGORY, summary="Change a category", responses=ERRORS, sync_to_thread=True)
def update_category(
    zoo: TheZoo,
    agent_id: FromPath[str],
    category_id: FromPath[str],
    data: JSONBody[CategoryChanges],
    expected: Expected,
) -> Response[Agent]:
    """What is left out stays."""
    return _answer(
        zoo.update_category(agent_id, category_id, changes_of(data), version=expected, source="web")
    )


@delete(
    CATEGORY, summary="Delete a category", responses=ERRORS, status_code=200, sync_to_thread=True
)
def delete_category(
    zoo: TheZoo,
    agent_id: FromPath[str],
    category_id: FromPath[str],
    expected: Expected,
    move_to: Annotated[
        str | None,
        QueryParameter(
            name="moveTo", max_length=200, description="The category that its skills go to."
        ),
    ] = None,
) -> Response[Agent]:
    """Its skills go to the one that is named, or else to the first that is left."""
    return _answer(
        zoo.delete_category(agent_id, category_id, move_to, version=expected, source="web")
    )


@get(
    "/agents/{agent_id:str}/skill-findings",
    summary="Find what is odd about the skills",
    responses=described(404),
    sync_to_thread=True,
)
def skill_findings(zoo: TheZoo, agent_id: FromPath[str]) -> list[SkillFinding]:
    """Duplicates, conflicts, and requirements that are missing or disabled."""
    return zoo.skill_findings(agent_id)


def _answer(agent: Agent) -> Response[Agent]:
    return Response(agent, headers=tag_of(agent))


ROUTES = [
    *(add_skill, order_skills, update_skill, delete_skill, toggle_skill),
    *(add_category, update_category, delete_category, skill_findings),
]
