"""What goes between the zoo and files: files as text, agents, and what of them does not fit."""

from __future__ import annotations

from msgspec import Struct, field

from paddock.errors import PaddockError
from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack


class AgentFilesError(PaddockError):
    """Files cannot be taken for agents, or agents not be put into files; the base of the next."""

    code = "agent-files"


class File(Struct, rename="camel", kw_only=True, frozen=True):
    """A text file, as it stands or is to stand in a folder."""

    path: str
    """Relative to the folder, with `/` between its parts."""
    text: str
    block: str | None = None
    """The agent whose marked block the text is; the rest of the file belongs to others."""


class Remark(Struct, rename="camel", kw_only=True, frozen=True):
    """Something that does not fit, or that somebody should look at."""

    field: str
    """The key of an agent, a key of a file's front matter, or `file` for the whole."""
    message: str
    agent_id: str | None = None
    path: str | None = None


class Export(Struct, rename="camel", kw_only=True):
    """Agents as files."""

    files: list[File] = field(default_factory=list)
    report: list[Remark] = field(default_factory=list)


class StandaloneSkill(Struct, rename="camel", kw_only=True):
    """A skill from a file of its own, which belongs to no agent yet."""

    skill: LibrarySkill
    path: str
    text: str
    """The file as it was, so that it can be written again with all that it had."""


class ImportBatch(Struct, rename="camel", kw_only=True):
    """What was found in files."""

    agents: list[Agent] = field(default_factory=list)
    brains: dict[str, list[BrainEntry]] = field(default_factory=dict)
    """By the ids of the agents."""
    skills: list[StandaloneSkill] = field(default_factory=list)
    library: list[LibrarySkill] = field(default_factory=list)
    packs: list[Pack] = field(default_factory=list)
    report: list[Remark] = field(default_factory=list)
