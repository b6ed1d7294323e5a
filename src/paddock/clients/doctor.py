"""What is wrong with what is installed, and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """One result of the doctor."""

    level: Literal["ok", "note", "warning", "error"]
    client: str
    """The id of the client."""
    file: str
    key: str
    message: str
    remedy: str = ""
    """What to do about it; empty when there is nothing to do."""


def doctor(client: str | None = None) -> list[Finding]:
    """Start each installed entry as its client would, and say what is wrong."""
    raise NotImplementedError
