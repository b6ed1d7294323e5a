from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.peer.errors import HttpError
from paddock.peer.http.events import Events

STREAM = (
    ": a comment\r\n\r\nid: 1\nretry: 250\ndata:\n\n"
    "event: message\ndata: first\ndata:  and more\n\ndata:second\r\rid: 2\r\ndata: größer\r\n\r\n"
    "data: never finished\n"
).encode()
DATA = [b"first\n and more", b"second", "größer".encode()]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12).map(sorted))
def test_events_do_not_depend_on_where_the_stream_is_cut(cuts: list[int]) -> None:
    events = Events(1000)
    edges = [0, *cuts, len(STREAM)]
    pieces = [STREAM[start:end] for start, end in pairwise(edges)]
    assert [data for piece in pieces for data in events.feed(piece)] == DATA
    assert (events.last_id, events.retry) == ("2", 0.25)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_a_fault(data: bytes) -> None:
    list(Events(1000).feed(data))


@pytest.mark.parametrize("stream", [b"data: " + b"x" * 200, b"data: 12345678\n" * 20])
def test_an_event_beyond_the_limit_is_an_error(stream: bytes) -> None:
    events = Events(100)
    with pytest.raises(HttpError):
        for start in range(0, len(stream), 16):
            list(events.feed(stream[start : start + 16]))


def test_a_stream_that_goes_on_forgets_half_an_event_but_not_where_it_was() -> None:
    first = Events(100)
    list(first.feed(b"id: 5\nretry: 10\ndata: x\n\ndata: half"))
    second = first.resumed()
    assert list(second.feed(b"data: whole\n\n")) == [b"whole"]
    assert (second.last_id, second.retry) == ("5", 0.01)
