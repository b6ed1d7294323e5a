"""Findings know where they are as far as errors say it."""

import pytest

from paddock import LoadError
from paddock.validation.findings import (
    FindingCollector,
    FindingLocation,
    find_line,
    parse_location,
)

KNOWN = FindingLocation("/known.toml", key="tools[0]")


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (None, KNOWN),
        ("/known.toml", KNOWN),
        ("no file", KNOWN),
        ("/a.b/c.toml", FindingLocation("/a.b/c.toml", key="tools[0]")),
        ("/a.b/c.toml:3", FindingLocation("/a.b/c.toml", 3, key="tools[0]")),
        ("/a.b/c.wl:3:14", FindingLocation("/a.b/c.wl", 3, 14, "tools[0]")),
        ("/a.b/c.toml: prompts", FindingLocation("/a.b/c.toml", key="prompts")),
        ("C:\\a\\c.toml:3: prompts", FindingLocation("C:\\a\\c.toml", 3, key="prompts")),
    ],
)
def test_a_location_is_parsed_from_an_error(where: str | None, expected: FindingLocation) -> None:
    assert parse_location(where, KNOWN) == expected


def test_a_place_is_reported_as_editors_understand_it() -> None:
    assert str(FindingLocation("a.toml", 3, 14, "tools")) == "a.toml:3:14: tools"
    assert str(FindingLocation("a.toml")) == "a.toml"


def test_the_line_of_a_toml_error_is_found_in_its_message() -> None:
    findings = FindingCollector()
    error = LoadError("cannot be read: Invalid value (at line 2, column 7)")
    findings.add_error("unreadable-definition", error, "a.toml")
    assert [one.place for one in findings.to_tuple()] == [FindingLocation("a.toml", 2, 7)]


def test_the_same_is_reported_once() -> None:
    findings = FindingCollector()
    for _ in range(2):
        findings.add("no-extension", "it is missing", "place")
    assert [str(one) for one in findings.to_tuple()] == ["place: it is missing"]


@pytest.mark.parametrize(("word", "line"), [("Plot", 2), ("lot", None), ("a.b", 3), ("b", None)])
def test_a_word_is_found_where_it_is_alone(word: str, line: int | None) -> None:
    assert find_line('Plotter\n["Plot"]\na.b = 1', word) == line
