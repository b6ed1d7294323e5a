"""Which trace contexts count, by the W3C's recommendations; the others are as if absent."""

import pytest

from paddock import TraceContext
from paddock.protocol.trace_context import parse_trace_context

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = f"00-{TRACE}-{SPAN}-01"


def test_a_traceparent_names_the_trace_and_the_span() -> None:
    found = TraceContext(PARENT, "rojo=1", "user=ada")
    assert (found.trace_id, found.parent_id, found.is_sampled) == (TRACE, SPAN, True)
    assert found.headers == {"traceparent": PARENT, "tracestate": "rojo=1", "baggage": "user=ada"}


def test_a_context_of_baggage_only_names_no_trace() -> None:
    found = TraceContext(baggage="user=ada")
    assert (found.trace_id, found.parent_id, found.is_sampled) == (None, None, False)
    assert found.headers == {"baggage": "user=ada"}


def test_flags_say_whether_the_trace_is_recorded() -> None:
    assert not TraceContext(f"00-{TRACE}-{SPAN}-02").is_sampled
    assert TraceContext(f"00-{TRACE}-{SPAN}-03").is_sampled


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        "",
        PARENT.upper(),
        PARENT[:-1],
        PARENT + "0",
        PARENT + "-extra",
        PARENT.replace("-", "_"),
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE[:-1]}g-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-0x",
        f"01-{TRACE}-{SPAN}-01.extra",
        f" {PARENT}",
    ],
)
def test_a_malformed_traceparent_counts_as_none(value: object) -> None:
    assert parse_trace_context(value, "rojo=1", None) is None


@pytest.mark.parametrize("rest", ["", "-what-comes-later"])
def test_a_later_version_is_read_as_much_as_it_is_known(rest: str) -> None:
    assert parse_trace_context(f"cc-{TRACE}-{SPAN}-01{rest}", None, None) == TraceContext(PARENT)


@pytest.mark.parametrize(
    "value", ["rojo=00f067aa0ba902b7,congo=t61", " a=1 ,\tb=2", "t@v=x y", "0a=1", "a=1,,b=2"]
)
def test_a_tracestate_is_passed_on_as_it_is(value: str) -> None:
    assert parse_trace_context(PARENT, value, None) == TraceContext(PARENT, value)


@pytest.mark.parametrize(
    "value",
    [
        *("", ",", "a", "=1", "a=", "A=1", "a=1,a=2", "a=b=c", "a=ü", "a=\n", "_a=1", "a@b@c=1"),
        "a=" + "x" * 257,
        "x" * 257 + "=1",
        ",".join(f"k{number}=1" for number in range(33)),
        ["a=1"],
    ],
)
def test_a_malformed_tracestate_is_left_out(value: object) -> None:
    assert parse_trace_context(PARENT, value, None) == TraceContext(PARENT)


@pytest.mark.parametrize(
    "value", ["userId=alice", "a=1;secret,b=%20x ; p=q", "a = 1 , b=", "k=x=y"]
)
def test_baggage_is_passed_on_as_it_is(value: str) -> None:
    assert parse_trace_context(None, None, value) == TraceContext(baggage=value)


@pytest.mark.parametrize(
    "value",
    ["", "a", "=1", "a=1,", "a=ü", 'a="x"', "a=x y", "a b=1", "a=1\r\nx: y", "a=" + "x" * 8192],
)
def test_malformed_baggage_is_left_out(value: str) -> None:
    assert parse_trace_context(PARENT, None, value) == TraceContext(PARENT)
