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
from paddock.clients.entries import server_started_by
from paddock.clients.plan import Change
from paddock.clients.secrets import (
    COVER,
    KNOWN,
    PLACES,
    is_reference,
    shown_command,
    shown_url,
)

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.clients.placing import Spot

Cover = Callable[[object], str]
PLAIN = frozenset({"type", "command", "cmd", "name", "transport", "description"})
"""Fields with texts that say what an entry is."""
SECRET = re.compile(r"token|secret|passw|key|auth|bearer|credential|cookie|header|^-H$", re.I)
"""What fields and options are called that hold secrets."""


def change_of(
    spot: Spot, before: bytes | None, after: bytes | None, backup: Path | None = None
) -> Change:
    """What becomes of a file, with what may be shown of it."""
    values: dict[str, str] = {}

    def cover(value: object) -> str:
        return values.setdefault(str(value), COVER.format(len(values)))

    # A file that is made, or goes, is all ours.
    bases = (after if before is None else b"", before if after is None else b"")
    texts = (_shown(spot, before, bases[1], cover), _shown(spot, after, bases[0], cover))
    return Change(spot.file, before, after, texts, backup)


def _shown(spot: Spot, content: bytes | None, base: bytes | None, cover: Cover) -> str:
    entry = spot.entry_in(content)
    if entry is MISSING:
        return ""
    read = spot.client.shape.read(entry)
    is_ours = read is not None and server_started_by(read) is not None
    hidden = _hidden(entry, cover, "", is_ours=is_ours)
    return spot.opened(base).document.put(spot.path, hidden).text


def _hidden(data: object, cover: Cover, field: str, *, is_ours: bool) -> object:
    """The data of an entry with covers for all that may be secret in it."""
    if isinstance(data, dict):
        if field in PLACES:
            return {name: _variable(name, value, cover) for name, value in data.items()}
        return {
            name: _hidden(value, cover, str(name), is_ours=is_ours) for name, value in data.items()
        }
    if isinstance(data, list):
        return _arguments(data, cover, field, is_ours=is_ours)
    if not isinstance(data, str) or data == "":
        return data
    if "://" in data:
        return shown_url(data, cover)
    if field in PLAIN:
        return shown_command(data)
    return data if is_ours and not SECRET.search(field) else cover(data)


def _variable(name: object, value: object, cover: Cover) -> object:
    is_shown = name in KNOWN or is_reference(name, value) or value in (None, "", True, False)
    return value if is_shown else cover(value)


def _arguments(data: list[object], cover: Cover, field: str, *, is_ours: bool) -> list[object]:
    shown = []
    before = ""
    for place, one in enumerate(data):
        is_program = place == 0 and field in PLAIN
        is_secret = SECRET.search(before) or (isinstance(one, str) and re.match(r"-.*=", one))
        if not isinstance(one, str) or is_program:
            shown.append(_hidden(one, cover, field, is_ours=is_ours))
        else:
            shown.append(one if is_ours and not is_secret else cover(one))
        before = one if isinstance(one, str) and one.startswith("-") else ""
    return shown
