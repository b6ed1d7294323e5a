"""Texts that look like keys and passwords, found before they leave in a file.

A finding says where one stands and of which kind it is, and never what it is.

Agents into files of a format, and files of any format into agents; no disk is touched.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from paddock.suggestions import did_you_mean
from paddock.zoo.formats import agents_md, bundle, memory_file, skill_folders
from paddock.zoo.formats.agent_file import convert_agent_to_file, convert_file_to_agent
from paddock.zoo.formats.exchange import AgentFilesError, Export, File, ImportBatch, Remark
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
_ASSIGNMENT_PATTERN = re.compile(
    r"(?i)\b(?:[\w-]{0,40}(?:api[_-]?key|secret|password|passwd|access[_-]?token|auth[_-]?token))\b"
    r"[\"']?\s*[:=]\s*[\"']?(?P<value>[^\s\"'`,;<>${}]{8,})"
)
_MIN_RANDOM_BITS = 3.0
"""Bits for each character, above which a text is no word."""


def find_secrets(text: str) -> Iterator[tuple[int, str]]:
    """The line and the kind of everything in a text that looks like a secret."""
    for number, line in enumerate(text.split("\n"), 1):
        found = _SECRET_PATTERN.search(line)
        if found is not None and found.lastgroup is not None:
            yield number, SECRET_KINDS[int(found.lastgroup[1:])][0]
        elif (assigned := _ASSIGNMENT_PATTERN.search(line)) and _is_random(assigned["value"]):
            yield number, "a secret"


def _is_random(text: str) -> bool:
    """Whether a value is mixed like a key, and not a word or an example."""
    kinds = (str.isdigit, str.islower, str.isupper)
    if sum(any(map(kind, text)) for kind in kinds) < len(kinds) - 1:
        return False
    counts = Counter(text)
    bits = -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values())
    return bits >= _MIN_RANDOM_BITS


def find_agent_secrets(agent: Agent, entries: Iterable[BrainEntry] = ()) -> list[Remark]:
    """What looks like a secret in an agent's soul and skills, and in its brain."""
    texts = [("systemPrompt", "", agent.system_prompt), ("description", "", agent.description)]
    texts += [("skills", f"{one.name}: ", one.description) for one in agent.skills if one.enabled]
    texts += [("brain", f"{one.type} of {one.timestamp}: ", one.content) for one in entries]
    return [
        Remark(
            field=key,
            message=f"{place}line {line} holds what looks like {kind}",
            agent_id=agent.id,
        )
        for key, place, text in texts
        for line, kind in find_secrets(text)
    ]


MAX_IMPORT_FILES = 10_000
MAX_IMPORT_CHARACTERS = 20_000_000
"""Of all files together."""


class UnknownFormatError(AgentFilesError):
    """There is no format of that name."""

    code = "unknown-format"


def require_format(name: str) -> str:
    """A name of a format, if it is one.

    Raises:
        UnknownFormatError: when there is no such format.
    """
    names = [one.name for one in list_file_formats()]
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
    require_format(format_name)
    brains = brains or {}
    if format_name == BUNDLE_FORMAT:
        files = [bundle.make_bundle(agents, brains, library=library, packs=packs)]
        found = Export(files=files)
    elif format_name == AGENT_SKILLS_FORMAT:
        found = skill_folders.make_skill_folders(agents)
    elif format_name == AGENTS_MD_FORMAT:
        found = Export()
        for agent in agents:
            block, report = agents_md.make_block(agent)
            found.files.append(block)
            found.report += report
    else:
        found = _export_agent_files(agents, format_name, brains)
    if format_name not in (BUNDLE_FORMAT, CLAUDE_CODE.name):
        found.report += [
            Remark(field="brain", message="there is no place for memory", agent_id=agent.id)
            for agent in agents
            if brains.get(agent.id)
        ]
    for agent in agents:
        found.report += find_agent_secrets(agent, brains.get(agent.id, ()))
    return found


def _export_agent_files(
    agents: Sequence[Agent], name: str, brains: Mapping[str, list[BrainEntry]]
) -> Export:
    kind = FILE_FORMATS[name]
    found = Export()
    taken: set[str] = set()
    for agent in agents:
        entries = brains.get(agent.id) if kind is CLAUDE_CODE else None
        file, report = convert_agent_to_file(
            kind, _enable_memory(agent) if entries else agent, taken
        )
        found.files.append(file)
        found.report += report
        if entries:
            stem = kind.parse_stem(file.path) or agent.id
            memory, report = memory_file.make_memory_file(agent.id, stem, entries)
            found.files.append(memory)
            found.report += report
    return found


