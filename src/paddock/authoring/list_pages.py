"""Lists as clients get them: entries encoded once, and cut into pages where there are many."""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING, Any

from paddock.authoring.type_hooks import encode_json
from paddock.protocol.errors import InvalidParamsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Json = dict[str, Any]


class PagedList:
    """One list, encoded: whole where it has one page, entry by entry where it has several."""

    __slots__ = ("entries", "members", "revision")

    def __init__(self, revision: int, entries: list[bytes], key: str, size: int | None) -> None:
        is_one_page = size is None or len(entries) <= size
        self.revision = revision
        self.entries = [] if is_one_page else entries
        self.members = encode_list(key, entries) if is_one_page else b""


def encode_entries(items: Iterable[Any], entry: Callable[[Any], Json | None]) -> list[bytes]:
    """The entries of a list, but for items whose entry is None.

    An item that cannot be served is reported and left out.
    """
    entries = []
    for item in items:
        try:
            found = entry(item)
            if found is not None:
                entries.append(encode_json(found))
        except Exception as error:  # noqa: BLE001 - one wrong item must not hide the others
            import logging  # noqa: PLC0415 - only when something is declared wrongly

            logging.getLogger("paddock").error("%r is left out: %s", item, error)
    return entries


def encode_list(key: str, entries: list[bytes]) -> bytes:
    """A whole list, as members of a result."""
    return b'"%b":[%b]' % (key.encode(), b",".join(entries))


def encode_page(key: str, entries: list[bytes], cursor: str | None, size: int | None) -> bytes:
    """One page of a list, or all of it where that is one page, as members of a result.

    Raises:
        InvalidParamsError: when the cursor is none of this list.
    """
    if size is None or len(entries) <= size:
        if cursor is not None:
            raise create_cursor_error(cursor)
        return encode_list(key, entries)
    start = 0 if cursor is None else _parse_cursor(key, cursor, len(entries))
    end = start + size
    found = encode_list(key, entries[start:end])
    if end >= len(entries):
        return found
    following = binascii.b2a_base64(f"{key}:{end}".encode(), newline=False)
    return found + b',"nextCursor":%b' % encode_json(following.decode())


def _parse_cursor(key: str, cursor: str, count: int) -> int:
    try:
        kind, _, number = binascii.a2b_base64(cursor, strict_mode=True).decode().partition(":")
        offset = int(number)
    except ValueError:
        raise create_cursor_error(cursor) from None
    if kind != key or not 0 < offset < count:
        raise create_cursor_error(cursor)
    return offset


def create_cursor_error(cursor: str) -> InvalidParamsError:
    """What a client is told that goes on where nothing is."""
    return InvalidParamsError(f"Unknown cursor {cursor!r}: list again without one")
