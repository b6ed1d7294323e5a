"""What a client and our server said to each other, as the tap wrote it down."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]

OPENINGS = ("initialize", "server/discover")


@dataclass(frozen=True)
class Entry:
    """One message, or something that happened in the server."""

    sender: str
    message: Json
    event: str | None = None


@dataclass(frozen=True)
class Conversation:
    """Everything that one server process heard and said, in order."""

    entries: tuple[Entry, ...]

    def opening(self) -> Json:
        """The client's first message."""
        return next(entry.message for entry in self.entries if entry.sender == "client")

    def methods(self) -> list[str]:
        """What the client asked for, in order."""
        asked = (entry.message for entry in self.entries if entry.sender == "client")
        return [message["method"] for message in asked if "method" in message]

    def is_loaded(self) -> bool:
        """Whether the server lived long enough to load the author's module."""
        return any(entry.event == "loaded" for entry in self.entries)

    def answers_before_load(self) -> list[Json]:
        """What the server answered while the author's module was still being loaded."""
        found = []
        for entry in self.entries:
            if entry.event == "loaded":
                break
            if entry.sender == "server" and "result" in entry.message:
                found.append(entry.message)
        return found


def conversations(directory: Path) -> list[Conversation]:
    """The conversations that were written down in a directory."""
    files = sorted(directory.glob("*.jsonl"), key=lambda file: file.stat().st_ctime)
    return [Conversation(tuple(map(_entry, _lines(file)))) for file in files]


def _lines(file: Path) -> list[Json]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _entry(line: Json) -> Entry:
    if "event" in line:
        return Entry("", {}, line["event"])
    return Entry(line["from"], json.loads(line["line"]))
