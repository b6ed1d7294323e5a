"""The binary form: what is written reads back, and what is wrong is reported."""

import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.wolfram import (
    Expression,
    WxfError,
    are_equal,
    call,
    full_form,
    parse_strict,
    read_wxf,
    string,
    symbol,
    write_wxf,
)
from paddock.wolfram.wxf import MAX_UNPACKED_BYTES
from tests.unit.wolfram.samples import SAMPLES, sample

BYTES = [
    ("1", b"8:C\x01"),
    ("300", b"8:j\x2c\x01"),
    ("-70000", b"8:i\x90\xee\xfe\xff"),
    ("5000000000", b"8:L\x00\xf2\x05*\x01\x00\x00\x00"),
    ("123456789012345678901", b"8:I\x15123456789012345678901"),
    ("2.5", b"8:r\x00\x00\x00\x00\x00\x00\x04@"),
    ("1.5`20", b"8:R\x061.5`20"),
    ('"a\\[EAcute]"', b"8:S\x03a\xc3\xa9"),
    ("x", b"8:s\x01x"),
    ("\\[EAcute]", b"8:s\x02\xc3\xa9"),
    ("f[x]", b"8:f\x01s\x01fs\x01x"),
    ("<|a -> 1, b :> c|>", b"8:A\x02-s\x01aC\x01:s\x01bs\x01c"),
    ("<||>", b"8:A\x00"),
]


@pytest.mark.parametrize(("text", "data"), BYTES)
def test_the_bytes_of_expressions(text: str, data: bytes) -> None:
    (expression,) = parse_strict(text)
    assert write_wxf(expression) == data
    assert write_wxf(read_wxf(data)) == data


@pytest.mark.parametrize("path", SAMPLES[:4], ids=lambda path: path.name)
def test_sources_go_through_wxf(path: Path) -> None:
    text = sample(path).replace('\\!\\(x\\^2 + "\\)"\\) + \\(y\\/2\\);', "")
    for expression in parse_strict(text):
        once = read_wxf(write_wxf(expression))
        for compress in (False, True):
            assert are_equal(read_wxf(write_wxf(once, compress=compress)), once)


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"8:\xc1\x00\x01\x03\x01\x02\xff", "List[1, 2, -1]"),
        (b"8:\xc1\x10\x02\x02\x02\x01\x02\x03\x04", "List[List[1, 2], List[3, 4]]"),
        (b"8:\xc2\x10\x01\x02\x01\x02", "NumericArray[List[1, 2]]"),
        (b"8:\xc1\x23\x01\x01\x00\x00\x00\x00\x00\x00\xf8?", "List[1.5]"),
        (b"8:\xc1\x33\x01\x01\x00\x00\x80?\x00\x00\x00@", "List[Complex[1., 2.]]"),
        (b"8:B\x03abc", 'ByteArray["YWJj"]'),
        (b"8:s\x0bSystem`Plus", "Plus"),
        (b"8:r\x00\x00\x00\x00\x00\x00\xf0\x7f", "Indeterminate"),
    ],
)
def test_arrays_and_other_values_become_expressions(data: bytes, form: str) -> None:
    assert full_form(read_wxf(data)) == form


BOMB = b"8C:" + zlib.compress(b"S" + b"\xff\xff\xff\x7f" + b" " * (MAX_UNPACKED_BYTES + 1))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"placeholder\n",
        b"8:",
        b"8:C",
        b"8:Q",
        b"8:f\xff\xff\xff\x7f",
        b"8:f" + b"\xff" * 12,
        b"8:S\x05ab",
        b"8:S\x01\xff",
        b"8:C\x01C\x01",
        b"8C:xx",
        b"8C:" + zlib.compress(b"C"),
        b"8:\xc1\x99\x01\x01\x00",
        b"8:\xc1\x00\x02\xff\xff\xff\x7f\xff\xff\xff\x7f",
        b"8:s\x04f[1]",
        b"8:I\x04x[1]",
        b"8:f\x81\x92\xf4\x01" + b"C\x01" * 4_000_002,
        b"8:\xc1\x00\xff\x01" + b"\x80\x89\x7a" + b"\x01" * 254 + b"\x00" * 2_000_000,
        b"8:\xc1\x00" + b"\x80\x89\x7a" + b"\x7f" * 2_000_000,
        b"8:\xc1\x00\x00\x00",
        BOMB,
    ],
    ids=lambda data: repr(data[:20]),
)
def test_what_is_not_wxf_is_refused(data: bytes) -> None:
    with pytest.raises(WxfError) as caught:
        read_wxf(data, where="tool.wxf")
    assert caught.value.where == "tool.wxf"


@settings(max_examples=300, deadline=None)
@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for start in (b"8:", b"8:f\x01"):
        try:
            read_wxf(start + data)
        except WxfError:
            continue


@given(
    st.recursive(
        st.one_of(
            st.text().map(string),
            st.integers().map(lambda number: parse_strict(str(number))[0]),
            st.sampled_from(["a", "ctx`b", "é"]).map(symbol),
        ),
        lambda inner: st.lists(inner, max_size=4).map(lambda args: call("List", *args)),
        max_leaves=10,
    )
)
def test_expressions_read_back_as_they_were_written(expression: Expression) -> None:
    assert are_equal(read_wxf(write_wxf(expression)), expression)


@pytest.mark.parametrize(
    "text",
    ["\\(x\\)", '"\\:d800"', "36^^" + "z" * 3000, "9" * 3000 + "*^3999", "1*^99999"],
    ids=lambda text: text[:20],
)
def test_what_has_no_bytes_cannot_be_written(text: str) -> None:
    (expression,) = parse_strict(text)
    with pytest.raises(WxfError):
        write_wxf(expression)
