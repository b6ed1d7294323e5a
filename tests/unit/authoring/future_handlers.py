"""Handlers whose annotations are text when they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from paddock import Context  # noqa: TC001 - resolved while the program runs

if TYPE_CHECKING:
    from decimal import Decimal


@dataclass
class Place:
    name: str
    near: Place | None = None


def visit(place: Place, ctx: Context, times: Annotated[int, "How often"] = 1) -> list[Place]:
    """Go somewhere."""
    return [place] * times


def pay(amount: Decimal) -> str:
    """Needs a type that is not there at run time."""
    return str(amount)


def make_local() -> object:
    """A handler with a type that only its own function knows."""

    @dataclass
    class Local:
        name: str

    def take(local: Local) -> str:
        return local.name

    return take
