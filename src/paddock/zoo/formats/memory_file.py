"""Conversion of a brain to and from the MEMORY.md that Claude Code gives an agent."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, cast

from paddock.zoo.formats.exchange import File, Remark
from paddock.zoo.formats.soul_markdown import make_closing_hashes, normalize_text
from paddock.zoo.model import ENTRY_TYPES, BrainEntry, EntryType

if TYPE_CHECKING:
    from collections.abc import Iterable

MEMORY_FOLDER = ".claude/agent-memory"
MAX_CLAUDE_CODE_LINES = 200
"""The number of lines of the file that Claude Code injects."""
MEMORY_TITLE = "# Memory"
TAGS_LABEL = "*Tags:*"

_PATH_PATTERN = re.compile(r"\.claude/agent-memory/([^/]+)/MEMORY\.md")
_ENTRY_TYPE_NAMES = "|".join(entry_type.capitalize() for entry_type in ENTRY_TYPES)


def parse_memory_agent(path: str) -> str | None:
    """Return the name of the agent whose memory file has this path, or None."""
    match = _PATH_PATTERN.fullmatch(path)
    return match[1] if match else None


def make_memory_file(
    agent_id: str, name: str, entries: Iterable[BrainEntry]
) -> tuple[File, list[Remark]]:
    """Convert brain entries to an agent's MEMORY.md: pinned ones first, each group newest first.

    Args:
        agent_id: The ID of the agent, for the remarks.
        name: The name of the agent in Claude Code, which is the folder of the file.
        entries: The entries.

    Returns:
        The file, and remarks about data that it cannot represent.
    """
    ordered = sorted(entries, key=lambda entry: entry.timestamp, reverse=True)
    # Claude Code only reads the beginning, so the most important entries come first.
    ordered.sort(key=lambda entry: not entry.pinned)
    path = f"{MEMORY_FOLDER}/{name}/MEMORY.md"
    bodies = [_format_entry_body(entry) for entry in ordered]
    closing_hashes = _choose_closing_hashes(bodies)
    sections = [
        f"{_format_heading(entry)}{closing_hashes}\n\n{body}"
        for entry, body in zip(ordered, bodies, strict=True)
    ]
    text = "\n\n".join([f"{MEMORY_TITLE}{closing_hashes}", *sections]) + "\n"
    messages = []
    if any(entry.metadata for entry in ordered):
        messages.append("the metadata of entries is not written")
    line_count = text.count("\n")
    if line_count > MAX_CLAUDE_CODE_LINES:
        messages.append(f"{line_count} lines, of which Claude Code reads {MAX_CLAUDE_CODE_LINES}")
    report = [Remark("brain", message, agent_id=agent_id, path=path) for message in messages]
    return File(path=path, text=text), report


def _format_heading(entry: BrainEntry) -> str:
    """Return an entry's heading, such as `## Decision 2026-01-31T08:15:00.000Z (pinned)`."""
    return f"## {entry.type.capitalize()} {entry.timestamp}{' (pinned)' if entry.pinned else ''}"


def _choose_closing_hashes(bodies: list[str]) -> str:
    """Return the hashes that close entry headings if a body contains headings itself.

    In Markdown, `## Note ##` is the same heading as `## Note`. `parse_entries` recognizes entry
    headings by these hashes, so no line of a body may end with as many of them.
    """
    if not any(re.search(r"^#{1,2} ", body, re.M) for body in bodies):
        return ""
    return make_closing_hashes(bodies)


def parse_entries(file: File, agent_id: str) -> list[BrainEntry]:
    """Convert a MEMORY.md to brain entries, the inverse of `make_memory_file`.

    Text before the first entry becomes a note without a time. Entries have empty IDs, which the
    import fills in.
    """
    text = normalize_text(file.text.removeprefix("\ufeff"))
    # The title shows which hashes close the entry headings.
    title = re.match(rf"{MEMORY_TITLE}(?: (?P<hashes>#+))?$", text, re.M)
    entries_text = text[title.end() :] if title else text
    closing_hashes = f" {title['hashes']}" if title and title["hashes"] else ""
    heading = rf"^## ({_ENTRY_TYPE_NAMES}) (\S+?)( \(pinned\))?{re.escape(closing_hashes)}$"
    # The pieces are the text before the first heading, then type, time, pin and body of each entry.
    preamble, *pieces = re.split(heading, entries_text, flags=re.M)
    entry_fields = [pieces[index : index + 4] for index in range(0, len(pieces), 4)]
    entries = []
    if note := preamble.strip():
        entries.append(
            BrainEntry(id="", agent_id=agent_id, type="note", content=note, timestamp="")
        )
    for type_name, timestamp, pinned, body in entry_fields:
        tags, content = _parse_entry_body(body.strip())
        entries.append(
            BrainEntry(
                id="",
                agent_id=agent_id,
                type=cast("EntryType", type_name.lower()),
                content=content,
                timestamp=timestamp,
                pinned=pinned is not None,
                tags=tags,
            )
        )
    return entries


def _format_entry_body(entry: BrainEntry) -> str:
    """Return an entry's text below its heading: `*Tags:* python, tests`, and the content."""
    content = normalize_text(entry.content)
    if not entry.tags:
        # Content that begins with the label gets an empty label before it. Otherwise, the parser
        # would mistake its first line for tags.
        return f"{TAGS_LABEL}\n\n{content}" if content.startswith(TAGS_LABEL) else content
    # Tags with a comma, outer white space or a leading `[` would be read differently, so they are
    # written as a JSON list.
    is_plain = all(re.fullmatch(r"[^\s,\[](?:[^,\n]*[^\s,])?", tag) for tag in entry.tags)
    tags = ", ".join(entry.tags) if is_plain else json.dumps(entry.tags, ensure_ascii=False)
    return f"{TAGS_LABEL} {tags}\n\n{content}"


def _parse_entry_body(text: str) -> tuple[list[str], str]:
    """Return an entry's tags and content, the inverse of `_format_entry_body`.

    Tags are separated by commas, or written as a JSON list.
    """
    if not text.startswith(TAGS_LABEL):
        return [], text
    tags_line, _, content = text.partition("\n")
    tags_text = tags_line.removeprefix(TAGS_LABEL).strip()
    if tags_text.startswith("["):
        try:
            tags = json.loads(tags_text)
        except ValueError:
            return [], text
        return [tag for tag in tags if isinstance(tag, str)], content.strip()
    return [tag.strip() for tag in tags_text.split(",") if tag.strip()], content.strip()
