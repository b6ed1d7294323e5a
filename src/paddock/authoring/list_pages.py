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
    """The encoded entries of a list such as `tools/list`, divided into pages on request.

    A list that fits on one page is encoded once and cached as a whole.

    Args:
        key: The member of the result that contains the list, such as `tools`.
        entries: The entries, each encoded as JSON.
        page_size: The number of entries on a page, or None for a single page.
        revision: The revision of the items that the entries describe.
    """

    def __init__(
        self, key: str, entries: list[bytes], page_size: int | None, revision: int
    ) -> None:
        is_one_page = page_size is None or len(entries) <= page_size
        self.revision = revision
        self._key = key
        self._page_size = page_size
        self._entries = [] if is_one_page else entries
        self._complete_list = encode_list(key, entries) if is_one_page else None

    def encode_page(self, cursor: str | None) -> bytes:
        """Return the members of the result for one page, such as `"tools":[…],"nextCursor":"…"`.

        Args:
            cursor: The cursor that a previous page returned, or None for the first page.

        Raises:
            InvalidParamsError: The cursor was not issued for this list.
        """
        if self._complete_list is None:
            return encode_page(self._key, self._entries, cursor, self._page_size)
        if cursor is not None:
            raise _create_cursor_error(cursor)
        return self._complete_list


def encode_entries(items: Iterable[Any], build_entry: Callable[[Any], Json | None]) -> list[bytes]:
    """Return the entries of items in a list such as `tools/list`, each encoded as JSON.

    If an item's entry cannot be built, the error is logged and the item is left out.

    Args:
        items: The items, such as tools.
        build_entry: Returns the entry of an item, or None for an item that is not listed.
    """
    encoded_entries = []
    for item in items:
        try:
            entry = build_entry(item)
            if entry is not None:
                encoded_entries.append(encode_json(entry))
        except Exception as error:  # noqa: BLE001 - one invalid item must not hide the others
            get_logger().error("%r is left out: %s", item, error)
    return encoded_entries


def encode_list(key: str, entries: list[bytes]) -> bytes:
    """Return a complete list as a member of a result, such as `"tools":[{…},{…}]`."""
    return b'"%b":[%b]' % (key.encode(), b",".join(entries))


def encode_page(key: str, entries: list[bytes], cursor: str | None, page_size: int | None) -> bytes:
    """Return the members of the result for one page, such as `"tools":[…],"nextCursor":"…"`.

    Args:
        key: The member of the result that contains the list, such as `tools`.
        entries: The entries of the whole list, each encoded as JSON.
        cursor: The cursor that a previous page returned, or None for the first page.
        page_size: The number of entries on a page, or None for a single page.

    Raises:
        InvalidParamsError: The cursor was not issued for this list.
    """
    if page_size is None or len(entries) <= page_size:
        if cursor is not None:
            raise _create_cursor_error(cursor)
        return encode_list(key, entries)
    start = 0 if cursor is None else _parse_cursor(key, cursor, len(entries))
    end = start + page_size
    members = encode_list(key, entries[start:end])
    if end >= len(entries):
        return members
    next_cursor = binascii.b2a_base64(f"{key}:{end}".encode(), newline=False)
    return members + b',"nextCursor":%b' % encode_json(next_cursor.decode())


def _parse_cursor(key: str, cursor: str, count: int) -> int:
    """Return the list position where a cursor's page begins.

    A cursor is the list's key and the position, such as `tools:100`, in Base64.

    Args:
        key: The key of the list that the cursor must have been issued for.
        cursor: The text that a client has sent.
        count: The number of entries in the list.

    Raises:
        InvalidParamsError: The cursor is invalid.
    """
    try:
        # Cursors are opaque to clients, but a client may send anything.
        decoded_cursor = binascii.a2b_base64(cursor, strict_mode=True).decode()
        cursor_key, _, offset_text = decoded_cursor.partition(":")
        offset = int(offset_text)
    except ValueError:
        raise _create_cursor_error(cursor) from None
    if cursor_key != key or not 0 < offset < count:
        raise _create_cursor_error(cursor)
    return offset


def _create_cursor_error(cursor: str) -> InvalidParamsError:
    return InvalidParamsError(f"Unknown cursor {cursor!r}: request the list again without a cursor")
