"""The nested argument as pydantic models, for the libraries that validate with pydantic."""

from typing import Any, Literal

from pydantic import BaseModel

from benchmarks.servers.workload import choose, summary


class Address(BaseModel):
    """Where a customer lives."""

    street: str
    city: str
    zip: str
    country: str


class Customer(BaseModel):
    """Who ordered."""

    id: int
    name: str
    email: str
    address: Address
    vip: bool = False


class Item(BaseModel):
    """A line of an order."""

    sku: str
    qty: int
    price: float
    tags: list[str] = []


class Order(BaseModel):
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


async def _nested_coroutine(order: Order) -> dict[str, Any]:
    """Summarise an order."""
    return nested(order)


NESTED = choose(nested, _nested_coroutine)
