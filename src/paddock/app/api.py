"""The REST API: all routes, their errors and their description."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from litestar import Litestar, Request, Router, get
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.middleware.rate_limit import RateLimitConfig
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from paddock.app import sign_in
from paddock.app.attempts import SignInThrottle
from paddock.app.console import clients, extensions, servers
from paddock.app.description import complete_openapi
from paddock.app.doors import SignInError
from paddock.app.users import create_users_router
from paddock.app.visiting import require_admin, get_request_user
from paddock.clients.insertion import ForeignEntryError
from paddock.clients.table import UnsupportedClientError
from paddock.errors import PaddockError
from paddock.extensions.errors import ExtensionError
from paddock.peer.errors import PeerTimeoutError
from paddock.servers.errors import ServerNotFoundError
from paddock.version import __version__
from paddock.zoo.errors import UserExistsError
from paddock.zoo.rest import answers
from paddock.zoo.rest.parameters import parse_if_match
from paddock.zoo.rest.routes import ZOO_ROUTES as ZOO_ROUTES
from paddock.zoo.rest.strictness import StrictRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.app.connections import ClientActivityLog
    from paddock.app.doors import Authenticator
    from paddock.app.hosting import McpEndpointRegistry
    from paddock.app.identity import InstanceInfo
    from paddock.zoo.accounts import TeamAccounts
    from paddock.zoo.rest.feed import EventFeed
    from paddock.zoo.service import Zoo

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
    answers.ERROR_STATUSES.update(
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
        route_handlers=[*servers.SERVER_ROUTES, *extensions.EXTENSION_ROUTES, *clients.CLIENT_ROUTES],
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
            HTTPException: answers.handle_http_exception,
            PaddockError: answers.handle_paddock_error,
            RecursionError: answers.handle_recursion_error,
            Exception: answers.handle_unexpected_error,
        },
        openapi_config=_make_openapi_config(),
        middleware=_make_middleware(parts.requests_a_minute),
        request_class=StrictRequest,
        request_max_body_size=answers.MAX_BODY_BYTES,
        logging_config=None,
        debug=False,
    )


def list_allowed_methods(api: Litestar, path: str) -> list[str]:
    """What is possible at a path; the framework knows it of each route alone only."""
    like = [route for route in api.routes if re.fullmatch(_make_path_pattern(route.path_format), path)]
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
        **{name: Provide(_make_provider(part), sync_to_thread=False) for name, part in fixed.items()},
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
