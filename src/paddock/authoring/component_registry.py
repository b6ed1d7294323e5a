"""Ordered registries of a server's items, and items attached to the functions they were made from.

The module is loaded before msgspec, so it imports nothing outside the standard library.
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
        """A substitute for `typing.Generic` at run time, because importing `typing` takes 9 ms."""

        def __class_getitem__(cls, _item):
            return cls


class ComponentRegistry(Generic[T]):
    """Items by key, in insertion order. Adding an item replaces the one with the same key.

    The `revision` increases with each change, so caches can detect that they are out of date.

    Args:
        on_change: Called after each `add` and successful `remove`.
    """

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._items: dict[str, T] = {}
        self._on_change = on_change
        self.revision = 0
        self.mounted_items: MountedItems | None = None
        """Items contributed by mounted servers."""

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        # A copy, because items may be registered during iteration.
        return iter(list(self._items.values()))

    def __contains__(self, key: str) -> bool:
        return key in self._items

    def get(self, key: str) -> T | None:
        """Return the server's own item with this key, or None."""
        return self._items.get(key)

    def names(self) -> list[str]:
        """Return the keys of the server's own items, in order."""
        return list(self._items)

    def find(self, key: str) -> T | MountedItem | None:
        """Return the item with this key, from this server or a mounted one, or None."""
        item = self._items.get(key)
        if item is None and self.mounted_items is not None:
            return self.mounted_items.find(key)
        return item

    def get_all_items(self) -> dict[str, T | MountedItem]:
        """Return all items by key: first this server's own, then those of mounted servers."""
        if self.mounted_items is None:
            return {**self._items}
        return {**self._items, **self.mounted_items.items()}

    def increment_revision(self) -> None:
        """Invalidate cached lists after a mounted server has changed, without a notification."""
        self.revision += 1

    def add(self, key: str, item: T) -> None:
        """Add an item, replacing the one with the same key."""
        self._items[key] = item
        self._notify_change()

    def remove(self, key: str) -> bool:
        """Remove an item. Return False if it does not exist."""
        if self._items.pop(key, None) is None:
            return False
        self._notify_change()
        return True

    def replace_all(self, items: Iterable[tuple[str, T]]) -> None:
        """Replace all items. The caller must notify clients."""
        self._items = dict(items)
        self.revision += 1

    def _notify_change(self) -> None:
        self.revision += 1
        self._on_change()


_ITEMS_ATTRIBUTE = "paddock_items"


def attach_item(function: object, item: object) -> None:
    """Store a tool, prompt or resource as an attribute of the function it was made from.

    Decorators return the function itself, so this attribute links the function to its item. A later
    item of the same type replaces an earlier one. Nothing is stored on bound methods and functions
    written in C, which cannot have attributes.
    """
    items_by_type = getattr(function, _ITEMS_ATTRIBUTE, {})
    try:
        setattr(function, _ITEMS_ATTRIBUTE, {**items_by_type, type(item): item})
    except (AttributeError, TypeError):
        return


def find_attached_item(function: object, kind: type[T]) -> T | None:
    """Return the last item of a type that was made from this function, or None."""
    items_by_type: dict[type, T] = getattr(function, _ITEMS_ATTRIBUTE, {})
    item = items_by_type.get(kind)
    # functools.wraps copies attributes, so a wrapper also has the items of the wrapped function.
    return item if getattr(item, "handler", None) is function else None
