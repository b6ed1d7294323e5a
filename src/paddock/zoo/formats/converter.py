"""Conversion of agents to files in a given format, and of files in any format to agents.

Exported texts are also searched for secrets. A finding has the line and kind of a secret, but never
the secret itself.
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
# The last kind of secret has no known prefix, but is assigned to a name that suggests a secret.
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
    """The location and kind of a text that looks like a secret, without the secret."""

    line: int
    kind: str
    """For messages, such as `a GitHub token`."""


def find_secrets(text: str) -> Iterator[PossibleSecret]:
    """Yield the first possible secret in each line of a text.

    The search is a heuristic. Known token formats are recognized, and other values only if they
    look random and are assigned to a name such as `password`.
    """
    for line_number, line in enumerate(text.split("\n"), 1):
        match = _SECRET_PATTERN.search(line)
        if match is not None and match.lastgroup is not None:
            # Group `k3` belongs to the fourth kind.
            kind, _ = SECRET_KINDS[int(match.lastgroup.removeprefix("k"))]
            yield PossibleSecret(line_number, kind)
        elif (assigned := _ASSIGNMENT_PATTERN.search(line)) and _is_random(assigned["value"]):
            yield PossibleSecret(line_number, "a secret")


def _is_random(text: str) -> bool:
    """Return whether a value looks random, unlike a word or a placeholder.

    A random value has at least two kinds of characters (digits, lower case, upper case) and a high
    Shannon entropy per character.
    """
    has_kinds = [any(map(is_kind, text)) for is_kind in (str.isdigit, str.islower, str.isupper)]
    if sum(has_kinds) < 2:
        return False
    frequencies = [count / len(text) for count in Counter(text).values()]
    entropy_bits = -sum(frequency * math.log2(frequency) for frequency in frequencies)
    return entropy_bits >= _MIN_RANDOM_BITS


def find_agent_secrets(agent: Agent, entries: Iterable[BrainEntry] = ()) -> list[Remark]:
    """Return remarks about possible secrets in an agent's fields and brain entries.

    A remark reads, for example, `line 3 contains what looks like a GitHub token`.
    """
    # Each text has the key of its field, and a label for the remark.
    texts = [("systemPrompt", "", agent.system_prompt), ("description", "", agent.description)]
    texts += [
        ("skills", f"{skill.name}: ", skill.description) for skill in agent.skills if skill.enabled
    ]
    texts += [("brain", f"{entry.type} of {entry.timestamp}: ", entry.content) for entry in entries]
    return [
        Remark(key, f"{label}line {line_number} contains what looks like {kind}", agent_id=agent.id)
        for key, label, text in texts
        for line_number, kind in find_secrets(text)
    ]


class UnknownFormatError(AgentFilesError):
    """No format has this name."""

    code = "unknown-format"


def check_format_name(name: str) -> str:
    """Return `name` unchanged if it is the name of a format, such as `claude-code`.

    Raises:
        UnknownFormatError: There is no such format.
    """
    known_names = [file_format.name for file_format in list_file_formats()]
    if name not in known_names:
        raise UnknownFormatError(
            f"unknown format {name!r}",
            hint=did_you_mean(name, known_names) or f"the formats are {', '.join(known_names)}",
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
    """Convert agents to files in a format, with remarks about data that is lost.

    The remarks also warn of possible secrets, because exported files are often committed or shared.

    Args:
        agents: The agents, with different IDs.
        format_name: The name of the format.
        brains: Entries by agent ID. By default memory is not written.
        library: Library skills, for a bundle.
        packs: Library packs, for a bundle.

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
    # Only these two formats can contain brain entries.
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
    agents: Sequence[Agent], format_name: str, brains: Mapping[str, list[BrainEntry]]
) -> AgentExport:
    """Convert agents to one file each and, for Claude Code, their brains to memory files.

    A memory file is the MEMORY.md that Claude Code reads for an agent. Other formats cannot contain
    brain entries.
    """
    file_format = FILE_FORMATS[format_name]
    export = AgentExport()
    used_paths: set[str] = set()
    for agent in agents:
        entries = brains.get(agent.id) if file_format is CLAUDE_CODE else None
        exported_agent = _enable_memory(agent) if entries else agent
        file, remarks = convert_agent_to_file(file_format, exported_agent, used_paths)
        export.files.append(file)
        export.report += remarks
        if entries:
            stem = file_format.find_stem(file.path) or agent.id
            memory, remarks = memory_file.make_memory_file(agent.id, stem, entries)
            export.files.append(memory)
            export.report += remarks
    return export


def _enable_memory(agent: Agent) -> Agent:
    """Return the agent with `memory: project`, the field that enables memory in Claude Code.

    If the agent already has another value for this field, it is kept.
    """
    origin = agent.extra.get(CLAUDE_CODE.name, {})
    # Older versions of Paddock stored the fields of an imported file only in `head`. Adding
    # `fields` would override them.
    is_legacy_origin = "head" in origin and "fields" not in origin
    if is_legacy_origin:
        return agent
    fields = {"memory": "project", **origin.get("fields", {})}
    extra = {**agent.extra, CLAUDE_CODE.name: {**origin, "fields": fields}}
    return msgspec.structs.replace(agent, extra=extra)


