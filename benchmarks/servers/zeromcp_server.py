"""The benchmark's tools on zeromcp, whose model type is the TypedDict."""

import asyncio
from typing import Any, Literal, NotRequired, TypedDict

from zeromcp import McpServer  # type: ignore[import-not-found]

from benchmarks.servers.workload import ASYNC, SIMPLE_TOOLS, choose, register_generated, summary


class Address(TypedDict):
    """Where a customer lives."""

    street: str
    city: str
    zip: str
    country: str


class Customer(TypedDict):
    """Who ordered."""

    id: int
    name: str
    email: str
    address: Address
    vip: NotRequired[bool]


class Item(TypedDict):
    """A line of an order."""

    sku: str
    qty: int
    price: float
    tags: NotRequired[list[str]]


class Order(TypedDict):
    """Twenty fields, three levels deep."""

    id: str
    created: str
    currency: Literal["EUR", "USD", "GBP"]
    customer: Customer
    items: list[Item]
    note: NotRequired[str | None]
    priority: NotRequired[int]


def nested(order: Order) -> dict[str, Any]:
    """Summarise an order."""
    lines = [(item["qty"], item["price"]) for item in order["items"]]
    return summary(order["id"], order["currency"], lines)


async def nested_coroutine(order: Order) -> dict[str, Any]:
    """Summarise an order."""
    return nested(order)


server = McpServer("bench", version="1")
for tool in (*SIMPLE_TOOLS, choose(nested, nested_coroutine)):
    server.tool(tool)
register_generated(server.tool)

if __name__ == "__main__":
    if ASYNC:
        asyncio.run(server.stdio_async())
    else:
        server.stdio()
