"""Conversion of agents to files of a format, and of files of any format to agents.

Also the search for secrets in exported texts. A finding has the line and the kind of a secret, but
never the secret itself.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from paddock.suggestions import did_you_mean
from paddock.zoo.formats import agents_md, bundle, memory_file, skill_folders
from paddock.zoo.formats.agent_file import convert_agent_to_file, convert_file_to_agent
from paddock.zoo.formats.exchange import AgentExport, AgentFilesError, File, ImportBatch, Remark
from paddock.zoo.formats.format_registry import (
    AGENT_SKILLS_FORMAT,
    AGENTS_MD_FORMAT,
    BUNDLE_FORMAT,
    CLAUDE_CODE,
    FILE_FORMATS,
    list_file_formats,
)
from paddock.zoo.slugs import find_free_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack


SECRET_KINDS = (
    ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    ("an Anthropic API key", r"\bsk-ant-[\w-]{16,}"),
    ("an API key", r"\bsk-(?:proj-|or-v1-|live-)?[A-Za-z0-9_-]{20,}"),
    ("a Stripe key", r"\b[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("a GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"),
    ("a GitLab token", r"\bglpat-[\w-]{16,}"),
    ("a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("an AWS access key", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("a Google API key", r"\bAIza[\w-]{30,}"),
    ("a Hugging Face token", r"\bhf_[A-Za-z0-9]{20,}"),
    ("an npm token", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("a PyPI token", r"\bpypi-[\w-]{32,}"),
    ("a signed token", r"\beyJ[\w-]{8,999}\.eyJ[\w-]{8,9999}\.[\w-]{8}"),
    ("a password in an address", r"\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@]+:[^\s/@]{3,}@"),
)
_SECRET_PATTERN = re.compile(
    "|".join(f"(?P<k{n}>{pattern})" for n, (_, pattern) in enumerate(SECRET_KINDS))
)
# The last kind of secret has no known prefix, but is assigned to a name like that of a secret.
_ASSIGNMENT_PATTERN = re.compile(
    r"(?i)\b(?:[\w-]{0,40}(?:api[_-]?key|secret|password|passwd|access[_-]?token|auth[_-]?token))\b"
    r"[\"']?\s*[:=]\s*[\"']?(?P<value>[^\s\"'`,;<>${}]{8,})"
)
_MIN_RANDOM_BITS = 3.0
"""Shannon entropy per character above which a text is not a word."""

MAX_IMPORT_FILES = 10_000
MAX_IMPORT_CHARACTERS = 20_000_000
"""Maximum number of characters in all files together."""


class PossibleSecret(NamedTuple):
    """The place and the kind of a text that looks like a secret, without the secret."""

    line: int
    kind: str
    """For messages, such as `a GitHub token`."""


def find_secrets(text: str) -> Iterator[PossibleSecret]:
    """Yield everything in a text that looks like a secret.

    The search is a heuristic. Known token formats are recognized, and other values only if they
    look random and are assigned to a name such as `password`.
    """
    for number, line in enumerate(text.split("\n"), 1):
        match = _SECRET_PATTERN.search(line)
        if match is not None and match.lastgroup is not None:
            yield PossibleSecret(number, SECRET_KINDS[int(match.lastgroup[1:])][0])
        elif (assigned := _ASSIGNMENT_PATTERN.search(line)) and _is_random(assigned["value"]):
            yield PossibleSecret(number, "a secret")


def _is_random(text: str) -> bool:
    """Return whether a value looks random, unlike a word or a placeholder.

    A random value has characters of two kinds at least (digits, lower case, upper case) and a high
    entropy per character.
    """
    kinds = (str.isdigit, str.islower, str.isupper)
    if sum(any(map(kind, text)) for kind in kinds) < len(kinds) - 1:
        return False
    counts = Counter(text)
    bits = -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values())
    return bits >= _MIN_RANDOM_BITS


def find_agent_secrets(agent: Agent, entries: Iterable[BrainEntry] = ()) -> list[Remark]:
    """Return remarks about possible secrets in an agent's texts and entries."""
    texts = [("systemPrompt", "", agent.system_prompt), ("description", "", agent.description)]
    texts += [
        ("skills", f"{skill.name}: ", skill.description) for skill in agent.skills if skill.enabled
    ]
    texts += [("brain", f"{entry.type} of {entry.timestamp}: ", entry.content) for entry in entries]
    return [
        Remark(key, f"{prefix}line {line} contains what looks like {kind}", agent_id=agent.id)
        for key, prefix, text in texts
        for line, kind in find_secrets(text)
    ]


