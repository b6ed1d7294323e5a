"""What is shown of a change: the entry alone, without secrets.

A client's file holds tokens and other people's servers next to ours, in whatever way they are
written. So nothing of the file's text is shown: the entry is written anew into an empty file, with
covers in the place of secrets.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from paddock.clients.editing.document import MISSING
from paddock.clients.entries import find_started_server
from paddock.clients.plan import Change
from paddock.clients.secrets import (
    SECRET_PLACEHOLDER,
    PUBLIC_VARIABLES,
    SECRET_TABLE_NAMES,
    is_variable_reference,
    strip_command_options,
    mask_url,
)

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.clients.placing import EntryLocation

SecretReplacer = Callable[[object], str]
DESCRIPTIVE_FIELDS = frozenset({"type", "command", "cmd", "name", "transport", "description"})
"""Fields with texts that say what an entry is."""
SECRET_NAME_PATTERN = re.compile(r"token|secret|passw|key|auth|bearer|credential|cookie|header|^-H$", re.I)
"""What fields and options are called that hold secrets."""


def build_change(
    spot: EntryLocation, before: bytes | None, after: bytes | None, backup: Path | None = None
) -> Change:
    """What becomes of a file, with what may be shown of it."""
    values: dict[str, str] = {}

    def cover(value: object) -> str:
        return values.setdefault(str(value), SECRET_PLACEHOLDER.format(len(values)))

    # A file that is made, or goes, is all ours.
    bases = (after if before is None else b"", before if after is None else b"")
    texts = (_render_preview(spot, before, bases[1], cover), _render_preview(spot, after, bases[0], cover))
    return Change(spot.file, before, after, texts, backup)


def _render_preview(spot: EntryLocation, content: bytes | None, base: bytes | None, cover: SecretReplacer) -> str:
    entry = spot.read_entry(content)
    if entry is MISSING:
        return ""
    read = spot.client.shape.parse_entry(entry)
    is_ours = read is not None and find_started_server(read) is not None
    hidden = _replace_secrets(entry, cover, "", is_ours=is_ours)
    return spot.load_document(base).document.put(spot.path, hidden).text


def _replace_secrets(data: object, cover: SecretReplacer, field: str, *, is_ours: bool) -> object:
    """The data of an entry with covers for all that may be secret in it."""
    if isinstance(data, dict):
        if field in SECRET_TABLE_NAMES:
            return {name: _replace_variable_value(name, value, cover) for name, value in data.items()}
        return {
            name: _replace_secrets(value, cover, str(name), is_ours=is_ours) for name, value in data.items()
        }
    if isinstance(data, list):
        return _replace_argument_secrets(data, cover, field, is_ours=is_ours)
    if not isinstance(data, str) or data == "":
        return data
    if "://" in data:
        return mask_url(data, cover)
    if field in DESCRIPTIVE_FIELDS:
        return strip_command_options(data)
    return data if is_ours and not SECRET_NAME_PATTERN.search(field) else cover(data)


def _replace_variable_value(name: object, value: object, cover: SecretReplacer) -> object:
    is_shown = name in PUBLIC_VARIABLES or is_variable_reference(name, value) or value in (None, "", True, False)
    return value if is_shown else cover(value)


def _replace_argument_secrets(data: list[object], cover: SecretReplacer, field: str, *, is_ours: bool) -> list[object]:
    shown = []
    before = ""
    for place, one in enumerate(data):
        is_program = place == 0 and field in DESCRIPTIVE_FIELDS
        is_secret = SECRET_NAME_PATTERN.search(before) or (isinstance(one, str) and re.match(r"-.*=", one))
        if not isinstance(one, str) or is_program:
            shown.append(_replace_secrets(one, cover, field, is_ours=is_ours))
        else:
            shown.append(one if is_ours and not is_secret else cover(one))
        before = one if isinstance(one, str) and one.startswith("-") else ""
    return shown
