"""Entries of servers as tests put them into documents, and what has to hold of every change."""

from hypothesis import strategies as st

from paddock.installer.config_files.document import MISSING, DocumentPath
from paddock.installer.config_files.editable_document import EditableDocument

ENTRY = {
    "command": "/usr/bin/python3",
    "args": ["-P", "-m", "paddock", "serve", "--named", "x"],
    "env": {"FOO": "bar"},
}
"""An entry like those of the clients that have a command, arguments and an environment."""

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["", "no", "1.0", "1e3", "~", "@x", "a: b", "a #b", "C:\\x", "é\n☃", "'\"", " "]
)

ENTRIES = st.fixed_dictionaries(
    {"command": TEXTS},
    optional={
        "args": st.lists(TEXTS, max_size=3),
        "env": st.dictionaries(TEXTS, TEXTS, max_size=2),
        "enabled": st.booleans(),
        "timeout": st.integers() | st.floats(allow_nan=False),
        "deep": st.just({"a": {"b": [{"c": []}, [[]], {}]}}),
    },
)
"""Entries with any text in them."""


def missing_containers(document: EditableDocument, path: DocumentPath) -> int:
    """How many containers on the way to an entry are made when it is put there."""
    return sum(document.get(path[:depth]) is MISSING for depth in range(1, len(path)))


def is_in(part: str, whole: str) -> bool:
    """Whether a text is left when some characters are taken out of another one."""
    characters = iter(whole)
    return all(character in characters for character in part)
