"""The reference of the zoo names everything there is, with the limits that are kept."""

import re
from pathlib import Path
from typing import get_args

from paddock.zoo import validation
from paddock.zoo.model import ENTRY_TYPES, EventKind
from paddock.zoo.opening import open_zoo
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "reference" / "zoo.md").read_text(encoding="utf-8")


def list_public_names(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_every_method_of_a_zoo_is_named(tmp_path: Path) -> None:
    methods_table = PAGE.partition("## Methods")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", methods_table, re.MULTILINE)
    documented = {part: set(re.findall(r"`(\w+)`", methods)) for part, methods in rows}
    with open_zoo(str(tmp_path / "zoo.db")) as zoo:
        parts = vars(zoo).keys() & list_public_names(zoo)
        assert documented.keys() == parts
        for part in parts:
            # `open_zoo` calls the import of the legacy file.
            methods = list_public_names(getattr(zoo, part)) - {"context", "import_legacy_file_once"}
            assert documented[part] == methods
        assert {name for name in list_public_names(zoo) - parts if f"`{name}(" not in PAGE} == set()


def test_a_zoo_has_few_public_names(tmp_path: Path) -> None:
    with open_zoo(str(tmp_path / "zoo.db")) as zoo:
        assert len(list_public_names(zoo)) <= 12


def test_every_kind_of_event_and_entry_is_named() -> None:
    missing = [kind for kind in (*get_args(EventKind), *ENTRY_TYPES) if f"`{kind}`" not in PAGE]
    assert missing == []


def test_the_limits_are_those_that_are_kept() -> None:
    tables = PAGE.partition("## Methods")[0]
    rows = {
        row[0]: row[1] for row in re.findall(r"^\| `(\w+)`.*\| ([^|]*) \|$", tables, re.MULTILINE)
    }
    assert rows["systemPrompt"] == f"{validation.MAX_SYSTEM_PROMPT_CHARACTERS:,} characters"
    assert rows["content"].startswith(f"1 to {validation.MAX_ENTRY_CHARACTERS:,} characters")
    assert rows["skills"].startswith(f"{validation.MAX_SKILLS:,}")
    assert (
        rows["contextRefs"]
        == f"{validation.MAX_REFERENCES} of {validation.MAX_REFERENCE_CHARACTERS:,} characters"
    )
    assert f"{validation.MAX_AGENT_VERSIONS} versions" in " ".join(PAGE.split())
    assert f"budget of {validation.DEFAULT_MEMORY_TOKENS:,} tokens" in PAGE
    assert f"in the bin for {validation.DELETED_RETENTION_DAYS} days" in PAGE
