"""Routes of an agent's skills and skill categories. Every change returns the complete agent."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, delete, get, patch, post, put
from litestar.params import FromPath, JSONBody, QueryParameter

from paddock.zoo.model import Agent, SkillFinding
from paddock.zoo.rest.error_responses import describe_errors
from paddock.zoo.rest.parameters import ExpectedVersion, ZooDependency, make_etag_headers
from paddock.zoo.rest.request_bodies import (
    CategoryChanges,
    NewCategoryBody,
    NewSkillBody,
    OrderBody,
    SkillChanges,
    ToggleBody,
    get_changes,
    get_given_fields,
)

SKILLS_PATH = "/agents/{agent_id:str}/skills"
SKILL_PATH = "/agents/{agent_id:str}/skills/{skill_id:str}"
CATEGORIES_PATH = "/agents/{agent_id:str}/categories"
CATEGORY_PATH = "/agents/{agent_id:str}/categories/{category_id:str}"
SKILL_ERRORS = describe_errors(400, 404, 412)


@post(SKILLS_PATH, summary="Add a skill", responses=SKILL_ERRORS, sync_to_thread=True)
def add_skill(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    data: JSONBody[NewSkillBody],
    expected: ExpectedVersion,
) -> Response[Agent]:
    """Append a skill. Its ID is derived from the given one or from the name."""
    return _make_agent_response(
        zoo.skills.add(agent_id, get_given_fields(data), version=expected, source="web")
    )


@put(
    f"{SKILLS_PATH}/order",
    summary="Reorder the skills",
    responses=SKILL_ERRORS,
    sync_to_thread=True,
)
def order_skills(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    data: JSONBody[OrderBody],
    expected: ExpectedVersion,
) -> Response[Agent]:
    """Change the order in which skills are injected."""
    return _make_agent_response(
        zoo.skills.reorder(agent_id, data.ids, version=expected, source="web")
    )


@patch(SKILL_PATH, summary="Change a skill", responses=SKILL_ERRORS, sync_to_thread=True)
def update_skill(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    skill_id: FromPath[str],
    data: JSONBody[SkillChanges],
    expected: ExpectedVersion,
) -> Response[Agent]:
    """Change fields of a skill. Omitted fields stay as they are."""
    return _make_agent_response(
        zoo.skills.update(agent_id, skill_id, get_changes(data), version=expected, source="web")
    )


@delete(
    SKILL_PATH,
    summary="Delete a skill",
    responses=SKILL_ERRORS,
    status_code=200,
    sync_to_thread=True,
)
def delete_skill(
    zoo: ZooDependency, agent_id: FromPath[str], skill_id: FromPath[str], expected: ExpectedVersion
) -> Response[Agent]:
    """Delete a skill. Earlier versions of the agent still contain it."""
    return _make_agent_response(
        zoo.skills.delete(agent_id, skill_id, version=expected, source="web")
    )


@post(
    f"{SKILL_PATH}/toggle",
    summary="Enable or disable a skill",
    responses=SKILL_ERRORS,
    status_code=200,
    sync_to_thread=True,
)
def toggle_skill(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    skill_id: FromPath[str],
    expected: ExpectedVersion,
    data: JSONBody[ToggleBody | None] = None,
) -> Response[Agent]:
    """Enable or disable a skill. Without `enabled`, invert its state."""
    enabled = None if data is None else data.enabled
    return _make_agent_response(
        zoo.skills.toggle(agent_id, skill_id, enabled, version=expected, source="web")
    )


@post(CATEGORIES_PATH, summary="Add a category", responses=SKILL_ERRORS, sync_to_thread=True)
def add_category(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    data: JSONBody[NewCategoryBody],
    expected: ExpectedVersion,
) -> Response[Agent]:
    """Append a category. By default it gets a color that no other category has."""
    return _make_agent_response(
        zoo.skills.add_category(agent_id, get_given_fields(data), version=expected, source="web")
    )


@patch(CATEGORY_PATH, summary="Change a category", responses=SKILL_ERRORS, sync_to_thread=True)
def update_category(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    category_id: FromPath[str],
    data: JSONBody[CategoryChanges],
    expected: ExpectedVersion,
) -> Response[Agent]:
    """Change fields of a category. Omitted fields stay as they are."""
    return _make_agent_response(
        zoo.skills.update_category(
            agent_id, category_id, get_changes(data), version=expected, source="web"
        )
    )


@delete(
    CATEGORY_PATH,
    summary="Delete a category",
    responses=SKILL_ERRORS,
    status_code=200,
    sync_to_thread=True,
)
def delete_category(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    category_id: FromPath[str],
    expected: ExpectedVersion,
    move_to: Annotated[
        str | None,
        QueryParameter(
            name="moveTo", max_length=200, description="The category that receives the skills."
        ),
    ] = None,
) -> Response[Agent]:
    """Delete a category. Its skills move to `moveTo`, or to the first remaining one."""
    return _make_agent_response(
        zoo.skills.delete_category(agent_id, category_id, move_to, version=expected, source="web")
    )


@get(
    "/agents/{agent_id:str}/skill-findings",
    summary="Check the skills",
    responses=describe_errors(404),
    sync_to_thread=True,
)
def skill_findings(zoo: ZooDependency, agent_id: FromPath[str]) -> list[SkillFinding]:
    """Return duplicates, contradictions, and requirements that are missing or disabled."""
    return zoo.skills.list_findings(agent_id)


def _make_agent_response(agent: Agent) -> Response[Agent]:
    return Response(agent, headers=make_etag_headers(agent))


SKILL_ROUTES = [
    *(add_skill, order_skills, update_skill, delete_skill, toggle_skill),
    *(add_category, update_category, delete_category, skill_findings),
]