class UnknownFormatError(AgentFilesError):
    """There is no format of this name."""

    code = "unknown-format"


def check_format_name(name: str) -> str:
    """Return the name of a format.

    Raises:
        UnknownFormatError: There is no such format.
    """
    names = [file_format.name for file_format in list_file_formats()]
    if name not in names:
        raise UnknownFormatError(
            f"unknown format {name!r}",
            hint=did_you_mean(name, names) or f"the formats are {', '.join(names)}",
        )
    return name


def export_agents(
    agents: Sequence[Agent],
    format_name: str,
    *,
    brains: Mapping[str, list[BrainEntry]] | None = None,
    library: Iterable[LibrarySkill] = (),
    packs: Iterable[Pack] = (),
) -> AgentExport:
    """Convert agents to files of a format, with remarks about data that is lost.

    The remarks also warn of possible secrets, because exported files are often committed or shared.

    Args:
        agents: The agents, with different IDs.
        format_name: Name of the format.
        brains: Entries by agent ID. By default memory is not written.
        library: Library skills, for a bundle.
        packs: Packs of the library, for a bundle.

    Raises:
        UnknownFormatError: There is no such format.
    """
    check_format_name(format_name)
    brains = brains or {}
    if format_name == BUNDLE_FORMAT:
        files = [bundle.make_bundle(agents, brains, library=library, packs=packs)]
        export = AgentExport(files=files)
    elif format_name == AGENT_SKILLS_FORMAT:
        export = skill_folders.make_skill_folders(agents)
    elif format_name == AGENTS_MD_FORMAT:
        export = AgentExport()
        for agent in agents:
            block, report = agents_md.make_block(agent)
            export.files.append(block)
            export.report += report
    else:
        export = _export_agent_files(agents, format_name, brains)
    # Only these two formats have a place for brain entries.
    if format_name not in (BUNDLE_FORMAT, CLAUDE_CODE.name):
        export.report += [
            Remark("brain", "the format has no memory", agent_id=agent.id)
            for agent in agents
            if brains.get(agent.id)
        ]
    for agent in agents:
        export.report += find_agent_secrets(agent, brains.get(agent.id, ()))
    return export


def _export_agent_files(
    agents: Sequence[Agent], name: str, brains: Mapping[str, list[BrainEntry]]
) -> AgentExport:
    """Convert agents to one file each, and for Claude Code also to memory files."""
    file_format = FILE_FORMATS[name]
    export = AgentExport()
    used_paths: set[str] = set()
    for agent in agents:
        entries = brains.get(agent.id) if file_format is CLAUDE_CODE else None
        file, report = convert_agent_to_file(
            file_format, _enable_memory(agent) if entries else agent, used_paths
        )
        export.files.append(file)
        export.report += report
        if entries:
            stem = file_format.find_stem(file.path) or agent.id
            memory, report = memory_file.make_memory_file(agent.id, stem, entries)
            export.files.append(memory)
            export.report += report
    return export


def _enable_memory(agent: Agent) -> Agent:
    """Return the agent with the field that enables memory in Claude Code.

    A value that the agent already has is kept.
    """
    origin = agent.extra.get(CLAUDE_CODE.name, {})
    if "head" in origin and "fields" not in origin:
        return agent  # an agent of an older version: its keys are only in the stored file
    fields = {"memory": "project", **origin.get("fields", {})}
    extra = {**agent.extra, CLAUDE_CODE.name: {**origin, "fields": fields}}
    return msgspec.structs.replace(agent, extra=extra)


def import_files(files: Sequence[File], format_name: str | None = None) -> ImportBatch:
    """Convert files to agents and skills. The path of a file determines its format.

    Args:
        files: Files with paths relative to a project or to the home directory.
        format_name: The format of files whose path does not determine it.

    Raises:
        UnknownFormatError: There is no such format.
        BundleFormatError: A bundle cannot be read.
        BlockError: The marks in an AGENTS.md are damaged.
        AgentFilesError: There are too many files, or they are too large.
    """
    if format_name is not None:
        check_format_name(format_name)
    if (
        len(files) > MAX_IMPORT_FILES
        or sum(len(file.text) for file in files) > MAX_IMPORT_CHARACTERS
    ):
        raise AgentFilesError(
            f"the {len(files):,} files are too many or too large",
            hint=f"at most {MAX_IMPORT_FILES:,} files with {MAX_IMPORT_CHARACTERS:,} characters",
        )
    builder = _ImportBuilder()
    memories = []
    for file in files:
        if memory_file.parse_memory_agent(file.path) is not None:
            memories.append(file)
        else:
            builder.add_file(file, format_name)
    # Memory files are assigned to agents by name, so all agents must be known.
    for file in memories:
        builder.add_memory(file)
    return builder.batch


