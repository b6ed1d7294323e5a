"""Names of files are safe whatever people call their agents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.zoo.formats.converter import export_agents
from paddock.zoo.formats.format_registry import FILE_FORMATS
from paddock.zoo.model import Agent
from paddock.zoo.slugs import (
    SLUG_PATTERN,
    find_free_name,
    is_portable_path,
    is_windows_device_name,
    make_file_slug,
    make_title,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Code Reviewer", "code-reviewer"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:\\Windows\\con", "c-windows-con"),
        ("CON", "con-agent"),
        ("nul", "nul-agent"),
        ("Zoë", "zoe"),
        ("", "agent"),
        (" \t", "agent"),
        ("🦊", "agent-0a9f72"),
        ("日本", "agent-cf2abf"),
        ("x" * 100, "x" * 64),
    ],
)
def test_a_name_keeps_what_is_safe_in_a_text(text: str, name: str) -> None:
    assert make_file_slug(text, "agent") == name


@given(st.text())
def test_every_text_has_a_safe_name(text: str) -> None:
    name = make_file_slug(text, "agent")
    assert SLUG_PATTERN.fullmatch(name)
    assert not is_windows_device_name(name)
    assert make_file_slug(name, "agent") == name
    assert is_portable_path(f".claude/agents/{name}.md")


def test_a_name_that_is_taken_is_counted_on() -> None:
    assert find_free_name("a", {"a", "a-2"}) == "a-3"
    assert find_free_name("x" * 64, {"x" * 64}) == "x" * 62 + "-2"


def test_a_safe_name_is_shown_as_words() -> None:
    assert make_title("code-review") == "Code Review"
    assert make_title("Ada & Co") == "Ada & Co"


@pytest.mark.parametrize(
    "path",
    [
        *("../x.md", "/etc/x.md", ".claude/agents/../../x.md", "a//b", "a/./b", "", "C:/x.md"),
        *("a\\b.md", "nul.md", "a/COM1/x", "x.md ", "x.", "a\nb", "a\0b", "x?.md"),
    ],
)
def test_a_path_that_could_lead_elsewhere_is_not_plain(path: str) -> None:
    assert not is_portable_path(path)


@pytest.mark.parametrize("kind", FILE_FORMATS)
def test_agents_of_like_names_get_files_that_differ_on_every_system(kind: str) -> None:
    ids = ("sage", "Sage", "SAGE", "../sage", "con", "🦊", "日本", "")
    files = export_agents([Agent(id=one, name=one) for one in ids], kind).files
    paths = [file.path.lower() for file in files]
    assert len(set(paths)) == len(ids)
    assert all(map(is_portable_path, paths))


@pytest.mark.parametrize("path", ["../../evil.md", ".claude/agents/../../../evil.md", "/x.md", 5])
def test_a_path_from_elsewhere_is_not_trusted(path: object) -> None:
    extra = {"claude-code": {"path": path, "head": "", "body": "Old"}}
    (file,) = export_agents([Agent(id="sage", name="Sage", extra=extra)], "claude-code").files
    assert file.path == ".claude/agents/sage.md"
