"""The reference of the zoo names everything there is, with the limits that are kept."""

import re
from typing import get_args

from paddock.zoo import validation
from paddock.zoo.model import ENTRY_TYPES, EventKind
from paddock.zoo.service import Zoo
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "reference" / "zoo.md").read_text(encoding="utf-8")


def test_every_method_of_a_zoo_is_named() -> None:
    methods = {
        name for name in dir(Zoo) if not name.startswith("_") and callable(getattr(Zoo, name))
    }
    named = set(re.findall(r"`(\w+)(?:\([\w=, *]*\))?`", PAGE))
    elsewhere = {"import_legacy_file_once"}  # open_zoo asks for it
    assert methods - elsewhere - named == set()


def test_every_kind_of_event_and_entry_is_named() -> None:
    missing = [kind for kind in (*get_args(EventKind), *ENTRY_TYPES) if f"`{kind}`" not in PAGE]
    assert missing == []


def test_the_limits_are_those_that_are_kept() -> None:
    rows = {
        row[0]: row[1] for row in re.findall(r"^\| `(\w+)`.*\| ([^|]*) \|$", PAGE, re.MULTILINE)
    }
    assert rows["systemPrompt"] == f"{validation.MAX_SYSTEM_PROMPT_CHARACTERS:,} characters"
    assert rows["content"].startswith(f"1 to {validation.MAX_ENTRY_CHARACTERS:,} characters")
    assert rows["skills"].startswith(f"{validation.MAX_SKILLS:,}")
    assert (
        rows["contextRefs"]
        == f"{validation.MAX_REFERENCES} of {validation.MAX_REFERENCE_CHARACTERS:,} characters"
    )
    assert f"{validation.MAX_AGENT_VERSIONS}\nversions" in PAGE
    assert f"budget of {validation.DEFAULT_MEMORY_TOKENS:,} tokens" in PAGE
    assert f"in the bin for {validation.DELETED_RETENTION_DAYS} days" in PAGE
