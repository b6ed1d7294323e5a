"""Every name of a server has one file, on every system."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock import ServerDefinitionError
from paddock.named_servers.names import MAX_STEM_CHARACTERS, decode_name, encode_name

printable = st.characters(exclude_categories=["C", "Z"])
names = st.text(printable, min_size=1, max_size=15)
PLAIN = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.%")


@given(names)
def test_a_name_is_what_its_file_says(name: str) -> None:
    stem = encode_name(name)
    assert decode_name(stem) == name
    assert set(stem) <= PLAIN


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Search", "Search"),
        ("my server", "my%20server"),
        ("acme/Plot", "acme%2FPlot"),
        ("../up", "%2E.%2Fup"),
        ("C:\\x", "C%3A%5Cx"),
        ("50%", "50%25"),
        ("größe", "gr%C3%B6%C3%9Fe"),
        (".hidden", "%2Ehidden"),
        ("CON", "%43ON"),
        ("nul", "%6Eul"),
        ("com1.old", "%63om1.old"),
        ("console", "console"),
        ("-x", "-x"),
    ],
)
def test_what_is_not_plain_or_not_safe_is_encoded(name: str, stem: str) -> None:
    assert encode_name(name) == stem
    assert decode_name(stem) == name


@pytest.mark.parametrize("stem", ["my server", "CON", "a%2fb", "a%41", "%", "%FF", ""])
def test_a_stem_that_no_name_has_means_none(stem: str) -> None:
    assert decode_name(stem) is None


@pytest.mark.parametrize("name", ["", " ", " x", "x ", "a\nb", "a\x1bb", "\ud800"])
def test_what_no_terminal_can_show_is_not_a_name(name: str) -> None:
    with pytest.raises(ServerDefinitionError, match="is not a valid server name"):
        encode_name(name)


def test_a_name_has_to_fit_into_a_file_name() -> None:
    assert encode_name("a" * MAX_STEM_CHARACTERS)
    with pytest.raises(ServerDefinitionError, match="too long"):
        encode_name("ä" * MAX_STEM_CHARACTERS)
