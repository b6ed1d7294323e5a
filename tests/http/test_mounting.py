"""Our application inside the applications of others."""

from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from fastapi import FastAPI
from litestar import Litestar
from litestar.handlers import asgi
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from paddock import Server, http_app
from tests.http.endpoint import Endpoint, call
from tests.http.hosting import GRANIAN, HYPERCORN, UVICORN, Host, UvicornCarrier, around
from tests.http.test_lifespan import opened


def starlette(app: Any) -> Any:
    routes = [
        Route("/", lambda _: PlainTextResponse("the site")),
        Mount("/tools", app=app),
    ]
    return Starlette(routes=routes, lifespan=app.lifespan)


def fastapi(app: Any) -> Any:
    def lifespan(_app: FastAPI) -> AbstractAsyncContextManager[None]:
        found: AbstractAsyncContextManager[None] = app.lifespan()
        return found

    outer = FastAPI(lifespan=lifespan)
    outer.get("/")(lambda: "the site")
    outer.mount("/tools", app)
    return outer


def litestar(app: Any) -> Any:
    handler = asgi("/tools", is_mount=True, copy_scope=True)(app)
    return Litestar(route_handlers=[handler], lifespan=[app.lifespan])


FRAMEWORKS = {"starlette": starlette, "fastapi": fastapi, "litestar": litestar}


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> Any:
    return FRAMEWORKS[request.param]


@pytest.mark.parametrize("carried_by", [UVICORN, HYPERCORN, GRANIAN])
def test_a_server_is_mounted_in_an_application(host: Host, framework: Any, carried_by: str) -> None:
    server, story = opened(is_async=True)
    endpoint = host.run(around(carried_by, framework(http_app(server))), "/tools/mcp")
    assert story == ["begin"]
    assert endpoint.text(call("count")) == "1"
    session = endpoint.initialize()
    assert session.text("count") == "2"
    with endpoint.listening(toolsListChanged=True) as stream:
        server.list_changed("tools")
        assert stream.message()["method"] == "notifications/tools/list_changed"
    assert session.delete().status == 204
    host.stop()
    assert story == ["begin", "end"]


def test_a_mounted_server_can_be_the_mount_itself(host: Host, framework: Any) -> None:
    server, _ = opened(is_async=False)
    endpoint = host.run(UvicornCarrier(framework(http_app(server, path="/"))), "/tools/")
    assert endpoint.text(call("count")) == "1"


def test_two_servers_live_in_one_application(host: Host) -> None:
    apps = {name: http_app(Server(name), path="/") for name in ("one", "two")}
    routes = [Mount(f"/{name}", app=app) for name, app in apps.items()]
    endpoint = host.run(UvicornCarrier(Starlette(routes=routes)))
    for name in apps:
        endpoint.path = f"/{name}/"
        assert endpoint.initialize().welcome["serverInfo"]["name"] == name


def test_a_prefix_that_a_proxy_has_taken_off_does_not_matter(host: Host) -> None:
    server, _ = opened(is_async=False)
    endpoint = host.run(UvicornCarrier(http_app(server), root_path="/api"))
    assert endpoint.text(call("count")) == "1"


def test_health_is_within_the_mount(host: Host) -> None:
    server, _ = opened(is_async=False)
    endpoint: Endpoint = host.run(UvicornCarrier(starlette(http_app(server))), "/tools/mcp")
    assert endpoint.ask("GET", {}, path="/tools/health").json == {"status": "ok"}
    assert endpoint.ask("GET", {}, path="/").body == b"the site"
    assert endpoint.ask("GET", {}, path="/health").status == 404


def test_an_application_can_be_run_again_after_its_end(host: Host) -> None:
    server, story = opened(is_async=True)
    app = http_app(server)
    for _ in range(2):
        endpoint = host.run(around(UVICORN, app))
        assert endpoint.text(call("count")) == "1"
        host.stop()
    assert story == ["begin", "end", "begin", "end"]
