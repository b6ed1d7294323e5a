from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from docs_src.how_to.http_server import server
from paddock import http_app

kitchen = http_app(server, allowed_hosts=["kitchen.example.org"])


def hello(_request: object) -> PlainTextResponse:
    return PlainTextResponse("The kitchen is open.")


app = Starlette(
    routes=[Route("/", hello), Mount("/agents", kitchen)],
    lifespan=kitchen.lifespan,
)
