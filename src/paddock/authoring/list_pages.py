"""Encoding of list results: each entry is encoded once, then joined into pages."""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING, Any

from paddock.authoring.type_hooks import encode_json
from paddock.errors import get_logger
from paddock.protocol.errors import InvalidParamsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Json = dict[str, Any]


class PagedList:
    """An encoded list: complete if it fits on one page, otherwise entry by entry."""

    def __init__(self, key: str, entries: list[bytes], size: int | None, revision: int) -> None:
        is_one_page = size is None or len(entries) <= size
        self.revision = revision
        self._key = key
        self._size = size
        self._entries = [] if is_one_page else entries
        self._complete_list = encode_list(key, entries) if is_one_page else None

    def encode_page(self, cursor: str | None) -> bytes:
        """Return the page at a cursor as members of a result.

        Raises:
            InvalidParamsError: The cursor is not one of this list.
        """
        if self._complete_list is None:
            return encode_page(self._key, self._entries, cursor, self._size)
        if cursor is not None:
            raise _create_cursor_error(cursor)
        return self._complete_list


def encode_entries(items: Iterable[Any], entry: Callable[[Any], Json | None]) -> list[bytes]:
    """Encode the entries of items, except those whose entry is None.

    An item whose entry cannot be built is logged and left out.
    """
    entries = []
    for item in items:
        try:
            item_entry = entry(item)
            if item_entry is not None:
                entries.append(encode_json(item_entry))
        except Exception as error:  # noqa: BLE001 - one invalid item must not hide the others
            get_logger().error("%r is left out: %s", item, error)
    return entries


def encode_list(key: str, entries: list[bytes]) -> bytes:
    """Return a complete list as members of a result."""
    return b'"%b":[%b]' % (key.encode(), b",".join(entries))


def encode_page(key: str, entries: list[bytes], cursor: str | None, size: int | None) -> bytes:
    """Return one page of a list as members of a result.

    Raises:
        InvalidParamsError: The cursor is not one of this list.
    """
    if size is None or len(entries) <= size:
        if cursor is not None:
            raise _create_cursor_error(cursor)
        return encode_list(key, entries)
    start = 0 if cursor is None else _parse_cursor(key, cursor, len(entries))
    end = start + size
    members = encode_list(key, entries[start:end])
    if end >= len(entries):
        return members
    next_cursor = binascii.b2a_base64(f"{key}:{end}".encode(), newline=False)
    return members + b',"nextCursor":%b' % encode_json(next_cursor.decode())


def _parse_cursor(key: str, cursor: str, count: int) -> int:
    """Return the offset in a cursor, which must have been issued for the same list.

    Raises:
        ProtocolError: The cursor is invalid.
    """
    try:
        # Cursors are opaque to clients, but a client may send anything.
        kind, _, number = binascii.a2b_base64(cursor, strict_mode=True).decode().partition(":")
        offset = int(number)
    except ValueError:
        raise _create_cursor_error(cursor) from None
    if kind != key or not 0 < offset < count:
        raise _create_cursor_error(cursor)
    return offset


def _create_cursor_error(cursor: str) -> InvalidParamsError:
    return InvalidParamsError(f"Unknown cursor {cursor!r}: request the list again without a cursor")
