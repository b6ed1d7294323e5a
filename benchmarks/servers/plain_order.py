"""The nested argument as it comes, for the libraries that hand over what JSON holds."""

from typing import Any

from benchmarks.servers.workload import choose, summary


def nested(order: dict[str, Any]) -> dict[str, Any]:
    """Summarise an order."""
    lines = [(item["qty"], item["price"]) for item in order["items"]]
    return summary(order["id"], order["currency"], lines)


async def _nested_coroutine(order: dict[str, Any]) -> dict[str, Any]:
    """Summarise an order."""
    return nested(order)


NESTED = choose(nested, _nested_coroutine)
