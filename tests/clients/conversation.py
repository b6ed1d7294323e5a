"""What a client and our server said to each other, as the tap wrote it down."""

import itertools
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

    def openings(self) -> list[Any]:
        """The ids of the client's handshakes; empty if it knew the server already."""
        asked = (entry.message for entry in self.entries if entry.sender == "client")
        return [message["id"] for message in asked if message.get("method") in OPENINGS]

    def methods(self) -> list[str]:
        """What the client asked for, in order."""
        asked = (entry.message for entry in self.entries if entry.sender == "client")
        return [message["method"] for message in asked if "method" in message]

    def is_loaded(self) -> bool:
        """Whether the server lived long enough to load the author's module."""
        return any(entry.event == "loaded" for entry in self.entries)

    def openings_answered_before_load(self) -> list[Any]:
        """The ids of those handshakes that had their result before the module was loaded."""
        before = itertools.takewhile(lambda entry: entry.event != "loaded", self.entries)
        answers = [entry.message for entry in before if entry.sender == "server"]
        answered = [answer["id"] for answer in answers if "result" in answer]
        return [opening for opening in self.openings() if opening in answered]


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
