from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.client.errors import HttpError
from paddock.client.http.messages import SseParser

STREAM = (
    ": a comment\r\n\r\nid: 1\nretry: 250\ndata:\n\n"
    "event: message\ndata: first\ndata:  and more\n\ndata:second\r\rid: 2\r\ndata: größer\r\n\r\n"
    "data: never finished\n"
).encode()
DATA = [b"first\n and more", b"second", "größer".encode()]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12).map(sorted))
def test_events_do_not_depend_on_where_the_stream_is_cut(cuts: list[int]) -> None:
    events = SseParser(1000)
    edges = [0, *cuts, len(STREAM)]
    pieces = [STREAM[start:end] for start, end in pairwise(edges)]
    assert [data for piece in pieces for data in events.feed(piece)] == DATA
    assert (events.last_id, events.retry_seconds) == ("2", 0.25)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_an_event_is_there_as_soon_as_its_last_line_has_ended(end: str) -> None:
    events = SseParser(1000)
    assert list(events.feed(f"data: first{end}{end}".encode())) == [b"first"]
    assert list(events.feed(f"data: second{end}{end}".encode())) == [b"second"]


def test_a_byte_order_mark_is_not_a_part_of_the_first_event() -> None:
    events = SseParser(1000)
    pieces = [b"\xef", b"\xbb\xbf", b"data: first\n\n", b"\xef\xbb\xbfdata: no field\n\n"]
    assert [data for piece in pieces for data in events.feed(piece)] == [b"first"]


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_a_fault(data: bytes) -> None:
    list(SseParser(1000).feed(data))


@pytest.mark.parametrize(
    "stream", [b"data: " + b"x" * 200, b"data: 12345678\n" * 20, b"data:\n" * 200]
)
def test_an_event_beyond_the_limit_is_an_error(stream: bytes) -> None:
    events = SseParser(100)
    with pytest.raises(HttpError):
        for start in range(0, len(stream), 16):
            list(events.feed(stream[start : start + 16]))


def test_a_stream_that_goes_on_forgets_half_an_event_but_not_where_it_was() -> None:
    first = SseParser(100)
    list(first.feed(b"id: 5\nretry: 10\ndata: x\n\ndata: half"))
    second = first.make_continuation()
    assert list(second.feed(b"data: whole\n\n")) == [b"whole"]
    assert (second.last_id, second.retry_seconds) == ("5", 0.01)
