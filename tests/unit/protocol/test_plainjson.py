"""JSON with nothing imported: the same as the library's own, or refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.protocol import early_handshake

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(values)
def test_what_is_written_is_read_back(value: object) -> None:
    text = early_handshake.dump_json(value)
    assert json.loads(text) == value
    assert early_handshake.parse_json(text.encode()) == value
    assert "\n" not in text


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        early_handshake.parse_json(data)
    except ValueError:
        return
    json.loads(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"\x0b6",
        b"{} {}",
        b"nul",
        b"NaN",
        b"[Infinity]",
        b'{"a":-Infinity}',
        b"{'a':1}",
        b'"\x01"',
        b"\xff",
        b"[1,]",
        b"[" * 100_000,
        b"1" * 5000,
    ],
)
def test_what_is_not_json_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        early_handshake.parse_json(data)