def _enable_memory(agent: Agent) -> Agent:
    """The agent with the field by which Claude Code gives it its memory, unless it has one."""
    origin = agent.extra.get(CLAUDE_CODE.name, {})
    if "head" in origin and "fields" not in origin:
        return agent  # which keys it has stands in the file alone
    fields = {"memory": "project", **origin.get("fields", {})}
    extra = {**agent.extra, CLAUDE_CODE.name: {**origin, "fields": fields}}
    return msgspec.structs.replace(agent, extra=extra)


def import_files(files: Sequence[File], format_name: str | None = None) -> ImportBatch:
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
        require_format(format_name)
    if (
        len(files) > MAX_IMPORT_FILES
        or sum(len(file.text) for file in files) > MAX_IMPORT_CHARACTERS
    ):
        raise AgentFilesError(
            f"{len(files):,} files are too many, or too large",
            hint=f"at most {MAX_IMPORT_FILES:,}, and {MAX_IMPORT_CHARACTERS:,} characters together",
        )
    taking = _ImportBuilder()
    memories = []
    for file in files:
        if memory_file.parse_memory_agent(file.path) is not None:
            memories.append(file)
        else:
            taking.add_file(file, format_name)
    for file in memories:
        taking.add_memory(file)
    return taking.batch


def detect_format(file: File, given: str | None = None) -> str | None:
    """Which format a file is in: what its path says, else the one that is given."""
    for kind in FILE_FORMATS.values():
        if kind.parse_stem(file.path) is not None:
            return kind.name
    if skill_folders.is_skill_file(file.path):
        return AGENT_SKILLS_FORMAT
    if file.path.rpartition("/")[2] == agents_md.AGENTS_MD_PATH:
        return AGENTS_MD_FORMAT
    if given is not None and given != AGENT_SKILLS_FORMAT:
        return given
    return BUNDLE_FORMAT if bundle.is_bundle(file) else given


class _ImportBuilder:
    """Puts together what is found in files."""

    def __init__(self) -> None:
        self.batch = ImportBatch()
        self._agents_by_id: dict[str, Agent] = {}

    def add_file(self, file: File, given: str | None) -> None:
        """Take a file for what it is."""
        name = detect_format(file, given)
        if name is None:
            text = "it is in no format that is known here, and left out"
            self.batch.report.append(Remark(field="file", message=text, path=file.path))
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
        """Add an agent; one that says the same as another of its id is that one."""
        wanted = agent.id
        other = self._agents_by_id.get(wanted)
        if other is not None and _get_content(other) == _get_content(agent):
            new = {key: kept for key, kept in agent.extra.items() if key not in other.extra}
            other.extra |= new
            return other.id
        agent.id = find_free_name(wanted, self._agents_by_id)
        if agent.id != wanted:
            text = f"there is another {wanted} that says something else; this one is {agent.id}"
            self.batch.report.append(Remark(field="id", message=text, agent_id=agent.id))
        self._agents_by_id[agent.id] = agent
        self.batch.agents.append(agent)
        return agent.id

    def _add_bundle(self, other: ImportBatch) -> None:
        for agent in other.agents:
            before = agent.id
            name = self._add_agent(agent)
            entries = other.brains.get(before, [])
            for entry in entries:
                entry.agent_id = name
            self.batch.brains.setdefault(name, []).extend(entries)
        self.batch.library += other.library
        self.batch.packs += other.packs
        self.batch.report += other.report

    def add_memory(self, file: File) -> None:
        """Give what a file remembers to its agent."""
        name = memory_file.parse_memory_agent(file.path)
        owner = next(
            (one for one in self.batch.agents if name in (one.id, _get_origin_stem(one))), None
        )
        if owner is None:
            text = "the agent whose memory it is is not among the files; it is left out"
            self.batch.report.append(Remark(field="brain", message=text, path=file.path))
            return
        entries = memory_file.parse_entries(file, owner.id)
        self.batch.brains.setdefault(owner.id, []).extend(entries)


def _convert_file_to_agents(file: File, name: str) -> tuple[list[Agent], list[Remark]]:
    if name == AGENTS_MD_FORMAT:
        return agents_md.parse_agents(file)
    agent, report = convert_file_to_agent(FILE_FORMATS[name], file)
    return [agent], report


def _get_content(agent: Agent) -> tuple[object, ...]:
    skills = [(one.name, one.description, one.when_to_use) for one in agent.skills]
    return agent.description, agent.system_prompt, skills


def _get_origin_stem(agent: Agent) -> str | None:
    path = agent.extra.get(CLAUDE_CODE.name, {}).get("path")
    return CLAUDE_CODE.parse_stem(path) if isinstance(path, str) else None
