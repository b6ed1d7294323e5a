"""From the bytes of a configuration file to a document and back."""

import codecs

import pytest

from paddock.installer.config_files.document import (
    ConfigurationError,
    compute_line_and_column,
    detect_newline,
)
from paddock.installer.config_files.editable_document import load_document


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"\xef\xbb\xbf{}\r\n", b'{\r\n  "a": 1,\n  "b": "\xc3\xb6"\r}', b"\xef\xbb\xbf"],
)
def test_a_file_comes_back_as_it_was(data: bytes) -> None:
    assert load_document(data, "json", where="f").to_bytes() == data


@pytest.mark.parametrize(
    ("data", "newline"), [(b"", "\n"), (b"{\r\n}\n", "\r\n"), (b"{\r}", "\r"), (b"{\n}", "\n")]
)
def test_the_first_line_end_is_that_of_the_file(data: bytes, newline: str) -> None:
    assert detect_newline(load_document(data, "json", where="f").document.text) == newline


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("{}".encode("utf-16"), "f: the file is encoded as UTF-16, expected UTF-8"),
        (codecs.BOM_UTF16_BE + b"\0{\0}", "f: the file is encoded as UTF-16, expected UTF-8"),
        ("{}".encode("utf-32"), "f: the file is encoded as UTF-32, expected UTF-8"),
        (b'{\n "\xc3\xb6\xe9"}', "f:2:4: the byte 0xe9 is not UTF-8"),
    ],
)
def test_other_encodings_are_refused(data: bytes, expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_document(data, "json", where="f")
    assert str(caught.value) == f"{expected} (save the file as UTF-8; nothing was changed)"


def test_the_mark_does_not_count_as_a_column() -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_document(b"\xef\xbb\xbf{x}", "json", where="f")
    assert caught.value.where == "f:1:2"


@pytest.mark.parametrize(
    ("offset", "position"),
    [(0, (1, 1)), (1, (1, 2)), (2, (1, 3)), (3, (2, 1)), (4, (3, 1)), (5, (4, 1)), (6, (4, 2))],
)
def test_all_line_ends_count(offset: int, position: tuple[int, int]) -> None:
    assert compute_line_and_column("a\r\n\n\rb\u2028", offset) == position
