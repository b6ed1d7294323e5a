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
from paddock.app.attempts import Attempts
from paddock.app.console import clients, extensions, servers
from paddock.app.description import put_right
from paddock.app.doors import SignInError
from paddock.app.users import users_router
from paddock.app.visiting import admins_only, visitor_of
from paddock.clients.insertion import ForeignEntryError
from paddock.clients.table import UnsupportedClientError
from paddock.errors import PaddockError
from paddock.extensions.errors import ExtensionError
from paddock.peer.errors import PeerTimeoutError
from paddock.servers.errors import ServerNotFoundError
from paddock.version import __version__
from paddock.zoo.errors import UserExistsError
from paddock.zoo.rest import answers
from paddock.zoo.rest.parameters import expected_version
from paddock.zoo.rest.routes import ROUTES as ZOO_ROUTES
from paddock.zoo.rest.strictness import StrictRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.app.connections import Connections
    from paddock.app.doors import Door
    from paddock.app.hosting import Hosting
    from paddock.app.identity import Identity
    from paddock.zoo.accounts import Accounts
    from paddock.zoo.rest.feed import Feed
    from paddock.zoo.service import Zoo

DESCRIPTION = """\
The agent zoo and the console of Paddock. Everything is JSON with keys in camelCase. Every error is
`{"error": text, "code": CODE, "details": […]}`. What has versions comes with an `ETag`; send it
back as `If-Match` with a change, and the change is refused with 412 when somebody else was faster.
"""


class Parts(NamedTuple):
    """What the routes work on."""

    zoo_of: Callable[[str], Zoo]
    """The zoo of an owner."""
    feed_of: Callable[[str], Feed]
    """The events of an owner's zoo."""
    hosting: Hosting
    connections: Connections
    door: Door
    identity: Identity
    accounts: Accounts
    requests_a_minute: int | None = None
    """How many requests one client may make; None: any number."""


def make_api(parts: Parts) -> Litestar:
    """The application that answers everything below `/api`."""
    answers.STATUSES.update(
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
        route_handlers=[*servers.ROUTES, *extensions.ROUTES, *clients.ROUTES],
        guards=[admins_only],
        tags=["console"],
    )
    zoo = Router("/", route_handlers=[*ZOO_ROUTES], tags=["zoo"])
    description = Router("/", route_handlers=[description_of_itself])
    team = users_router() if parts.door.is_team else Router("/", route_handlers=[])
    signing_in = Router("/", route_handlers=[*sign_in.ROUTES], tags=["sign-in"])
    return Litestar(
        route_handlers=[
            Router("/api", route_handlers=[console, zoo, signing_in, team, description])
        ],
        dependencies=_dependencies(parts),
        exception_handlers={
            HTTPException: answers.of_http,
            PaddockError: answers.of_zoo,
            RecursionError: answers.of_deep,
            Exception: answers.of_unexpected,
        },
        openapi_config=_description(),
        middleware=_middleware(parts.requests_a_minute),
        request_class=StrictRequest,
        request_max_body_size=answers.BODY_BYTES,
        logging_config=None,
        debug=False,
    )


def allowed_methods(api: Litestar, path: str) -> list[str]:
    """What is possible at a path; the framework knows it of each route alone only."""
    like = [route for route in api.routes if re.fullmatch(_shape(route.path_format), path)]
    least = min((route.path_format.count("{") for route in like), default=0)
    best = [route for route in like if route.path_format.count("{") == least]
    return sorted({str(method) for route in best for method in getattr(route, "methods", ())})


def _shape(path: str) -> str:
    """A pattern for the paths that a route answers."""
    return re.sub(r"\\\{[^/]+?\\\}", "[^/]+", re.escape(path))


@get("/openapi.json", include_in_schema=False)
async def description_of_itself(request: Request[Any, Any, Any]) -> dict[str, Any]:
    """The API as OpenAPI 3.1 describes it."""
    return put_right(request.app.openapi_schema.to_schema())


def _dependencies(parts: Parts) -> dict[str, Provide]:
    attempts = Attempts()

    def zoo(request: Request[Any, Any, Any]) -> Any:
        return parts.zoo_of(visitor_of(request).owner)

    def feed(request: Request[Any, Any, Any]) -> Any:
        return parts.feed_of(visitor_of(request).owner)

    fixed = {
        "hosting": parts.hosting,
        "connections": parts.connections,
        "door": parts.door,
        "identity": parts.identity,
        "accounts": parts.accounts,
        "attempts": attempts,
    }
    return {
        "zoo": Provide(zoo, sync_to_thread=False),
        "feed": Provide(feed, sync_to_thread=False),
        "expected": Provide(expected_version, sync_to_thread=False),
        **{name: Provide(_giving(part), sync_to_thread=False) for name, part in fixed.items()},
    }


def _giving(part: object) -> Callable[[], Any]:
    def give() -> Any:
        return part

    return give


def _middleware(requests_a_minute: int | None) -> list[Any]:
    if requests_a_minute is None:
        return []
    limit = RateLimitConfig(
        rate_limit=("minute", requests_a_minute), identifier_for_request=_who_asks
    )
    return [limit.middleware]


def _who_asks(request: Request[Any, Any, Any]) -> str:
    """Whose requests are counted together."""
    visitor = visitor_of(request)
    if visitor.name is not None:
        return f"user {visitor.name}"
    return "" if request.client is None else request.client.host


def _description() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Paddock",
        version=__version__,
        description=DESCRIPTION,
        path="/description",  # which nothing leads to: pages of a framework have foreign scripts
        render_plugins=[JsonRenderPlugin()],
        use_handler_docstrings=True,
    )
