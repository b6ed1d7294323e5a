"""What an installation does, or would do: which files change, how, and what else is to be said.

A plan is data. It is made before anything is written, shown as it is by a dry run, and afterwards
says what was done. Values of environment variables and headers are secrets until somebody asks to
see them.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from paddock.clients.client import Client
from paddock.clients.secrets import mask_placeholders
from paddock.errors import PaddockError
from paddock.servers.installations import Installation


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
        before, after = (_decode_content(self.before), _decode_content(self.after)) if show_values else self.shown
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
