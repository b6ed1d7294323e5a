"""Agents as marked blocks of an AGENTS.md, which belongs to the project.

Only the text between the marks of an agent is replaced or removed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.zoo.formats.agent_file import iterate_unsupported_fields
from paddock.zoo.formats.exchange import AgentFilesError, File, Remark
from paddock.zoo.formats.soul_markdown import (
    format_persona,
    make_persona,
    make_skills,
    parse_persona,
)
from paddock.zoo.model import Agent
from paddock.zoo.slugs import collapse_whitespace, make_file_slug, make_title

if TYPE_CHECKING:
    from collections.abc import Iterator

AGENTS_MD_FORMAT = "agents-md"
AGENTS_MD_PATH = "AGENTS.md"

_BLOCK_BEGIN = re.compile(r"^<!-- paddock:agent ([a-z0-9-]+) -->[ \t]*(?:\r?\n|\Z)", re.M)
_BLOCK_MARK = re.compile(r"<(\\*)!-- (/?)paddock:")
_ESCAPED_BLOCK_MARK = re.compile(r"<\\(\\*)!-- (/?)paddock:")


class BlockError(AgentFilesError):
    """The marks of a block in an AGENTS.md are damaged."""

    code = "agents-md-block"


def make_block(agent: Agent) -> tuple[File, list[Remark]]:
    """Convert an agent to a block. Returns remarks about data that it cannot represent."""
    name = make_file_slug(agent.id, "agent")
    title = collapse_whitespace(agent.name) or make_title(name)
    parts = [f"## {title}"]
    if description := agent.description.strip():
        parts.append("\n".join(f"> {line}" if line else ">" for line in description.split("\n")))
    body = format_persona(make_persona(agent))
    if body.startswith(">") and not description:
        parts.append(">")  # an empty description: the quotation belongs to the soul
    parts.append(body)
    # Marks in the text of an agent are escaped, or they would end its block.
    inner = _BLOCK_MARK.sub(r"<\\\1!-- \2paddock:", "\n\n".join(part for part in parts if part))
    text = f"<!-- paddock:agent {name} -->\n{inner}\n<!-- /paddock:agent {name} -->\n"
    report = [
        Remark(key, message, agent_id=agent.id, path=AGENTS_MD_PATH)
        for key, message in iterate_unsupported_fields(agent)
    ]
    return File(path=AGENTS_MD_PATH, text=text, block=name), report


def insert_block(text: str, block: File) -> str:
    """Return the text of an AGENTS.md with a block replaced or appended.

    Text outside of the block is not changed, because the file belongs to the project.

    Raises:
        BlockError: The marks of a block are damaged.
    """
    # Windows line ends of the project are kept.
    end = "\r\n" if "\r\n" in text else "\n"
    new = block.text.replace("\n", end)
    for existing in list(_find_blocks(text)):  # list: check all blocks before changing one
        if existing.name == block.block:
            return f"{text[: existing.start]}{new}{text[existing.end :]}"
    if not text.strip():
        gap = end if text and not text.endswith("\n") else ""
    else:
        gap = "" if re.search(r"\n\r?\n\Z", text) else end if text.endswith("\n") else end + end
    return f"{text}{gap}{new}"


def has_blocks(text: str) -> bool:
    """Return whether an AGENTS.md has a block of an agent."""
    return _BLOCK_BEGIN.search(text) is not None


def parse_agents(file: File) -> tuple[list[Agent], list[Remark]]:
    """Return the agents in an AGENTS.md.

    Raises:
        BlockError: The marks of a block are damaged.
    """
    agents = [
        _parse_agent(block.name, file.text[block.start : block.end])
        for block in _find_blocks(file.text)
    ]
    text = "text outside of the blocks of agents is ignored"
    return agents, [Remark("file", text, path=file.path)]


class _BlockRange(NamedTuple):
    """The position of an agent's block in an AGENTS.md, including its marks."""

    name: str
    start: int
    end: int


def _find_blocks(text: str) -> Iterator[_BlockRange]:
    """Yield the positions of all blocks.

    A damaged block raises an error instead of being skipped: replacing a wrong range would destroy
    text of the project.
    """
    position, seen = 0, set()
    while begin := _BLOCK_BEGIN.search(text, position):
        name = begin[1]
        end_pattern = re.compile(rf"^<!-- /paddock:agent {name} -->[ \t]*(?:\r?\n|\Z)", re.M)
        end = end_pattern.search(text, begin.end())
        following = _BLOCK_BEGIN.search(text, begin.end())
        if end is None or (following and following.start() < end.start()):
            raise BlockError(
                f"the block of {name} has no end mark",
                where=_format_location(text, begin.start()),
                hint=f"write <!-- /paddock:agent {name} --> below the block, or remove it",
            )
        if name in seen:
            raise BlockError(
                f"there is a second block of {name}",
                where=_format_location(text, begin.start()),
                hint="remove one of the two",
            )
        seen.add(name)
        yield _BlockRange(name, begin.start(), end.end())
        position = end.end()


def _format_location(text: str, position: int) -> str:
    number = text.count("\n", 0, position) + 1
    return f"{AGENTS_MD_PATH}:{number}"


def _parse_agent(name: str, text: str) -> Agent:
    """Convert a block back to an agent.

    This is the inverse of `make_block`.
    """
    lines = (
        _ESCAPED_BLOCK_MARK.sub(r"<\1!-- \2paddock:", text.replace("\r\n", "\n"))
        .strip("\n")
        .split("\n")
    )
    inner = "\n".join(lines[1:-1]).strip("\n")
    title = make_title(name)
    if heading := re.match(r"## (.+)\n*", inner):
        title, inner = heading[1].strip(), inner[heading.end() :]
    quoted = re.match(r"(?:>.*(?:\n|\Z))+", inner)
    description = ""
    if quoted is not None:
        description = re.sub(r"^> ?", "", quoted[0], flags=re.M).strip()
        inner = inner[quoted.end() :]
    persona = parse_persona(inner)
    return Agent(
        id=name,
        name=title,
        description=description,
        system_prompt=persona.soul,
        skills=make_skills(persona),
    )
