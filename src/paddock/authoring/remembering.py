"""What a decorator has made of a function, found again by the function.

A definition may refer to a decorated function, and then means all that the decorator says. Loaded
before msgspec, so it needs nothing but the interpreter.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

_ITEMS_ATTRIBUTE = "paddock_items"


def attach_item(function: object, item: object) -> None:
    """Note that an item was made of a function, if the function takes notes; the last counts."""
    earlier = getattr(function, _ITEMS_ATTRIBUTE, {})
    try:
        setattr(function, _ITEMS_ATTRIBUTE, {**earlier, type(item): item})
    except (AttributeError, TypeError):
        return  # a method, or a function that is not written in Python


def find_attached_item(function: object, kind: type[T]) -> T | None:
    """The last item of a kind that was made of a function."""
    notes: dict[type, T] = getattr(function, _ITEMS_ATTRIBUTE, {})
    found = notes.get(kind)
    # A function that wraps another has its notes too, and is not what they are about.
    return found if getattr(found, "handler", None) is function else None
