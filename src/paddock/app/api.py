"""The REST API: all routes, their errors and their description.

What the API says of itself, put right where the framework cannot know it, and with examples.

All routes of the zoo.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from litestar import Litestar, Request, Router, get
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.middleware.rate_limit import RateLimitConfig
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from paddock.app.authenticators import SignInError, SignInThrottle, get_request_user, require_admin
from paddock.app.rest import clients, extensions, servers, sign_in
from paddock.app.rest.users import create_users_router
from paddock.client.errors import PeerTimeoutError
from paddock.errors import PaddockError
from paddock.extensions.errors import ExtensionError
from paddock.installer.apps import UnsupportedClientError
from paddock.installer.entry_change import ForeignEntryError
from paddock.named_servers.names import ServerNotFoundError
from paddock.version import __version__
from paddock.zoo.errors import UserExistsError
from paddock.zoo.rest import (
    agents,
    brain,
    error_responses,
    events,
    files,
    library,
    skills,
)
from paddock.zoo.rest.parameters import StrictRequest, parse_if_match

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.app.authenticators import Authenticator
    from paddock.app.instance import InstanceInfo
    from paddock.app.mcp_endpoints import ClientActivityLog, McpEndpointRegistry
    from paddock.zoo.accounts import TeamAccounts
    from paddock.zoo.rest.events import EventFeed
    from paddock.zoo.service import Zoo


Json = dict[str, Any]

PROBLEM_SCHEMA = {"$ref": "#/components/schemas/Problem"}
STRICT_SCHEMA_SUFFIXES = ("Body", "Changes")
"""Endings of the names of what takes no unknown keys."""
UNAUTHENTICATED_PATHS = ("/api/health", "/api/sign-in", "/api/sign-out")
EXAMPLE_AGENT: Json = {
    "name": "Ada",
    "description": "Counts what nobody has counted.",
    "systemPrompt": "You count before you claim.",
    "tags": ["numbers"],
}
EXAMPLE_SKILL: Json = {
    "name": "Check the sums",
    "description": "Add every column twice, from both ends.",
    "whenToUse": "When there is a table of numbers.",
}
EXAMPLE_ENTRY: Json = {
    "type": "decision",
    "content": "Prices are kept in cents.",
    "tags": ["money"],
    "pinned": True,
}
BODY_EXAMPLES: dict[tuple[str, str], Json] = {
    ("post", "/api/agents"): EXAMPLE_AGENT,
    ("put", "/api/agents/{agent_id}"): {"description": "Counts twice."},
    ("patch", "/api/agents/{agent_id}"): {"description": "Counts twice."},
    ("post", "/api/agents/{agent_id}/duplicate"): {"name": "Grace"},
    ("post", "/api/agents/{agent_id}/inject"): {"memory": True, "budgetTokens": 1000},
    ("post", "/api/agents/{agent_id}/skills"): EXAMPLE_SKILL,
    ("patch", "/api/agents/{agent_id}/skills/{skill_id}"): {"enabled": False},
    ("post", "/api/agents/{agent_id}/skills/{skill_id}/toggle"): {"enabled": True},
    ("put", "/api/agents/{agent_id}/skills/order"): {"ids": ["check-the-sums"]},
    ("post", "/api/agents/{agent_id}/categories"): {"name": "Numbers", "color": "#5B5F97"},
    ("post", "/api/agents/{agent_id}/hand-over"): {
        "toAgentId": "grace",
        "summary": "The prices are done; the taxes are not.",
    },
    ("post", "/api/agents/{agent_id}/brain"): EXAMPLE_ENTRY,
    ("put", "/api/agents/{agent_id}/brain/{entry_id}"): {"pinned": False},
    ("patch", "/api/agents/{agent_id}/brain/{entry_id}"): {"pinned": False},
    ("patch", "/api/agents/{agent_id}/brain/{entry_id}/pin"): {"pinned": True},
    ("post", "/api/library/skills"): EXAMPLE_SKILL,
    ("post", "/api/library/packs"): {"name": "Numbers", "description": "For tables and sums."},
    ("post", "/api/library/copy"): {"agentId": "ada", "skillIds": ["check-the-sums"]},
    ("post", "/api/servers/{name}/tools/{tool}/call"): {"arguments": {"name": "Ada"}},
    ("post", "/api/servers/{name}/prompts/{prompt}"): {"arguments": {}},
    ("post", "/api/clients/{client}/plan"): {
        "server": "AgentZoo",
        "url": "http://127.0.0.1:3912/mcp",
    },
    ("post", "/api/clients/{client}/install"): {"server": "AgentZoo"},
    ("post", "/api/clients/{client}/uninstall"): {"server": "AgentZoo"},
    ("post", "/api/import/preview"): {
        "files": [{"path": ".claude/agents/ada.md", "text": "---\nname: ada\n---\nYou count.\n"}]
    },
    ("post", "/api/starters"): {"ids": ["fern"]},
    ("post", "/api/sign-in"): {"token": "the one that Paddock was started with"},
}
PARAMETER_EXAMPLES: dict[str, object] = {
    "agent_id": "ada",
    "skill_id": "check-the-sums",
    "category_id": "numbers",
    "name": "Demo",
    "tool": "greet",
    "client": "cursor",
    "number": 1,
    "before": 1,
    "after": 2,
    "tag": "numbers",
    "If-Match": '"3"',
}
"""Examples of parameters, by their names."""


def complete_openapi(schema: Json) -> Json:
    """The description of the API, changed in place."""
    for path, method, operation in _iterate_operations(schema):
        for parameter in operation.get("parameters", ()):
            _complete_parameter(parameter)
        body = operation.get("requestBody")
        if body is not None:
            _complete_body(body, BODY_EXAMPLES.get((method, path)))
        for status, answer in operation["responses"].items():
            if status == "400":
                answer["content"] = {"application/json": {"schema": PROBLEM_SCHEMA}}
        if path in UNAUTHENTICATED_PATHS:
            operation["security"] = []
    components = schema["components"]
    for name, component in components["schemas"].items():
        if name.endswith(STRICT_SCHEMA_SUFFIXES):
            component["additionalProperties"] = False
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": "paddock_session"},
    }
    # Where nobody has to sign in, neither is needed.
    schema["security"] = [{}, {"token": []}, {"session": []}]
    return schema


def _iterate_operations(schema: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield path, method, operation


def _complete_parameter(parameter: Json) -> None:
    """A header that is left out is not there; it has no null."""
    if parameter["in"] == "header":
        parameter["schema"] = _remove_null(parameter["schema"])
    if parameter["name"] in PARAMETER_EXAMPLES:
        parameter["example"] = PARAMETER_EXAMPLES[parameter["name"]]


def _complete_body(body: Json, example: Json | None) -> None:
    """A body that may be null may as well be left out."""
    for content in body["content"].values():
        if _remove_null(content["schema"]) is not content["schema"]:
            body["required"] = False
        if example is not None:
            content["example"] = example


def _remove_null(schema: Json) -> Json:
    """A schema without the choice of null, if it has that."""
    for key in ("oneOf", "anyOf"):
        choices = schema.get(key)
        if choices is None or {"type": "null"} not in choices:
            continue
        rest = [one for one in choices if one != {"type": "null"}]
        others = {name: value for name, value in schema.items() if name != key}
        return {**others, **rest[0]} if len(rest) == 1 else {**others, key: rest}
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds:
        rest = [one for one in kinds if one != "null"]
        return {**schema, "type": rest[0] if len(rest) == 1 else rest}
    return schema


ZOO_ROUTES = [
    *agents.AGENT_ROUTES,
    *skills.SKILL_ROUTES,
    *agents.VERSION_ROUTES,
    *brain.BRAIN_ROUTES,
    *agents.INJECTION_ROUTES,
    *library.LIBRARY_ROUTES,
    *files.FILE_ROUTES,
    *events.EVENT_ROUTES,
]


API_DESCRIPTION = """\
The agent zoo and the console of Paddock. Everything is JSON with keys in camelCase. Every error is
`{"error": text, "code": CODE, "details": […]}`. What has versions comes with an `ETag`; send it
back as `If-Match` with a change, and the change is refused with 412 when somebody else was faster.
"""


class ApiServices(NamedTuple):
    """What the routes work on."""

    get_zoo: Callable[[str], Zoo]
    """The zoo of an owner."""
    get_feed: Callable[[str], EventFeed]
    """The events of an owner's zoo."""
    endpoints: McpEndpointRegistry
    activity_log: ClientActivityLog
    authenticator: Authenticator
    instance: InstanceInfo
    accounts: TeamAccounts
    requests_a_minute: int | None = None
    """How many requests one client may make; None: any number."""


