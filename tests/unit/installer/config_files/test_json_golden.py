"""JSON files before and after one entry is put into them, byte for byte.

`python -m tests.unit.installer.config_files.test_json_golden` writes them again; review the
difference.
"""

from pathlib import Path

import pytest

from paddock.installer.config_files.editable_document import DocumentFile, load_document

GOLDEN = Path(__file__).parents[3] / "golden" / "editing" / "json"
CASES = sorted(file.stem for file in GOLDEN.glob("*.before"))
PATH = ("mcpServers", "paddock")
ENTRY = {"command": "/usr/bin/python3", "args": ["-P", "-m", "paddock"], "env": {"KEY": "värde"}}


def opened(case: str, stage: str) -> DocumentFile:
    data = (GOLDEN / f"{case}.{stage}").read_bytes()
    return load_document(data, "json", where=f"{case}.{stage}")


def changed(case: str) -> bytes:
    before = opened(case, "before")
    return before.replace_document(before.document.put(PATH, ENTRY)).to_bytes()


@pytest.mark.parametrize("case", CASES)
def test_an_entry_is_put_where_the_golden_file_has_it(case: str) -> None:
    assert changed(case) == (GOLDEN / f"{case}.after").read_bytes()


@pytest.mark.parametrize("case", [case for case in CASES if not case.startswith("replaced")])
def test_an_entry_that_is_removed_leaves_the_golden_file_as_it_was(case: str) -> None:
    before, after = opened(case, "before"), opened(case, "after")
    made = 0 if isinstance(before.document.get(PATH[:1]), dict) else 1
    if not before.document.text:
        made = 2
    removed = after.document.remove(PATH, prune=made)
    assert after.replace_document(removed).to_bytes() == before.to_bytes()


if __name__ == "__main__":
    for name in CASES:
        (GOLDEN / f"{name}.after").write_bytes(changed(name))
