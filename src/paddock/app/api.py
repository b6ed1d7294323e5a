"""The REST API: a Litestar application with all routes, their errors and their OpenAPI document.

This module completes the document that Litestar generates: it adds examples, and describes the
stricter decoding of request bodies.
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
from paddock.app.rest import accounts, clients, extensions, servers
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
from paddock.zoo.rest.parameters import StrictRequest, parse_if_match, set_etag_header

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
"""Name suffixes of the schemas that reject unknown keys."""
UNAUTHENTICATED_PATHS = ("/api/health", "/api/sign-in", "/api/sign-out")
EXAMPLE_AGENT: Json = {
    "name": "Ada",
    "description": "Counts everything twice.",
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
"""Example values of parameters, by name."""

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
The agent zoo and the console of Paddock. Requests and responses are JSON with keys in camelCase.
Every error is `{"error": text, "code": CODE, "details": […]}`. Versioned resources have an `ETag`.
Send it as `If-Match` with a change; the response is 412 if the resource has changed in between.
"""


def complete_openapi(schema: Json) -> Json:
    """Complete an OpenAPI document with the parts that Litestar does not generate, and return it.

    These are examples, security schemes, error bodies, and the rule that request bodies must not
    have unknown keys. The document is changed in place.
    """
    for path, method, operation in _iterate_operations(schema):
        for parameter in operation.get("parameters", ()):
            _complete_parameter(parameter)
        body = operation.get("requestBody")
        if body is not None:
            _complete_body(body, BODY_EXAMPLES.get((method, path)))
        for status, response in operation["responses"].items():
            if status == "400":
                response["content"] = {"application/json": {"schema": PROBLEM_SCHEMA}}
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
    # The empty requirement is for local mode, which needs no sign-in.
    schema["security"] = [{}, {"token": []}, {"session": []}]
    return schema


