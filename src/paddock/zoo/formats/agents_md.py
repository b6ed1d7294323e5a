"""Agents as marked blocks of an AGENTS.md, which belongs to the project and not to the zoo.

Only what stands between the marks of an agent is ever replaced or taken out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.zoo.formats.agent_file import unfit
from paddock.zoo.formats.exchange import AgentFilesError, File, Remark
from paddock.zoo.formats.names import one_line, slug, title
from paddock.zoo.formats.personas import persona_of, skills_of
from paddock.zoo.formats.sections import compose, take_apart
from paddock.zoo.model import Agent

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = "agents-md"
PATH = "AGENTS.md"

_BEGIN = re.compile(r"^<!-- paddock:agent ([a-z0-9-]+) -->[ \t]*(?:\r?\n|\Z)", re.M)
_MARK = re.compile(r"<(\\*)!-- (/?)paddock:")
_ESCAPED = re.compile(r"<\\(\\*)!-- (/?)paddock:")


class BlockError(AgentFilesError):
    """The marks of a block in an AGENTS.md are damaged."""

    code = "agents-md-block"


def block_of(agent: Agent) -> tuple[File, list[Remark]]:
    """An agent as a block, and what of it does not fit."""
    name = slug(agent.id, "agent")
    shown = one_line(agent.name) or title(name)
    parts = [f"## {shown}"]
    if description := agent.description.strip():
        parts.append("\n".join(f"> {line}" if line else ">" for line in description.split("\n")))
    body = compose(persona_of(agent))
    if body.startswith(">") and not description:
        parts.append(">")  # so that the quotation is not taken for the description
    parts.append(body)
    inner = _MARK.sub(r"<\\\1!-- \2paddock:", "\n\n".join(part for part in parts if part))
    text = f"<!-- paddock:agent {name} -->\n{inner}\n<!-- /paddock:agent {name} -->\n"
    report = [
        Remark(field=key, message=said, agent_id=agent.id, path=PATH) for key, said in unfit(agent)
    ]
    return File(path=PATH, text=text, block=name), report


def with_block(text: str, block: File) -> str:
    """The text of an AGENTS.md with a block in it, in the place of the one of that agent.

    Raises:
        BlockError: when the marks of the old one are damaged.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    new = block.text.replace("\n", end)
    for name, start, stop in list(_places(text)):  # all, to see damage anywhere
        if name == block.block:
            return f"{text[:start]}{new}{text[stop:]}"
    if not text.strip():
        gap = end if text and not text.endswith("\n") else ""
    else:
        gap = "" if re.search(r"\n\r?\n\Z", text) else end if text.endswith("\n") else end + end
    return f"{text}{gap}{new}"


def has_blocks(text: str) -> bool:
    """Whether there is a block of any agent in an AGENTS.md."""
    return _BEGIN.search(text) is not None


def agents_of(file: File) -> tuple[list[Agent], list[Remark]]:
    """The agents whose blocks stand in an AGENTS.md.

    Raises:
        BlockError: when marks are damaged.
    """
    agents = [_agent(name, file.text[start:stop]) for name, start, stop in _places(file.text)]
    text = "what stands outside of the blocks of agents was left alone"
    return agents, [Remark(field="file", message=text, path=file.path)]


def _places(text: str) -> Iterator[tuple[str, int, int]]:
    """The name of each block, and where it begins and ends, its marks included."""
    place, seen = 0, set()
    while begin := _BEGIN.search(text, place):
        name = begin[1]
        end = re.compile(rf"^<!-- /paddock:agent {name} -->[ \t]*(?:\r?\n|\Z)", re.M)
        found = end.search(text, begin.end())
        following = _BEGIN.search(text, begin.end())
        if found is None or (following and following.start() < found.start()):
            raise BlockError(
                f"the block of {name} does not end",
                where=_line(text, begin.start()),
                hint=f"write <!-- /paddock:agent {name} --> on a line below it, or take it out",
            )
        if name in seen:
            raise BlockError(
                f"there is a second block of {name}",
                where=_line(text, begin.start()),
                hint="take one of the two out",
            )
        seen.add(name)
        yield name, begin.start(), found.end()
        place = found.end()


def _line(text: str, place: int) -> str:
    number = text.count("\n", 0, place) + 1
    return f"{PATH}:{number}"


def _agent(name: str, text: str) -> Agent:
    lines = _ESCAPED.sub(r"<\1!-- \2paddock:", text.replace("\r\n", "\n")).strip("\n").split("\n")
    inner = "\n".join(lines[1:-1]).strip("\n")
    shown = title(name)
    if found := re.match(r"## (.+)\n*", inner):
        shown, inner = found[1].strip(), inner[found.end() :]
    quoted = re.match(r"(?:>.*(?:\n|\Z))+", inner)
    description = ""
    if quoted is not None:
        description = re.sub(r"^> ?", "", quoted[0], flags=re.M).strip()
        inner = inner[quoted.end() :]
    persona = take_apart(inner)
    return Agent(
        id=name,
        name=shown,
        description=description,
        system_prompt=persona.soul,
        skills=skills_of(persona),
    )
