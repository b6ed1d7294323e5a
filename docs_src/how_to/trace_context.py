import os
from http.client import HTTPConnection

from paddock import Context, Server

SHOP = os.environ.get("SHOP", "127.0.0.1:8000")
server = Server("kitchen")


@server.tool
def order(dish: str, ctx: Context) -> str:
    """Order a dish at the shop."""
    headers = {} if ctx.trace_context is None else ctx.trace_context.headers
    shop = HTTPConnection(SHOP)
    shop.request("POST", "/orders", dish, headers)
    with shop.getresponse() as response:
        return response.read().decode()
