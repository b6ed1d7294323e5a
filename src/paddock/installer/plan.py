"""What an installation does, or would do: which files change, how, and what else is to be said.

A plan is data. It is made before anything is written, shown as it is by a dry run, and afterwards
says what was done. Values of environment variables and headers are secrets until somebody asks to
see them.

What is shown of a change: the entry alone, without secrets.

A client's file holds tokens and other people's servers next to ours, in whatever way they are
written. So nothing of the file's text is shown: the entry is written anew into an empty file, with
covers in the place of secrets.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from paddock.errors import PaddockError
from paddock.installer.client_app import Client
from paddock.installer.config_files.document import MISSING
from paddock.installer.entry_builder import find_started_server
from paddock.installer.secret_masking import (
    PUBLIC_VARIABLES,
    SECRET_PLACEHOLDER,
    SECRET_TABLE_NAMES,
    is_variable_reference,
    mask_placeholders,
    mask_url,
    strip_command_options,
)
from paddock.named_servers.installations import Installation

if TYPE_CHECKING:
    from paddock.installer.entry_location import EntryLocation


@dataclass(frozen=True)
class Change:
    """What becomes of one file."""

    file: Path
    before: bytes | None = field(repr=False)
    """None: there is no such file."""
    after: bytes | None = field(repr=False)
    """None: the file goes."""
    shown: tuple[str, str] = field(default=("", ""), repr=False)
    """What may be shown of it to anybody, before and after."""
    backup: Path | None = None
    """Where the content from before is kept, once the change is made."""

    @property
    def is_needed(self) -> bool:
        """Whether the file changes at all."""
        return self.before != self.after

    def diff(self, *, show_values: bool = False) -> str:
        """The change as a unified diff, of the entry alone and without secrets.

        With `show_values` it is the diff of the whole file, as it is.
        """
        name = str(self.file)
        before, after = (
            (_decode_content(self.before), _decode_content(self.after))
            if show_values
            else self.shown
        )
        lines = difflib.unified_diff(
            _split_lines(before),
            _split_lines(after),
            "/dev/null" if self.before is None else name,
            "/dev/null" if self.after is None else name,
        )
        text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
        return text if show_values else mask_placeholders(text)


@dataclass(frozen=True)
class Plan:
    """What is done to one client for one server."""

    action: Literal["install", "uninstall"]
    client: Client = field(repr=False)
    server: str
    """The name of the server, or the path that was given for it."""
    key: str
    """The name of the entry in the client's configuration."""
    scope: str
    """`user`, `file`, or the directory of a project."""
    changes: tuple[Change, ...] = ()
    """One for each file of the client; none where the client has no file."""
    notes: tuple[str, ...] = ()
    """What is left to the user: approve the server, quit the application first, …"""
    paste: str | None = field(default=None, repr=False)
    """What to paste into the client, as JSON, where it has no file that could be written."""
    link: str | None = field(default=None, repr=False)
    """A link that does the same as pasting, where the client has one."""
    is_applied: bool = False
    """Whether the files were written; false for a dry run, and where there is only something to
    paste."""
    installations: tuple[Installation, ...] = field(default=(), repr=False)
    """The records of what was installed, or of what was there."""

    def diff(self, *, show_values: bool = False) -> str:
        """All changes as one text; empty when nothing changes."""
        return "".join(change.diff(show_values=show_values) for change in self.changes)


@dataclass(frozen=True)
class Outcome:
    """What came of one of several clients: a plan, or the error that it ended with."""

    client: str
    """The id of the client."""
    plan: Plan | None = None
    error: PaddockError | None = None


def _decode_content(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", errors="replace")


def _split_lines(text: str) -> list[str]:
    # Other characters that Python takes for line ends are none to an editor.
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


SecretReplacer = Callable[[object], str]
DESCRIPTIVE_FIELDS = frozenset({"type", "command", "cmd", "name", "transport", "description"})
"""Fields with texts that say what an entry is."""
SECRET_NAME_PATTERN = re.compile(
    r"token|secret|passw|key|auth|bearer|credential|cookie|header|^-H$", re.I
)
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
    texts = (
        _render_preview(spot, before, bases[1], cover),
        _render_preview(spot, after, bases[0], cover),
    )
    return Change(spot.file, before, after, texts, backup)


def _render_preview(
    spot: EntryLocation, content: bytes | None, base: bytes | None, cover: SecretReplacer
) -> str:
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
            return {
                name: _replace_variable_value(name, value, cover) for name, value in data.items()
            }
        return {
            name: _replace_secrets(value, cover, str(name), is_ours=is_ours)
            for name, value in data.items()
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
    is_shown = (
        name in PUBLIC_VARIABLES
        or is_variable_reference(name, value)
        or value in (None, "", True, False)
    )
    return value if is_shown else cover(value)


def _replace_argument_secrets(
    data: list[object], cover: SecretReplacer, field: str, *, is_ours: bool
) -> list[object]:
    shown = []
    before = ""
    for place, one in enumerate(data):
        is_program = place == 0 and field in DESCRIPTIVE_FIELDS
        is_secret = SECRET_NAME_PATTERN.search(before) or (
            isinstance(one, str) and re.match(r"-.*=", one)
        )
        if not isinstance(one, str) or is_program:
            shown.append(_replace_secrets(one, cover, field, is_ours=is_ours))
        else:
            shown.append(one if is_ours and not is_secret else cover(one))
        before = one if isinstance(one, str) and one.startswith("-") else ""
    return shown
