"""Agents as marked blocks of an AGENTS.md, which belongs to the project.

Only the text between an agent's marks is replaced or removed.
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
_HEADING = re.compile(r"## (.+)\n*")
_QUOTATION = re.compile(r"(?:>.*(?:\n|\Z))+")


class BlockError(AgentFilesError):
    """A block in an AGENTS.md has damaged marks."""

    code = "agents-md-block"


def make_block(agent: Agent) -> tuple[File, list[Remark]]:
    """Convert an agent to a block, with remarks about data that the block cannot represent.

    A block is the section of an AGENTS.md between the marks `<!-- paddock:agent ada -->` and
    `<!-- /paddock:agent ada -->`. It contains the heading `## Ada`, the description as a quotation,
    the soul and the skills.
    """
    name = make_file_slug(agent.id, "agent")
    title = collapse_whitespace(agent.name) or make_title(name)
    description = agent.description.strip()
    body = format_persona(make_persona(agent))
    parts = [f"## {title}"]
    if description:
        parts.append("\n".join(f"> {line}" if line else ">" for line in description.split("\n")))
    elif body.startswith(">"):
        # An empty quotation means an empty description. Without it, the parser would mistake the
        # first quotation in the soul for the description.
        parts.append(">")
    parts.append(body)
    # `<!-- paddock:` in the text of an agent becomes `<\!-- paddock:`, or it would end the block.
    content = _BLOCK_MARK.sub(r"<\\\1!-- \2paddock:", "\n\n".join(part for part in parts if part))
    text = f"<!-- paddock:agent {name} -->\n{content}\n<!-- /paddock:agent {name} -->\n"
    report = [
        Remark(key, message, agent_id=agent.id, path=AGENTS_MD_PATH)
        for key, message in iterate_unsupported_fields(agent)
    ]
    return File(path=AGENTS_MD_PATH, text=text, block=name), report


def insert_block(text: str, block: File) -> str:
    """Return the text of an AGENTS.md with an agent's block replaced or appended.

    Text outside of the block is not changed, because the file belongs to the project.

    Args:
        text: The current text of the AGENTS.md, which may be empty.
        block: The block that `make_block` returned.

    Raises:
        BlockError: The marks of a block are damaged.
    """
    # Keep the project's Windows line endings.
    line_end = "\r\n" if "\r\n" in text else "\n"
    block_text = block.text.replace("\n", line_end)
    # All blocks are read before any is changed, so damage anywhere prevents the change.
    for existing in list(_find_blocks(text)):
        if existing.name == block.block:
            return f"{text[: existing.start]}{block_text}{text[existing.end :]}"
    # A blank line separates the block from the text before it.
    gap = ""
    if text and not text.endswith("\n"):
        gap += line_end
    if text.strip() and not re.search(r"\n\r?\n\Z", text):
        gap += line_end
    return f"{text}{gap}{block_text}"


def has_blocks(text: str) -> bool:
    """Return whether an AGENTS.md contains any agent's block."""
    return _BLOCK_BEGIN.search(text) is not None


def parse_agents(file: File) -> tuple[list[Agent], list[Remark]]:
    """Return the agents in the blocks of an AGENTS.md, and a remark that other text is ignored.

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
    """Yield the positions of the agents' blocks in an AGENTS.md.

    A damaged block raises an error instead of being skipped, because replacing a wrong range would
    destroy the project's own text.

    Raises:
        BlockError: A block has no end mark, or an agent has two blocks.
    """
    position = 0
    seen_names: set[str] = set()
    while begin_mark := _BLOCK_BEGIN.search(text, position):
        name = begin_mark[1]
        end_pattern = re.compile(rf"^<!-- /paddock:agent {name} -->[ \t]*(?:\r?\n|\Z)", re.M)
        end_mark = end_pattern.search(text, begin_mark.end())
        next_begin_mark = _BLOCK_BEGIN.search(text, begin_mark.end())
        if end_mark is None or (next_begin_mark and next_begin_mark.start() < end_mark.start()):
            raise BlockError(
                f"the block of {name} has no end mark",
                where=_format_location(text, begin_mark.start()),
                hint=f"write <!-- /paddock:agent {name} --> below the block, or remove it",
            )
        if name in seen_names:
            raise BlockError(
                f"there is a second block of {name}",
                where=_format_location(text, begin_mark.start()),
                hint="remove one of the two",
            )
        seen_names.add(name)
        yield _BlockRange(name, begin_mark.start(), end_mark.end())
        position = end_mark.end()


def _format_location(text: str, position: int) -> str:
    number = text.count("\n", 0, position) + 1
    return f"{AGENTS_MD_PATH}:{number}"


def _parse_agent(name: str, text: str) -> Agent:
    """Convert a block back to an agent, the inverse of `make_block`.

    Args:
        name: The name in the marks of the block.
        text: The block with its marks.
    """
    unescaped_text = _ESCAPED_BLOCK_MARK.sub(r"<\1!-- \2paddock:", text.replace("\r\n", "\n"))
    # The first and the last line are the marks.
    lines = unescaped_text.strip("\n").split("\n")[1:-1]
    body = "\n".join(lines).strip("\n")
    title, description = make_title(name), ""
    if heading := _HEADING.match(body):
        title, body = heading[1].strip(), body[heading.end() :]
    if quotation := _QUOTATION.match(body):
        description = re.sub(r"^> ?", "", quotation[0], flags=re.M).strip()
        body = body[quotation.end() :]
    persona = parse_persona(body)
    return Agent(
        id=name,
        name=title,
        description=description,
        system_prompt=persona.soul,
        skills=make_skills(persona),
    )