def create_api(parts: ApiServices) -> Litestar:
    """The application that answers everything below `/api`."""
    error_responses.ERROR_STATUSES.update(
        {
            ServerNotFoundError: 404,
            UnsupportedClientError: 404,
            ExtensionError: 404,
            ForeignEntryError: 409,
            SignInError: 401,
            UserExistsError: 409,
            PeerTimeoutError: 504,
        }
    )
    console = Router(
        "/",
        route_handlers=[
            *servers.SERVER_ROUTES,
            *extensions.EXTENSION_ROUTES,
            *clients.CLIENT_ROUTES,
        ],
        guards=[require_admin],
        tags=["console"],
    )
    zoo = Router("/", route_handlers=[*ZOO_ROUTES], tags=["zoo"])
    description = Router("/", route_handlers=[get_openapi_document])
    team = create_users_router() if parts.authenticator.is_team else Router("/", route_handlers=[])
    signing_in = Router("/", route_handlers=[*sign_in.SIGN_IN_ROUTES], tags=["sign-in"])
    return Litestar(
        route_handlers=[
            Router("/api", route_handlers=[console, zoo, signing_in, team, description])
        ],
        dependencies=_make_dependencies(parts),
        exception_handlers={
            HTTPException: error_responses.handle_http_exception,
            PaddockError: error_responses.handle_paddock_error,
            RecursionError: error_responses.handle_recursion_error,
            Exception: error_responses.handle_unexpected_error,
        },
        openapi_config=_make_openapi_config(),
        middleware=_make_middleware(parts.requests_a_minute),
        request_class=StrictRequest,
        request_max_body_size=error_responses.MAX_BODY_BYTES,
        logging_config=None,
        debug=False,
    )