def detect_format(file: File, default: str | None = None) -> str | None:
    """Return the format of a file, judging by its path, or else the default.

    None means that the format is unknown.
    """
    for file_format in FILE_FORMATS.values():
        if file_format.find_stem(file.path) is not None:
            return file_format.name
    if skill_folders.is_skill_file(file.path):
        return AGENT_SKILLS_FORMAT
    if file.path.rpartition("/")[2] == agents_md.AGENTS_MD_PATH:
        return AGENTS_MD_FORMAT
    # The default `agent-skills` is for Markdown files, not for a bundle among them.
    if default is not None and default != AGENT_SKILLS_FORMAT:
        return default
    return BUNDLE_FORMAT if bundle.is_bundle(file) else default


class _ImportBuilder:
    """The agents, skills and library items of the files read so far."""

    def __init__(self) -> None:
        self.batch = ImportBatch()
        self._agents_by_id: dict[str, Agent] = {}

    def add_file(self, file: File, default_format: str | None) -> None:
        """Add the content of a file."""
        name = detect_format(file, default_format)
        if name is None:
            text = "unknown format; left out"
            self.batch.report.append(Remark("file", text, path=file.path))
        elif name == BUNDLE_FORMAT:
            self._add_bundle(bundle.read_bundle(file))
        elif name == AGENT_SKILLS_FORMAT:
            skill, report = skill_folders.parse_standalone_skill(file)
            self.batch.skills.append(skill)
            self.batch.report += report
        else:
            agents, report = _convert_file_to_agents(file, name)
            self.batch.report += report
            for agent in agents:
                self._add_agent(agent)

    def _add_agent(self, agent: Agent) -> str:
        """Add an agent, and return its ID. An agent with equal content is merged into the first."""
        requested_id = agent.id
        other = self._agents_by_id.get(requested_id)
        # Projects often have the same agent for several programs.
        if other is not None and _get_content(other) == _get_content(agent):
            other.extra = agent.extra | other.extra
            return other.id
        agent.id = find_free_name(requested_id, self._agents_by_id)
        if agent.id != requested_id:
            text = f"another agent has the ID {requested_id}; this one gets {agent.id}"
            self.batch.report.append(Remark("id", text, agent_id=agent.id))
        self._agents_by_id[agent.id] = agent
        self.batch.agents.append(agent)
        return agent.id

    def _add_bundle(self, other: ImportBatch) -> None:
        """Add the content of a bundle.

        An agent may get another ID because its own is taken. Its brain entries follow it.
        """
        for agent in other.agents:
            original_id = agent.id
            agent_id = self._add_agent(agent)
            entries = other.brains.get(original_id, [])
            for entry in entries:
                entry.agent_id = agent_id
            self.batch.brains.setdefault(agent_id, []).extend(entries)
        self.batch.library += other.library
        self.batch.packs += other.packs
        self.batch.report += other.report

    def add_memory(self, file: File) -> None:
        """Add the entries of a memory file to its agent."""
        name = memory_file.parse_memory_agent(file.path)
        owner = next(
            (agent for agent in self.batch.agents if name in (agent.id, _get_origin_stem(agent))),
            None,
        )
        if owner is None:
            text = "the agent of this memory is not among the files; left out"
            self.batch.report.append(Remark("brain", text, path=file.path))
            return
        entries = memory_file.parse_entries(file, owner.id)
        self.batch.brains.setdefault(owner.id, []).extend(entries)


def _convert_file_to_agents(file: File, name: str) -> tuple[list[Agent], list[Remark]]:
    if name == AGENTS_MD_FORMAT:
        return agents_md.parse_agents(file)
    agent, report = convert_file_to_agent(FILE_FORMATS[name], file)
    return [agent], report


def _get_content(agent: Agent) -> tuple[object, ...]:
    """Return the texts by which two agents are recognized as the same."""
    skills = [(skill.name, skill.description, skill.when_to_use) for skill in agent.skills]
    return agent.description, agent.system_prompt, skills


def _get_origin_stem(agent: Agent) -> str | None:
    path = agent.extra.get(CLAUDE_CODE.name, {}).get("path")
    return CLAUDE_CODE.find_stem(path) if isinstance(path, str) else None
