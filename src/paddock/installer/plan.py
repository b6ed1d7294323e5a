"""Plans for installations and removals: file changes with previews, and notes.

A dry run returns a plan without applying it. A preview never contains text of the client's file,
which may contain tokens and other programs' servers in any form. Instead, the entry is written into
an empty document with its secrets masked, before and after the change.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import KW_ONLY, dataclass, field
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

DESCRIPTIVE_FIELDS = frozenset({"type", "command", "cmd", "name", "transport", "description"})
"""Foreign entry fields that can be shown because they are not secret."""
SECRET_NAME_PATTERN = re.compile(
    r"token|secret|passw|key|auth|bearer|credential|cookie|header|^-H$", re.I
)
"""Matches the names of fields and options that contain secrets."""


@dataclass(frozen=True)
class FileChange:
    """The planned or completed change to one file, with a preview that is safe to print."""

    file: Path
    before: bytes | None = field(repr=False)
    """None if the file does not exist."""
    after: bytes | None = field(repr=False)
    """None if the file is deleted."""
    shown: tuple[str, str] = field(default=("", ""), repr=False)
    """The previews of the entry before and after the change, which contain no secrets."""
    backup: Path | None = None
    """The backup of the previous content, once the change is made."""

    @property
    def is_needed(self) -> bool:
        """True if the content changes."""
        return self.before != self.after

    def diff(self, *, show_values: bool = False) -> str:
        """Return the change as a unified diff.

        Args:
            show_values: Show the complete file as it is, with its secrets. By default, the diff
                contains only the entry, with secrets masked.
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
    """The planned or completed changes to one client for one server."""

    action: Literal["install", "uninstall"]
    client: Client = field(repr=False)
    server: str
    """The name of the server, or its path."""
    key: str
    """The name of the entry in the client's configuration."""
    scope: str
    """`user`, `file`, or the directory of a project."""
    changes: tuple[FileChange, ...] = ()
    """One for each file; empty if the client has no config file."""
    notes: tuple[str, ...] = ()
    """Steps that remain for the user: approve the server, quit the application first, …"""
    paste: str | None = field(default=None, repr=False)
    """The JSON to paste into the client if it has no config file."""
    link: str | None = field(default=None, repr=False)
    """An install link with the same effect, if the client supports links."""
    is_applied: bool = False
    """True if the files were written; false for a dry run, and if there is only text to paste."""
    installations: tuple[Installation, ...] = field(default=(), repr=False)
    """The records that were created, or that already existed."""

    def diff(self, *, show_values: bool = False) -> str:
        """Return all changes as one unified diff; empty if nothing changes."""
        return "".join(change.diff(show_values=show_values) for change in self.changes)


@dataclass(frozen=True)
class ClientOutcome:
    """The result for one of several clients: a plan or an error."""

    client: str
    """The id of the client."""
    plan: Plan | None = None
    error: PaddockError | None = None


def _decode_content(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", errors="replace")


def _split_lines(text: str) -> list[str]:
    # str.splitlines would also split at characters that editors do not treat as line endings.
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def build_change(
    location: EntryLocation, before: bytes | None, after: bytes | None, backup: Path | None = None
) -> FileChange:
    """Return the change to a file, with previews of the entry whose secrets are masked.

    Args:
        location: The entry that is inserted or removed.
        before: The content before the change; None if the file does not exist.
        after: The content after the change; None if the file is deleted.
        backup: The backup of `before`, once the change is made.
    """
    placeholders: dict[str, str] = {}
    # If Paddock creates or deletes the file, the previews contain all of its text.
    base_before, base_after = (before if after is None else b""), (after if before is None else b"")
    previews = (
        _render_preview(location, before, base_before, placeholders),
        _render_preview(location, after, base_after, placeholders),
    )
    return FileChange(location.file, before, after, previews, backup)


def _render_preview(
    location: EntryLocation,
    content: bytes | None,
    base: bytes | None,
    placeholders: dict[str, str],
) -> str:
    """Return the text of an entry for a preview, with its secrets masked.

    Args:
        location: The entry.
        content: The content of the file with the entry.
        base: The content that the masked entry is written into; empty to show only the entry.
        placeholders: The placeholders for secrets, shared by the previews of one change.
    """
    data = location.read_entry(content)
    if data is MISSING:
        return ""
    entry = location.client.shape.parse_entry(data)
    is_own = entry is not None and find_started_server(entry) is not None
    masked_data = _EntryMasker(placeholders, is_own=is_own).mask(data)
    return location.load_document(base).document.put(location.path, masked_data).text


@dataclass(frozen=True)
class _EntryMasker:
    """Replaces everything in an entry's data that may be secret with numbered placeholders.

    Equal values get equal placeholders in both previews, so that the diff shows which ones change.
    """

    placeholders: dict[str, str]
    _: KW_ONLY
    is_own: bool
    """True if the entry starts Paddock, so that its texts are known to be harmless unless their
    field names a secret. Of foreign entries, only a few fields are shown."""

    def mask(self, data: object, field: str = "") -> object:
        """Return an entry's data with its secrets replaced with placeholders.

        Args:
            data: The data of the entry, or the value of one of its fields.
            field: The name of the field; empty for the whole entry.
        """
        if isinstance(data, dict):
            if field in SECRET_TABLE_NAMES:
                return {name: self._mask_variable(name, value) for name, value in data.items()}
            return {name: self.mask(value, str(name)) for name, value in data.items()}
        if isinstance(data, list):
            return self._mask_arguments(data, field)
        if not isinstance(data, str) or data == "":
            return data
        if "://" in data:
            return mask_url(data, self._replace_secret)
        if field in DESCRIPTIVE_FIELDS:
            return strip_command_options(data)
        is_harmless = self.is_own and not SECRET_NAME_PATTERN.search(field)
        return data if is_harmless else self._replace_secret(data)

    def _replace_secret(self, value: object) -> str:
        number = len(self.placeholders)
        return self.placeholders.setdefault(str(value), SECRET_PLACEHOLDER.format(number))

    def _mask_variable(self, name: object, value: object) -> object:
        is_public = (
            name in PUBLIC_VARIABLES
            or is_variable_reference(name, value)
            or value in (None, "", True, False)
        )
        return value if is_public else self._replace_secret(value)

    def _mask_arguments(self, arguments: list[object], field: str) -> list[object]:
        """Return a command's arguments, replacing those that may be secret.

        In a Paddock command, these are the values of options with a name such as `--token`, and
        all options of the form `--name=value`. In any other command, all arguments are replaced.
        """
        masked_arguments = []
        option = ""
        for index, argument in enumerate(arguments):
            is_program = index == 0 and field in DESCRIPTIVE_FIELDS
            if not isinstance(argument, str) or is_program:
                masked = self.mask(argument, field)
            else:
                is_secret = SECRET_NAME_PATTERN.search(option) or re.match(r"-.*=", argument)
                is_harmless = self.is_own and not is_secret
                masked = argument if is_harmless else self._replace_secret(argument)
            masked_arguments.append(masked)
            option = argument if isinstance(argument, str) and argument.startswith("-") else ""
        return masked_arguments