def list_allowed_methods(api: Litestar, path: str) -> list[str]:
    """What is possible at a path; the framework knows it of each route alone only."""
    like = [
        route for route in api.routes if re.fullmatch(_make_path_pattern(route.path_format), path)
    ]
    least = min((route.path_format.count("{") for route in like), default=0)
    best = [route for route in like if route.path_format.count("{") == least]
    return sorted({str(method) for route in best for method in getattr(route, "methods", ())})


def _make_path_pattern(path: str) -> str:
    """A pattern for the paths that a route answers."""
    return re.sub(r"\\\{[^/]+?\\\}", "[^/]+", re.escape(path))


@get("/openapi.json", include_in_schema=False)
async def get_openapi_document(request: Request[Any, Any, Any]) -> dict[str, Any]:
    """The API as OpenAPI 3.1 describes it."""
    return complete_openapi(request.app.openapi_schema.to_schema())


def _make_dependencies(parts: ApiServices) -> dict[str, Provide]:
    attempts = SignInThrottle()

    def provide_zoo(request: Request[Any, Any, Any]) -> Any:
        return parts.get_zoo(get_request_user(request).owner)

    def provide_feed(request: Request[Any, Any, Any]) -> Any:
        return parts.get_feed(get_request_user(request).owner)

    fixed = {
        "hosting": parts.endpoints,
        "connections": parts.activity_log,
        "door": parts.authenticator,
        "identity": parts.instance,
        "accounts": parts.accounts,
        "attempts": attempts,
    }
    return {
        "zoo": Provide(provide_zoo, sync_to_thread=False),
        "feed": Provide(provide_feed, sync_to_thread=False),
        "expected": Provide(parse_if_match, sync_to_thread=False),
        **{
            name: Provide(_make_provider(part), sync_to_thread=False)
            for name, part in fixed.items()
        },
    }


def _make_provider(part: object) -> Callable[[], Any]:
    def provide() -> Any:
        return part

    return provide


def _make_middleware(requests_a_minute: int | None) -> list[Any]:
    if requests_a_minute is None:
        return []
    limit = RateLimitConfig(
        rate_limit=("minute", requests_a_minute), identifier_for_request=_identify_client
    )
    return [limit.middleware]


def _identify_client(request: Request[Any, Any, Any]) -> str:
    """Whose requests are counted together."""
    visitor = get_request_user(request)
    if visitor.name is not None:
        return f"user {visitor.name}"
    return "" if request.client is None else request.client.host


def _make_openapi_config() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Paddock",
        version=__version__,
        description=API_DESCRIPTION,
        path="/description",  # which nothing leads to: pages of a framework have foreign scripts
        render_plugins=[JsonRenderPlugin()],
        use_handler_docstrings=True,
    )