def import_files(files: Sequence[File], format_name: str | None = None) -> ImportBatch:
    """Convert files to agents, skills and brain entries, detecting their formats from their paths.

    Args:
        files: Files with paths relative to a project or to the home directory.
        format_name: The format of files that cannot be recognized by their path.

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
    memory_files = []
    for file in files:
        if memory_file.parse_memory_agent(file.path) is not None:
            memory_files.append(file)
        else:
            builder.add_file(file, format_name)
    # Memory files are assigned to agents by name, so all agents must be known first.
    for file in memory_files:
        builder.add_memory(file)
    return builder.batch


def detect_format(file: File, default: str | None = None) -> str | None:
    """Return the name of a file's format, or `default` if it cannot be recognized.

    Most formats are recognized by their paths, and bundles by their content.
    """
    for file_format in FILE_FORMATS.values():
        if file_format.find_stem(file.path) is not None:
            return file_format.name
    if skill_folders.is_skill_file(file.path):
        return AGENT_SKILLS_FORMAT
    if file.path.rpartition("/")[2] == agents_md.AGENTS_MD_PATH:
        return AGENTS_MD_FORMAT
    # A bundle has no path of its own. It is recognized only without a default, or among files of
    # Agent Skills, which are Markdown and never JSON.
    if default in (None, AGENT_SKILLS_FORMAT) and bundle.is_bundle(file):
        return BUNDLE_FORMAT
    return default


class _ImportBuilder:
    """The agents, skills and library items of the files read so far."""

    def __init__(self) -> None:
        self.batch = ImportBatch()
        self._agents_by_id: dict[str, Agent] = {}

    def add_file(self, file: File, default_format: str | None) -> None:
        """Add the agents or skills in a file to the batch.

        A file in an unknown format is left out, with a remark in the report.

        Args:
            file: The file, which is not a memory file.
            default_format: The format of a file that cannot be recognized.
        """
        format_name = detect_format(file, default_format)
        if format_name is None:
            message = "unknown format; left out"
            self.batch.report.append(Remark("file", message, path=file.path))
        elif format_name == BUNDLE_FORMAT:
            self._add_bundle(bundle.read_bundle(file))
        elif format_name == AGENT_SKILLS_FORMAT:
            skill, remarks = skill_folders.parse_standalone_skill(file)
            self.batch.skills.append(skill)
            self.batch.report += remarks
        else:
            agents, remarks = _convert_file_to_agents(file, format_name)
            self.batch.report += remarks
            for agent in agents:
                self._add_agent(agent)

    def _add_agent(self, agent: Agent) -> str:
        """Add an agent to the batch and return its ID, which may be new.

        Projects often define the same agent for multiple programs. If the batch already has an
        agent with this ID and the same content, only the new one's `extra` data is added to it.
        """
        requested_id = agent.id
        existing = self._agents_by_id.get(requested_id)
        if existing is not None and _get_content(existing) == _get_content(agent):
            existing.extra = agent.extra | existing.extra
            return existing.id
        agent.id = find_free_name(requested_id, self._agents_by_id)
        if agent.id != requested_id:
            message = f"another agent has the ID {requested_id}; this one gets {agent.id}"
            self.batch.report.append(Remark("id", message, agent_id=agent.id))
        self._agents_by_id[agent.id] = agent
        self.batch.agents.append(agent)
        return agent.id

    def _add_bundle(self, bundle_batch: ImportBatch) -> None:
        """Add a bundle's content: agents, their brains, library skills and packs.

        An agent gets a new ID if a different agent already has its ID. Its brain entries then refer
        to the new ID.
        """
        for agent in bundle_batch.agents:
            original_id = agent.id
            agent_id = self._add_agent(agent)
            entries = bundle_batch.brains.get(original_id, [])
            for entry in entries:
                entry.agent_id = agent_id
            self.batch.brains.setdefault(agent_id, []).extend(entries)
        self.batch.library += bundle_batch.library
        self.batch.packs += bundle_batch.packs
        self.batch.report += bundle_batch.report

    def add_memory(self, file: File) -> None:
        """Add the entries of a memory file to the agent that its path names.

        All agents must have been added before. The path names an agent by its ID or by the stem of
        the file that it was read from.
        """
        agent_name = memory_file.parse_memory_agent(file.path)
        for agent in self.batch.agents:
            if agent_name in (agent.id, _get_origin_stem(agent)):
                entries = memory_file.parse_entries(file, agent.id)
                self.batch.brains.setdefault(agent.id, []).extend(entries)
                return
        message = "the agent of this memory is not among the files; left out"
        self.batch.report.append(Remark("brain", message, path=file.path))


def _convert_file_to_agents(file: File, name: str) -> tuple[list[Agent], list[Remark]]:
    if name == AGENTS_MD_FORMAT:
        return agents_md.parse_agents(file)
    agent, report = convert_file_to_agent(FILE_FORMATS[name], file)
    return [agent], report


def _get_content(agent: Agent) -> tuple[object, ...]:
    """Return the texts that determine whether two agents are the same."""
    skills = [(skill.name, skill.description, skill.when_to_use) for skill in agent.skills]
    return agent.description, agent.system_prompt, skills


def _get_origin_stem(agent: Agent) -> str | None:
    path = agent.extra.get(CLAUDE_CODE.name, {}).get("path")
    return CLAUDE_CODE.find_stem(path) if isinstance(path, str) else None
