"""Routes of what makes a model take the part of an agent."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from paddock.zoo.model import Injection
from paddock.zoo.rest.answers import describe_errors
from paddock.zoo.rest.bodies import InjectBody
from paddock.zoo.rest.parameters import ZooDependency

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
    return zoo.preview(agent_id, memory=memory, budget_tokens=budget, workspace_id=workspace_id)


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
    return zoo.inject(
        agent_id,
        memory=said.memory,
        budget_tokens=said.budget_tokens,
        workspace_id=said.workspace_id,
        source="web",
    )


INJECTION_ROUTES = [preview, inject]
