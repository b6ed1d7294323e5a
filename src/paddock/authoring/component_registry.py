"""A named collection that tells when it changes: one implementation for everything listed.

Loaded before msgspec, so it needs nothing but the interpreter.

What a decorator has made of a function, found again by the function.

A definition may refer to a decorated function, and then means all that the decorator says. Loaded
before msgspec, so it needs nothing but the interpreter.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Generic, TypeVar

    from paddock.authoring.mounted_items import MountedItem, MountedItems

    T = TypeVar("T")
else:
    T = None

    class Generic:
        """Stands in for `typing.Generic` at run time, which would cost 9 ms."""

        def __class_getitem__(cls, _item):
            return cls


class ComponentRegistry(Generic[T]):
    """Items by key, in the order in which they were added; a new one replaces its namesake."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._items: dict[str, T] = {}
        self._on_change = on_change
        self.revision = 0
        self.mounted_items: MountedItems | None = None
        """What mounted servers add to it."""

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._items.values()))

    def __contains__(self, key: str) -> bool:
        return key in self._items

    def get(self, key: str) -> T | None:
        """The item with this key, if there is one."""
        return self._items.get(key)

    def names(self) -> list[str]:
        """The keys, in order."""
        return list(self._items)

    def find(self, key: str) -> T | MountedItem | None:
        """The item that is offered under this key: our own, or a mounted server's."""
        item = self._items.get(key)
        return (
            item if item is not None or self.mounted_items is None else self.mounted_items.find(key)
        )

    def get_all_items(self) -> dict[str, T | MountedItem]:
        """Everything that is offered, our own items first."""
        if self.mounted_items is None:
            return {**self._items}
        return {**self._items, **self.mounted_items.items()}

    def increment_revision(self) -> None:
        """What mounted servers add has changed; saying so is left to the caller."""
        self.revision += 1

    def add(self, key: str, item: T) -> None:
        """Add an item, or put it in the place of the one with the same key."""
        self._items[key] = item
        self._notify_change()

    def remove(self, key: str) -> bool:
        """Remove an item; whether there was one."""
        if self._items.pop(key, None) is None:
            return False
        self._notify_change()
        return True

    def replace_all(self, items: Iterable[tuple[str, T]]) -> None:
        """Hold just these items from now on; saying so is left to the caller."""
        self._items = dict(items)
        self.revision += 1

    def _notify_change(self) -> None:
        self.revision += 1
        self._on_change()


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
