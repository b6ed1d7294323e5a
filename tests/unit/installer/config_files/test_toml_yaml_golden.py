"""Files of clients before and after an entry is put in, after it is taken away, and broken ones."""

from pathlib import Path as File
from typing import Any

import pytest

from paddock.errors import PaddockError
from paddock.installer.config_files.document import (
    MISSING,
    ConfigFormat,
    DocumentPath,
    NamedElementStep,
)
from paddock.installer.config_files.editable_document import DocumentFile, load_document
from tests.unit.installer.config_files.entries import ENTRY, missing_containers

GOLDEN = File(__file__).parents[3] / "golden" / "editing"
FORMATS: dict[str, ConfigFormat] = {".toml": "toml", ".yaml": "yaml"}
GOOSE = {
    "name": "paddock",
    "cmd": ENTRY["command"],
    "args": ENTRY["args"],
    "enabled": True,
    "envs": ENTRY["env"],
    "type": "stdio",
    "timeout": 300,
}
CLIENTS: dict[str, tuple[DocumentPath, dict[str, Any]]] = {
    "codex": (("mcp_servers", "paddock"), ENTRY),
    "gptme": (
        ("mcp", "servers", NamedElementStep("paddock")),
        {"name": "paddock", "enabled": True, **ENTRY},
    ),
    "goose": (("extensions", "paddock"), GOOSE),
    "continue": (("mcpServers", NamedElementStep("paddock")), {"name": "paddock", **ENTRY}),
    "hermes": (("mcp_servers", "paddock"), {**ENTRY, "enabled": True}),
}


def cases(kind: str) -> list[File]:
    return [file for ending in FORMATS for file in sorted(GOLDEN.glob(f"*/*.{kind}{ending}"))]


def opened(file: File) -> DocumentFile:
    return load_document(file.read_bytes(), FORMATS[file.suffix], where=file.name)


@pytest.mark.parametrize("before", cases("before"), ids=lambda file: file.name)
def test_an_entry_changes_its_own_lines_only_and_can_be_taken_away(before: File) -> None:
    path, entry = CLIENTS[before.name.partition("-")[0]]
    stem = before.name.partition(".")[0]
    file = opened(before)
    changed = file.replace_document(file.document.put(path, entry))
    assert changed.to_bytes() == before.with_name(f"{stem}.after{before.suffix}").read_bytes()

    prune = missing_containers(file.document, path)
    removed = file.replace_document(changed.document.remove(path, prune=prune))
    special = before.with_name(f"{stem}.removed{before.suffix}")
    assert removed.to_bytes() == (special if special.exists() else before).read_bytes()
    assert removed.document.get(path) is MISSING


@pytest.mark.parametrize("broken", cases("broken"), ids=lambda file: file.name)
def test_a_file_that_cannot_be_changed_is_refused_with_line_and_column(broken: File) -> None:
    with pytest.raises(PaddockError) as error:
        opened(broken).document.put(
            ("mcp_servers" if broken.suffix == ".toml" else "extensions", "paddock"), ENTRY
        )
    expected = broken.with_name(f"{broken.name.partition('.')[0]}.error.txt")
    assert f"{error.value.code} {error.value.where}\n" == expected.read_text(encoding="utf-8")
