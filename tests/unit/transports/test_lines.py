"""Cutting a stream of bytes into lines."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.transports.channel import LineSplitter


def cut(chunks: list[bytes], limit: int = 100) -> tuple[list[bytes], list[tuple[bytes, bytes]]]:
    refused: list[tuple[bytes, bytes]] = []
    lines = LineSplitter(limit, lambda head, tail: refused.append((head, tail)))
    return [line for chunk in chunks for line in lines.feed(chunk)], refused


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([b"a\nb\n"], [b"a", b"b"]),
        ([b"a", b"b\n"], [b"ab"]),
        ([b"a\nb", b"c\n"], [b"a", b"bc"]),
        ([b"a", b"\n", b"\n"], [b"a", b""]),
        ([b"a\n", b"b"], [b"a"]),
        ([b"", b"a\n"], [b"a"]),
        ([b"\r\n"], [b"\r"]),
    ],
)
def test_lines_are_complete_with_their_end(chunks: list[bytes], lines: list[bytes]) -> None:
    assert cut(chunks) == (lines, [])


@given(st.lists(st.binary(max_size=12)), st.data())
def test_the_pieces_in_which_bytes_come_do_not_matter(
    lines: list[bytes], data: st.DataObject
) -> None:
    lines = [line.replace(b"\n", b"") for line in lines]
    whole = b"".join(line + b"\n" for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    ends = [0, *cuts, len(whole)]
    chunks = [whole[a:b] for a, b in pairwise(ends)]
    assert cut([chunk for chunk in chunks if chunk]) == (lines, [])


@given(
    st.lists(st.integers(0, 6000), min_size=1, max_size=6),
    st.integers(2048, 4000),
    st.integers(1, 5000),
)
def test_a_line_beyond_the_limit_is_refused_and_the_others_are_kept(
    sizes: list[int], limit: int, step: int
) -> None:
    lines = [bytes([97 + index % 26]) * size for index, size in enumerate(sizes)]
    whole = b"".join(line + b"\n" for line in lines)
    chunks = [whole[at : at + step] for at in range(0, len(whole), step)]
    kept, refused = cut(chunks, limit)
    assert kept == [line for line in lines if len(line) <= limit]
    assert refused == [(line[:1024], line[-1024:]) for line in lines if len(line) > limit]


def test_of_a_long_line_only_the_two_ends_are_kept() -> None:
    line = b"begin" + b"x" * 1_000_000 + b"end"
    chunks = [line[at : at + 1000] for at in range(0, len(line), 1000)]
    kept, refused = cut([*chunks, b"\nnext\n"], 50_000)
    assert kept == [b"next"]
    ((head, tail),) = refused
    assert (len(head), len(tail)) == (1024, 1024)
    assert head.startswith(b"begin")
    assert tail.endswith(b"end")