def _iterate_operations(schema: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield path, method, operation


def _complete_parameter(parameter: Json) -> None:
    """Add an example to an OpenAPI parameter, and correct its type if it is a header.

    Litestar describes optional headers as nullable, but a header cannot be null. A client without a
    value leaves the header out.
    """
    if parameter["in"] == "header":
        parameter["schema"] = _remove_null(parameter["schema"])
    if parameter["name"] in PARAMETER_EXAMPLES:
        parameter["example"] = PARAMETER_EXAMPLES[parameter["name"]]


def _complete_body(body: Json, example: Json | None) -> None:
    """Add an example to a request body, and mark a nullable body as optional."""
    for content in body["content"].values():
        if _remove_null(content["schema"]) is not content["schema"]:
            body["required"] = False
        if example is not None:
            content["example"] = example


def _remove_null(schema: Json) -> Json:
    """Return a copy of a JSON Schema that no longer allows null.

    For example, `{"type": ["string", "null"]}` becomes `{"type": "string"}`. A schema that does not
    allow null is returned unchanged, as the same object, so callers can compare with `is`.
    """
    for key in ("oneOf", "anyOf"):
        choices = schema.get(key)
        if choices is None or {"type": "null"} not in choices:
            continue
        non_null = [choice for choice in choices if choice != {"type": "null"}]
        others = {name: value for name, value in schema.items() if name != key}
        # If only one alternative is left, `oneOf` is not needed.
        return {**others, **non_null[0]} if len(non_null) == 1 else {**others, key: non_null}
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds:
        non_null = [kind for kind in kinds if kind != "null"]
        return {**schema, "type": non_null[0] if len(non_null) == 1 else non_null}
    return schema


class ApiServices(NamedTuple):
    """The objects that are injected into the parameters of REST API routes."""

    get_zoo: Callable[[str], Zoo]
    """Returns the zoo of an owner."""
    get_feed: Callable[[str], EventFeed]
    """Returns the event feed of an owner's zoo."""
    endpoints: McpEndpointRegistry
    activity_log: ClientActivityLog
    authenticator: Authenticator
    instance: InstanceInfo
    accounts: TeamAccounts
    requests_a_minute: int | None = None
    """Rate limit for each client, or None for no limit."""


def create_api(services: ApiServices) -> Litestar:
    """Create the application that serves all paths below `/api`.

    The routes live in `zoo/rest` and `app/rest`. This function connects them with their services,
    error handlers and guards.
    """
    # These errors are registered here, because the zoo must not import their packages.
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
    # What the console manages belongs to the machine, not to one user.
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
    zoo = Router("/", route_handlers=[*ZOO_ROUTES], tags=["zoo"], after_request=set_etag_header)
    description = Router("/", route_handlers=[get_openapi_document])
    team = (
        accounts.create_users_router()
        if services.authenticator.is_team
        else Router("/", route_handlers=[])
    )
    sign_in_router = Router("/", route_handlers=[*accounts.SIGN_IN_ROUTES], tags=["sign-in"])
    return Litestar(
        route_handlers=[
            Router("/api", route_handlers=[console, zoo, sign_in_router, team, description])
        ],
        dependencies=_make_dependencies(services),
        exception_handlers={
            HTTPException: error_responses.handle_http_exception,
            PaddockError: error_responses.handle_paddock_error,
            RecursionError: error_responses.handle_recursion_error,
            Exception: error_responses.handle_unexpected_error,
        },
        openapi_config=_make_openapi_config(),
        middleware=_make_middleware(services.requests_a_minute),
        request_class=StrictRequest,
        request_max_body_size=error_responses.MAX_BODY_BYTES,
        # Paddock configures logging itself.
        logging_config=None,
        debug=False,
    )


def list_allowed_methods(api: Litestar, path: str) -> list[str]:
    """Return the methods allowed for a path, such as `["DELETE", "GET", "PATCH"]`.

    The application uses them to answer OPTIONS requests. Litestar would answer for each route
    separately, although multiple routes can match a path.
    """
    matching = [
        route for route in api.routes if re.fullmatch(_make_path_pattern(route.path_format), path)
    ]
    # Literal segments take precedence over parameters, as in Litestar's own routing.
    parameter_count = min((route.path_format.count("{") for route in matching), default=0)
    return sorted(
        {
            str(method)
            for route in matching
            if route.path_format.count("{") == parameter_count
            for method in getattr(route, "methods", ())
        }
    )


def _make_path_pattern(path_format: str) -> str:
    """Convert `/agents/{agent_id}` to the regular expression `/agents/[^/]+`."""
    return re.sub(r"\\\{[^/]+?\\\}", "[^/]+", re.escape(path_format))


@get("/openapi.json", include_in_schema=False)
async def get_openapi_document(request: Request[Any, Any, Any]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of the API."""
    return complete_openapi(request.app.openapi_schema.to_schema())


def _make_dependencies(services: ApiServices) -> dict[str, Provide]:
    """Return the providers of the objects that routes receive by parameter name.

    `zoo` and `feed` depend on the user of the request, and `expected` is parsed from the `If-Match`
    header. All other objects are shared by all requests.
    """
    throttle = SignInThrottle()

    def provide_zoo(request: Request[Any, Any, Any]) -> Any:
        return services.get_zoo(get_request_user(request).owner)

    def provide_feed(request: Request[Any, Any, Any]) -> Any:
        return services.get_feed(get_request_user(request).owner)

    # The keys are the names of the route parameters that receive the objects.
    objects_by_name = {
        "endpoints": services.endpoints,
        "activity_log": services.activity_log,
        "authenticator": services.authenticator,
        "instance": services.instance,
        "accounts": services.accounts,
        "throttle": throttle,
    }
    return {
        "zoo": Provide(provide_zoo, sync_to_thread=False),
        "feed": Provide(provide_feed, sync_to_thread=False),
        "expected": Provide(parse_if_match, sync_to_thread=False),
        **{
            name: Provide(_make_provider(value), sync_to_thread=False)
            for name, value in objects_by_name.items()
        },
    }


def _make_provider(value: object) -> Callable[[], Any]:
    """Return a function that returns `value`, so that Litestar can inject it into routes."""

    # A lambda in the caller's loop would return the last object for every name.
    def provide() -> Any:
        return value

    return provide


def _make_middleware(requests_a_minute: int | None) -> list[Any]:
    """Return the middleware that limits each client's request rate, or an empty list.

    Args:
        requests_a_minute: The limit for each client, or None for no limit.
    """
    if requests_a_minute is None:
        return []
    limit = RateLimitConfig(
        rate_limit=("minute", requests_a_minute), identifier_for_request=_identify_client
    )
    return [limit.middleware]


def _identify_client(request: Request[Any, Any, Any]) -> str:
    """Return the key that identifies a client for the rate limit.

    Team members are identified by name, all other clients by address.
    """
    user = get_request_user(request)
    if user.name is not None:
        return f"user {user.name}"
    return "" if request.client is None else request.client.host


def _make_openapi_config() -> OpenAPIConfig:
    """Return the settings for the OpenAPI document that Litestar generates from the routes."""
    return OpenAPIConfig(
        title="Paddock",
        version=__version__,
        description=API_DESCRIPTION,
        # Only JSON is rendered, because Litestar's documentation pages load scripts from other
        # hosts.
        path="/description",
        render_plugins=[JsonRenderPlugin()],
        use_handler_docstrings=True,
    )
