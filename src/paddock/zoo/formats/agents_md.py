"""Agents as marked blocks of an AGENTS.md, which belongs to the project and not to the zoo.

Only what stands between the marks of an agent is ever replaced or taken out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.zoo.formats.agent_file import list_unsupported_fields
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
    """An agent as a block, and what of it does not fit."""
    name = make_file_slug(agent.id, "agent")
    shown = collapse_whitespace(agent.name) or make_title(name)
    parts = [f"## {shown}"]
    if description := agent.description.strip():
        parts.append("\n".join(f"> {line}" if line else ">" for line in description.split("\n")))
    body = format_persona(make_persona(agent))
    if body.startswith(">") and not description:
        parts.append(">")  # so that the quotation is not taken for the description
    parts.append(body)
    inner = _BLOCK_MARK.sub(r"<\\\1!-- \2paddock:", "\n\n".join(part for part in parts if part))
    text = f"<!-- paddock:agent {name} -->\n{inner}\n<!-- /paddock:agent {name} -->\n"
    report = [
        Remark(field=key, message=said, agent_id=agent.id, path=AGENTS_MD_PATH)
        for key, said in list_unsupported_fields(agent)
    ]
    return File(path=AGENTS_MD_PATH, text=text, block=name), report


def insert_block(text: str, block: File) -> str:
    """The text of an AGENTS.md with a block in it, in the place of the one of that agent.

    Raises:
        BlockError: when the marks of the old one are damaged.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    new = block.text.replace("\n", end)
    for name, start, stop in list(_find_blocks(text)):  # all, to see damage anywhere
        if name == block.block:
            return f"{text[:start]}{new}{text[stop:]}"
    if not text.strip():
        gap = end if text and not text.endswith("\n") else ""
    else:
        gap = "" if re.search(r"\n\r?\n\Z", text) else end if text.endswith("\n") else end + end
    return f"{text}{gap}{new}"


def has_blocks(text: str) -> bool:
    """Whether there is a block of any agent in an AGENTS.md."""
    return _BLOCK_BEGIN.search(text) is not None


def parse_agents(file: File) -> tuple[list[Agent], list[Remark]]:
    """The agents whose blocks stand in an AGENTS.md.

    Raises:
        BlockError: when marks are damaged.
    """
    agents = [
        _parse_agent(name, file.text[start:stop]) for name, start, stop in _find_blocks(file.text)
    ]
    text = "what stands outside of the blocks of agents was left alone"
    return agents, [Remark(field="file", message=text, path=file.path)]


def _find_blocks(text: str) -> Iterator[tuple[str, int, int]]:
    """The name of each block, and where it begins and ends, its marks included."""
    place, seen = 0, set()
    while begin := _BLOCK_BEGIN.search(text, place):
        name = begin[1]
        end = re.compile(rf"^<!-- /paddock:agent {name} -->[ \t]*(?:\r?\n|\Z)", re.M)
        found = end.search(text, begin.end())
        following = _BLOCK_BEGIN.search(text, begin.end())
        if found is None or (following and following.start() < found.start()):
            raise BlockError(
                f"the block of {name} does not end",
                where=_format_location(text, begin.start()),
                hint=f"write <!-- /paddock:agent {name} --> on a line below it, or take it out",
            )
        if name in seen:
            raise BlockError(
                f"there is a second block of {name}",
                where=_format_location(text, begin.start()),
                hint="take one of the two out",
            )
        seen.add(name)
        yield name, begin.start(), found.end()
        place = found.end()


def _format_location(text: str, place: int) -> str:
    number = text.count("\n", 0, place) + 1
    return f"{AGENTS_MD_PATH}:{number}"


def _parse_agent(name: str, text: str) -> Agent:
    lines = (
        _ESCAPED_BLOCK_MARK.sub(r"<\1!-- \2paddock:", text.replace("\r\n", "\n"))
        .strip("\n")
        .split("\n")
    )
    inner = "\n".join(lines[1:-1]).strip("\n")
    shown = make_title(name)
    if found := re.match(r"## (.+)\n*", inner):
        shown, inner = found[1].strip(), inner[found.end() :]
    quoted = re.match(r"(?:>.*(?:\n|\Z))+", inner)
    description = ""
    if quoted is not None:
        description = re.sub(r"^> ?", "", quoted[0], flags=re.M).strip()
        inner = inner[quoted.end() :]
    persona = parse_persona(inner)
    return Agent(
        id=name,
        name=shown,
        description=description,
        system_prompt=persona.soul,
        skills=make_skills(persona),
    )
