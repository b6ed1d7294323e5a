"""A brain as the MEMORY.md that Claude Code gives an agent, and back."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, cast

from paddock.zoo.formats.exchange import File, Remark
from paddock.zoo.formats.soul_markdown import normalize_text
from paddock.zoo.model import ENTRY_TYPES, BrainEntry, EntryType

if TYPE_CHECKING:
    from collections.abc import Iterable

MEMORY_FOLDER = ".claude/agent-memory"
MAX_CLAUDE_CODE_LINES = 200
"""What Claude Code injects of the file."""
MEMORY_TITLE = "# Memory"
TAGS_LABEL = "*Tags:*"

_PATH_PATTERN = re.compile(r"\.claude/agent-memory/([^/]+)/MEMORY\.md")
_ENTRY_TYPE_NAMES = "|".join(one.capitalize() for one in ENTRY_TYPES)
_CLOSING_SIGNS = re.compile(r"(?<!#)(#+)[ \t]*$", re.M)


def parse_memory_agent(path: str) -> str | None:
    """The name of the agent whose memory a path is; None of another file."""
    found = _PATH_PATTERN.fullmatch(path)
    return found[1] if found else None


def make_memory_file(
    agent_id: str, name: str, entries: Iterable[BrainEntry]
) -> tuple[File, list[Remark]]:
    """Entries as a file, pinned ones first, then the newest; and what of them does not fit."""
    ordered = sorted(entries, key=lambda one: one.timestamp, reverse=True)
    ordered.sort(key=lambda one: not one.pinned)
    path = f"{MEMORY_FOLDER}/{name}/MEMORY.md"
    texts = [_format_entry_body(one) for one in ordered]
    close = ""
    if any(re.search(r"^#{1,2} ", text, re.M) for text in texts):
        ends = [found[1] for text in texts for found in _CLOSING_SIGNS.finditer(text)]
        close = " " + "#" * (max(map(len, ends), default=0) + 1)
    heads = [
        f"## {one.type.capitalize()} {one.timestamp}{' (pinned)' if one.pinned else ''}{close}"
        for one in ordered
    ]
    parts = [f"{head}\n\n{text}" for head, text in zip(heads, texts, strict=True)]
    text = "\n\n".join([f"{MEMORY_TITLE}{close}", *parts]) + "\n"
    report = []
    if any(one.metadata for one in ordered):
        said = "where entries come from is not written"
        report.append(Remark(field="brain", message=said, agent_id=agent_id, path=path))
    lines = text.count("\n")
    if lines > MAX_CLAUDE_CODE_LINES:
        said = f"{lines} lines, of which Claude Code reads {MAX_CLAUDE_CODE_LINES}"
        report.append(Remark(field="brain", message=said, agent_id=agent_id, path=path))
    return File(path=path, text=text), report


def parse_entries(file: File, agent_id: str) -> list[BrainEntry]:
    """What a file remembers; what is not written as an entry becomes a note.

    The notes have no time.
    """
    text = normalize_text(file.text.removeprefix("\ufeff"))
    title = re.match(rf"{MEMORY_TITLE}(?: (#+))?$", text, re.M)
    rest = text[title.end() :] if title else text
    close = f" {title[1]}" if title and title[1] else ""
    pieces = re.split(
        rf"^## ({_ENTRY_TYPE_NAMES}) (\S+?)( \(pinned\))?{re.escape(close)}$", rest, flags=re.M
    )
    found = []
    if loose := pieces[0].strip():
        found.append(BrainEntry(id="", agent_id=agent_id, type="note", content=loose, timestamp=""))
    for kind, at, pinned, below in zip(*(pieces[n::4] for n in (1, 2, 3, 4)), strict=True):
        tags, content = _parse_entry_body(below.strip())
        found.append(
            BrainEntry(
                id="",
                agent_id=agent_id,
                type=cast("EntryType", kind.lower()),
                content=content,
                timestamp=at,
                pinned=pinned is not None,
                tags=tags,
            )
        )
    return found


def _format_entry_body(entry: BrainEntry) -> str:
    content = normalize_text(entry.content)
    if not entry.tags:
        return f"{TAGS_LABEL}\n\n{content}" if content.startswith(TAGS_LABEL) else content
    is_plain = all(re.fullmatch(r"[^\s,\[](?:[^,\n]*[^\s,])?", tag) for tag in entry.tags)
    tags = ", ".join(entry.tags) if is_plain else json.dumps(entry.tags, ensure_ascii=False)
    return f"{TAGS_LABEL} {tags}\n\n{content}"


def _parse_entry_body(text: str) -> tuple[list[str], str]:
    """The tags of an entry, and its content."""
    if not text.startswith(TAGS_LABEL):
        return [], text
    first, _, content = text.partition("\n")
    said = first.removeprefix(TAGS_LABEL).strip()
    if said.startswith("["):
        try:
            tags = json.loads(said)
        except ValueError:
            return [], text
        return [tag for tag in tags if isinstance(tag, str)], content.strip()
    return [tag.strip() for tag in said.split(",") if tag.strip()], content.strip()
