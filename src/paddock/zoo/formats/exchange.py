"""Types shared by the file formats: text files, import batches, exports and remarks."""

from __future__ import annotations

from msgspec import Struct, field

from paddock.errors import PaddockError
from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack, set_component_name


class AgentFilesError(PaddockError):
    """Base class of errors in reading or writing agent files."""

    code = "agent-files"


class File(Struct, rename="camel", kw_only=True, frozen=True):
    """A text file at a path in a project."""

    path: str
    """Relative to the project folder, with `/` as separator."""
    text: str
    block: str | None = None
    """The name of an agent if the text is only its block in an AGENTS.md, or None for a file."""


class Remark(Struct, rename="camel", frozen=True):
    """Something that a conversion cannot represent, or that the user should check."""

    field: str
    """An agent's JSON key, a front matter key, `brain`, or `file` for the whole file."""
    message: str
    agent_id: str | None = None
    path: str | None = None


@set_component_name("Export")
class AgentExport(Struct, rename="camel", kw_only=True):
    """Agents converted to files."""

    files: list[File] = field(default_factory=list)
    report: list[Remark] = field(default_factory=list)


class StandaloneSkill(Struct, rename="camel", kw_only=True):
    """A skill from its own file, which does not belong to an agent yet."""

    skill: LibrarySkill
    path: str
    text: str
    """The original file, used to write the skill back with all its content."""


class ImportBatch(Struct, rename="camel", kw_only=True):
    """The content of imported files."""

    agents: list[Agent] = field(default_factory=list)
    brains: dict[str, list[BrainEntry]] = field(default_factory=dict)
    """Entries by agent ID."""
    skills: list[StandaloneSkill] = field(default_factory=list)
    """Skills from SKILL.md files, which do not belong to an agent yet."""
    library: list[LibrarySkill] = field(default_factory=list)
    """Library skills from bundles."""
    packs: list[Pack] = field(default_factory=list)
    report: list[Remark] = field(default_factory=list)
