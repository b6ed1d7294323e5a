"""Reading and writing the frontmatter of a SKILL.md."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock import DefinitionError, Skill
from paddock.authoring.frontmatter import encode_frontmatter, parse_frontmatter, to_json_value

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | TEXTS | st.integers(-(2**63), 2**64 - 1) | st.floats(width=32),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
).filter(lambda value: "nan" not in repr(value) and "inf" not in repr(value))


def read(block: str) -> dict[str, Any]:
    return parse_frontmatter(f"---\n{block}\n---\n# Body\n".encode(), "SKILL.md")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("text", "text"),
        ("'1'", "1"),
        ("12", 12),
        ("-0.5", -0.5),
        ("1e3", 1000.0),
        ("0o14", 12),
        ("0x1F", 31),
        ("true", True),
        ("yes", "yes"),
        ("~", None),
        ("", None),
        ("2026-01-31", "2026-01-31"),
        ("2026-01-31 10:00:00", "2026-01-31 10:00:00"),
        ("[1, {a: b}]", [1, {"a": "b"}]),
        (">-\n  folded\n  text", "folded text"),
        ("{<<: {a: 1}}", {"<<": {"a": 1}}),
        ("{1: a, true: b}", {"1": "a", "true": "b"}),
    ],
)
def test_values_are_those_of_plain_yaml(written: str, value: object) -> None:
    assert read(f"key: {written}") == {"key": value}


@pytest.mark.parametrize(
    "data",
    [
        b"---\r\na: 1\r\n---\r\nbody",
        b"\xef\xbb\xbf---\na: 1\n---\n",
        b"---\na: 1\n---",
        b"---\na: 1\n---  \nbody\n---\n",
    ],
)
def test_the_block_ends_at_the_second_line_of_hyphens(data: bytes) -> None:
    assert parse_frontmatter(data, "SKILL.md") == {"a": 1}


@pytest.mark.parametrize(
    "data", [b"", b"# Title", b"---\n---\n", b"---\na: 1\n", b" ---\na: 1\n---"]
)
def test_a_file_without_frontmatter_is_refused(data: bytes) -> None:
    with pytest.raises(DefinitionError, match="has no frontmatter"):
        parse_frontmatter(data, "SKILL.md")


@pytest.mark.parametrize(
    ("block", "fault"),
    [
        ("a: &x 1\nb: *x", "SKILL.md:2: .* anchor or an alias"),
        ("a: *x", "SKILL.md:2: .* anchor or an alias"),
        ("a: 1\nb: !!python/object/apply:os.system [ls]", "SKILL.md:3: .* uses the tag"),
        ("a: !!str 1", "uses the tag"),
        ("a: 1\na: 2", "SKILL.md:3: .* the key 'a' twice"),
        ("? [a]\n: 1", "key that is not a string"),
        ("a: .nan", "the number .nan"),
        ("a: 1e999", "the number 1e999"),
        (f"a: {2**64}", "the number 1844"),
        (f"a: {'9' * 5000}", "the number 9999"),
        (f"a: {'[' * 21}{']' * 21}", "nested more than"),
        ("a: [", "SKILL.md:2: .* is not YAML"),
        ("a: b: c", "is not YAML"),
        ("\ta: 1", "is not YAML"),
        ("a: \0", "is not YAML"),
        ('a: "\\U00110000"', "is not YAML"),
        ('a: "\\UFFFFFFFF"', "is not YAML"),
        (f"%YAML 1.{'1' * 5000}\n--- {{}}", "is not YAML"),
        ("%YAML 1.99", "is not YAML"),
        ('a: 1\nb: ["\\ud800"]', "SKILL.md:3: .* half of a surrogate"),
        ('"\\udfff": 1', "SKILL.md:2: .* half of a surrogate"),
        ("a: 1\n...\nb: 2", "several documents"),
        ("- a", "not a mapping"),
        ("text", "not a mapping"),
        ("# nothing", "not a mapping"),
    ],
)
def test_what_is_not_plain_is_refused_with_its_place(block: str, fault: str) -> None:
    with pytest.raises(DefinitionError, match=fault):
        read(block)


def test_a_long_frontmatter_is_not_even_looked_at() -> None:
    with pytest.raises(DefinitionError, match="has no frontmatter"):
        read("a: " + "b" * 70_000)


def test_bytes_that_are_not_text_are_refused() -> None:
    with pytest.raises(DefinitionError, match="UTF-8"):
        parse_frontmatter(b"---\na: \xff\n---\n", "SKILL.md")


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_what_is_written_is_read_back(fields: dict[str, Any]) -> None:
    found = parse_frontmatter(encode_frontmatter({"x": 1, **fields}, "here"), "there")
    assert found == {"x": 1, **fields}


def test_dates_are_written_as_text() -> None:
    assert to_json_value({"since": date(2026, 1, 31)}, "here") == {"since": "2026-01-31"}


@pytest.mark.parametrize("value", [object(), {1: "a"}, float("nan"), 2**64, b"bytes"])
def test_values_that_json_lacks_are_refused(value: object) -> None:
    with pytest.raises(DefinitionError, match="frontmatter has"):
        Skill("a", "b", "c", frontmatter={"extra": value})


def test_half_a_character_is_refused() -> None:
    with pytest.raises(DefinitionError, match="half of a surrogate"):
        Skill("a", "\ud800", "c")
    with pytest.raises(DefinitionError, match="half of a surrogate"):
        Skill("a", "b", "\ud800")
