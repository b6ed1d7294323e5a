"""Agents into files of a format, and files of any format into agents; no disk is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from paddock.suggestions import did_you_mean
from paddock.zoo.formats import agents_md, bundle, memory_file, skill_folders
from paddock.zoo.formats.agent_file import agent_of, file_of
from paddock.zoo.formats.exchange import AgentFilesError, Export, File, Import, Remark
from paddock.zoo.formats.names import free_name
from paddock.zoo.formats.secrets import secrets_of
from paddock.zoo.formats.table import (
    AGENT_SKILLS,
    AGENTS_MD,
    BUNDLE,
    CLAUDE_CODE,
    FILE_FORMATS,
    formats,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack

MAX_FILES = 10_000
MAX_CHARACTERS = 20_000_000
"""Of all files together."""


class UnknownFormatError(AgentFilesError):
    """There is no format of that name."""

    code = "unknown-format"


def check_format(name: str) -> str:
    """A name of a format, if it is one.

    Raises:
        UnknownFormatError: when there is no such format.
    """
    names = [one.name for one in formats()]
    if name not in names:
        raise UnknownFormatError(
            f"there is no format {name!r}",
            hint=did_you_mean(name, names) or f"there are {', '.join(names)}",
        )
    return name


def export_agents(
    agents: Sequence[Agent],
    format_name: str,
    *,
    brains: Mapping[str, list[BrainEntry]] | None = None,
    library: Iterable[LibrarySkill] = (),
    packs: Iterable[Pack] = (),
) -> Export:
    """Agents as files of a format, with a report of what does not fit.

    Args:
        agents: The agents, no two of them with one id.
        format_name: One of `formats()`.
        brains: What they remember, by their ids; left out, memory is not written.
        library: Skills of the library, and
        packs: its packs, which only a bundle has a place for.

    Raises:
        UnknownFormatError: when there is no such format.
    """
    check_format(format_name)
    brains = brains or {}
    if format_name == BUNDLE:
        files = [bundle.bundle_of(agents, brains, library=library, packs=packs)]
        found = Export(files=files)
    elif format_name == AGENT_SKILLS:
        found = skill_folders.skill_folders(agents)
    elif format_name == AGENTS_MD:
        found = Export()
        for agent in agents:
            block, report = agents_md.block_of(agent)
            found.files.append(block)
            found.report += report
    else:
        found = _agent_files(agents, format_name, brains)
    if format_name not in (BUNDLE, CLAUDE_CODE.name):
        found.report += [
            Remark(field="brain", message="there is no place for memory", agent_id=agent.id)
            for agent in agents
            if brains.get(agent.id)
        ]
    for agent in agents:
        found.report += secrets_of(agent, brains.get(agent.id, ()))
    return found


def _agent_files(
    agents: Sequence[Agent], name: str, brains: Mapping[str, list[BrainEntry]]
) -> Export:
    kind = FILE_FORMATS[name]
    found = Export()
    taken: set[str] = set()
    for agent in agents:
        entries = brains.get(agent.id) if kind is CLAUDE_CODE else None
        file, report = file_of(kind, _remembering(agent) if entries else agent, taken)
        found.files.append(file)
        found.report += report
        if entries:
            stem = kind.stem(file.path) or agent.id
            memory, report = memory_file.memory_file(agent.id, stem, entries)
            found.files.append(memory)
            found.report += report
    return found


def _remembering(agent: Agent) -> Agent:
    """The agent with the field by which Claude Code gives it its memory, unless it has one."""
    origin = agent.extra.get(CLAUDE_CODE.name, {})
    if "head" in origin and "fields" not in origin:
        return agent  # which keys it has stands in the file alone
    fields = {"memory": "project", **origin.get("fields", {})}
    extra = {**agent.extra, CLAUDE_CODE.name: {**origin, "fields": fields}}
    return msgspec.structs.replace(agent, extra=extra)


def import_files(files: Sequence[File], format_name: str | None = None) -> Import:
    """The agents and skills in files, each file taken for what its path says, and a report.

    Args:
        files: Their paths are relative to the folder of a project, or to a user's home.
        format_name: What a file is whose path does not say it.

    Raises:
        UnknownFormatError: when there is no such format.
        BundleFormatError: when a bundle cannot be read.
        BlockError: when an AGENTS.md has damaged marks.
        AgentFilesError: when it is too much.
    """
    if format_name is not None:
        check_format(format_name)
    if len(files) > MAX_FILES or sum(len(file.text) for file in files) > MAX_CHARACTERS:
        raise AgentFilesError(
            f"{len(files):,} files are too many, or too large",
            hint=f"at most {MAX_FILES:,}, and {MAX_CHARACTERS:,} characters together",
        )
    taking = _Taking()
    memories = []
    for file in files:
        if memory_file.memory_agent(file.path) is not None:
            memories.append(file)
        else:
            taking.add_file(file, format_name)
    for file in memories:
        taking.add_memory(file)
    return taking.found


def format_of(file: File, given: str | None = None) -> str | None:
    """Which format a file is in: what its path says, else the one that is given."""
    for kind in FILE_FORMATS.values():
        if kind.stem(file.path) is not None:
            return kind.name
    if skill_folders.is_skill_file(file.path):
        return AGENT_SKILLS
    if file.path.rpartition("/")[2] == agents_md.PATH:
        return AGENTS_MD
    if given is not None and given != AGENT_SKILLS:
        return given
    return BUNDLE if bundle.is_bundle(file) else given


class _Taking:
    """Puts together what is found in files."""

    def __init__(self) -> None:
        self.found = Import()
        self._agents: dict[str, Agent] = {}

    def add_file(self, file: File, given: str | None) -> None:
        """Take a file for what it is."""
        name = format_of(file, given)
        if name is None:
            text = "it is in no format that is known here, and left out"
            self.found.report.append(Remark(field="file", message=text, path=file.path))
        elif name == BUNDLE:
            self._add_bundle(bundle.read_bundle(file))
        elif name == AGENT_SKILLS:
            skill, report = skill_folders.loose_skill(file)
            self.found.skills.append(skill)
            self.found.report += report
        else:
            agents, report = _agents_in(file, name)
            self.found.report += report
            for agent in agents:
                self._add_agent(agent)

    def _add_agent(self, agent: Agent) -> str:
        """Add an agent; one that says the same as another of its id is that one."""
        wanted = agent.id
        other = self._agents.get(wanted)
        if other is not None and _says(other) == _says(agent):
            new = {key: kept for key, kept in agent.extra.items() if key not in other.extra}
            other.extra |= new
            return other.id
        agent.id = free_name(wanted, self._agents)
        if agent.id != wanted:
            text = f"there is another {wanted} that says something else; this one is {agent.id}"
            self.found.report.append(Remark(field="id", message=text, agent_id=agent.id))
        self._agents[agent.id] = agent
        self.found.agents.append(agent)
        return agent.id

    def _add_bundle(self, other: Import) -> None:
        for agent in other.agents:
            before = agent.id
            name = self._add_agent(agent)
            entries = other.brains.get(before, [])
            for entry in entries:
                entry.agent_id = name
            self.found.brains.setdefault(name, []).extend(entries)
        self.found.library += other.library
        self.found.packs += other.packs
        self.found.report += other.report

    def add_memory(self, file: File) -> None:
        """Give what a file remembers to its agent."""
        name = memory_file.memory_agent(file.path)
        owner = next((one for one in self.found.agents if name in (one.id, _stem(one))), None)
        if owner is None:
            text = "the agent whose memory it is is not among the files; it is left out"
            self.found.report.append(Remark(field="brain", message=text, path=file.path))
            return
        entries = memory_file.entries_of(file, owner.id)
        self.found.brains.setdefault(owner.id, []).extend(entries)


def _agents_in(file: File, name: str) -> tuple[list[Agent], list[Remark]]:
    if name == AGENTS_MD:
        return agents_md.agents_of(file)
    agent, report = agent_of(FILE_FORMATS[name], file)
    return [agent], report


def _says(agent: Agent) -> tuple[object, ...]:
    skills = [(one.name, one.description, one.when_to_use) for one in agent.skills]
    return agent.description, agent.system_prompt, skills


def _stem(agent: Agent) -> str | None:
    path = agent.extra.get(CLAUDE_CODE.name, {}).get("path")
    return CLAUDE_CODE.stem(path) if isinstance(path, str) else None
