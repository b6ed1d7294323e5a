"""One change of a file as bytes, which can be taken back later.

A splice says where a file was changed, what went and what came. Taking it back is certain while the
file is as the change left it, and otherwise a matter of finding what came: `taken_back` gives what
the file may have to be, the likeliest first, and the caller, who understands the format, says which
of them is right.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTEXT_BYTES = 60
"""How many bytes on each side tell one place from others with the same text."""


class TextSplice(Struct, frozen=True, kw_only=True):
    """What one change did to the bytes of a file."""

    start: int
    removed: bytes
    added: bytes
    left: bytes
    """What stood before the place, up to `CONTEXT` bytes."""
    right: bytes
    digest: str
    """Of the whole content after the change."""


def compute_splice(before: bytes, after: bytes) -> TextSplice:
    """The smallest single change that leads from one content to another.

    Where several places would do, it begins at the start of a line: what a person adds next to it
    then stays out of it.
    """
    start = _measure_common_prefix(before, after)
    shorter = min(len(before), len(after)) - start
    end = min(_measure_common_prefix(before[::-1], after[::-1]), shorter)
    if start + end == len(before) and after[start : start + 1] != b",":
        start, end = _align_to_line_start(before, after, start, end)
    removed = before[start : len(before) - end]
    added = after[start : len(after) - end]
    return TextSplice(
        start=start,
        removed=removed,
        added=added,
        left=before[max(0, start - CONTEXT_BYTES) : start],
        right=before[len(before) - end :][:CONTEXT_BYTES],
        digest=compute_digest(after),
    )


def is_untouched(splice: TextSplice, now: bytes) -> bool:
    """Whether a file is still as the change left it."""
    return compute_digest(now) == splice.digest


def iterate_reverted_contents(splice: TextSplice, now: bytes) -> Iterator[bytes]:
    """What a file may be without the change, the likeliest first; certain if it is untouched."""
    if is_untouched(splice, now):
        yield _revert_at(splice, now, splice.start)
        return
    for left, right in ((splice.left, splice.right), (splice.left, b""), (b"", splice.right)):
        place = _find_unique(now, left + splice.added + right)
        if place is not None and (splice.added or (left and right)):
            yield _revert_at(splice, now, place + len(left))
    place = _find_unique(now, splice.added)
    if place is not None:
        yield _revert_at(splice, now, place)


def compute_digest(content: bytes) -> str:
    """What tells this content from any other."""
    return hashlib.sha256(content).hexdigest()


def _revert_at(splice: TextSplice, now: bytes, start: int) -> bytes:
    return now[:start] + splice.removed + now[start + len(splice.added) :]


def _find_unique(text: bytes, pattern: bytes) -> int | None:
    """Where a pattern stands, if it does so once."""
    first = text.find(pattern) if pattern else -1
    if first < 0 or text.find(pattern, first + 1) >= 0:
        return None
    return first


def _measure_common_prefix(one: bytes, other: bytes) -> int:
    """The length of what two texts begin with alike, found by halving: files may be large."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _align_to_line_start(before: bytes, after: bytes, start: int, end: int) -> tuple[int, int]:
    """Slide an insertion to the left, as long as the result is the same, to the start of a line."""
    place, rest = start, end
    while place > 0 and before[place - 1 : place] != b"\n":
        if after[place - 1] != after[len(after) - rest - 1]:
            return start, end
        place, rest = place - 1, rest + 1
    return place, rest
