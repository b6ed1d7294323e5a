"""The benchmark's tools on Paddock."""

from typing import Any, Literal

from msgspec import Struct

from benchmarks.servers.workload import (
    INLINE,
    SIMPLE_TOOLS,
    choose,
    png,
    register_generated,
    summary,
)
from paddock import Server


class Address(Struct):
    """Where a customer lives."""

    street: str
    city: str
    zip: str
    country: str


class Customer(Struct):
    """Who ordered."""

    id: int
    name: str
    email: str
    address: Address
    vip: bool = False


class Item(Struct):
    """A line of an order."""

    sku: str
    qty: int
    price: float
    tags: list[str] = []


class Order(Struct):
    """Twenty fields, three levels deep."""

    id: str
    created: str
    currency: Literal["EUR", "USD", "GBP"]
    customer: Customer
    items: list[Item]
    note: str | None = None
    priority: int = 0


def nested(order: Order) -> dict[str, Any]:
    """Summarise an order."""
    return summary(order.id, order.currency, [(item.qty, item.price) for item in order.items])


async def nested_coroutine(order: Order) -> dict[str, Any]:
    """Summarise an order."""
    return nested(order)


def image(n: int) -> tuple[bytes, str]:
    """An image of n bytes."""
    return png(n), "image/png"


echo, add, slow = SIMPLE_TOOLS
server = Server("bench", version="1")
for quick in (echo, add, choose(nested, nested_coroutine)):
    if INLINE:
        server.tool(inline=True)(quick)
    else:
        server.tool(quick)
for plain in (slow, image):
    server.tool(plain)
register_generated(lambda tool: server.tool(tool, name=tool.__name__))

if __name__ == "__main__":
    server.run()
