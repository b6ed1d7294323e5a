"""The supported file formats, with the paths and requirements of each."""

from __future__ import annotations

from msgspec import Struct

from paddock.zoo.formats.agent_file import AgentFileFormat

CLAUDE_CODE = AgentFileFormat(
    name="claude-code",
    title="Claude Code",
    folder=".claude/agents",
    suffix=".md",
    extra_path_patterns=(r"\.claude/agents/(?:[^/]+/)*([^/]+)\.md",),
    name_style="slug",
)
CURSOR = AgentFileFormat(
    name="cursor",
    title="Cursor",
    folder=".cursor/agents",
    suffix=".md",
    name_style="slug",
)
CURSOR_RULES = AgentFileFormat(
    name="cursor-rules",
    title="Cursor rules",
    folder=".cursor/rules",
    suffix=".mdc",
    extra_path_patterns=(r"(?:[^/]+/)*\.cursor/rules/(?:[^/]+/)*([^/]+)\.mdc",),
    default_fields={"alwaysApply": False},
)
COPILOT = AgentFileFormat(
    name="copilot",
    title="GitHub Copilot",
    folder=".github/agents",
    suffix=".agent.md",
    extra_path_patterns=(
        r"\.github/agents/([^/]+)\.md",
        r"\.github/chatmodes/([^/]+)\.chatmode\.md",
    ),
    name_style="free",
    max_characters=30_000,
)
OPENCODE = AgentFileFormat(
    name="opencode",
    title="opencode",
    folder=".opencode/agents",
    suffix=".md",
    extra_path_patterns=(r"\.opencode/(?:agent|mode|modes)/([^/]+)\.md",),
)
CODEX = AgentFileFormat(
    name="codex",
    title="Codex prompts",
    folder=".codex/prompts",
    suffix=".md",
    needs_description=False,
    placeholder_pattern=r"\$(?:[0-9]|[A-Z][A-Z0-9_]*)",
    is_for_user=True,
)
FILE_FORMATS = {
    file_format.name: file_format
    for file_format in (CLAUDE_CODE, CURSOR, CURSOR_RULES, COPILOT, OPENCODE, CODEX)
}

AGENT_SKILLS_FORMAT = "agent-skills"
AGENTS_MD_FORMAT = "agents-md"
BUNDLE_FORMAT = "bundle"

_FORMAT_KINDS = {"cursor-rules": "rules", "codex": "prompts"}


class FormatEntry(Struct, rename="camel", kw_only=True, frozen=True):
    """A format in the list of formats."""

    name: str
    title: str
    kind: str
    """`agents`, `rules`, `prompts`, `skills`, `block` or `bundle`."""
    place: str
    """A pattern for the paths of its files, such as `.claude/agents/*.md`."""
    is_for_user: bool = False
    """Whether the files are in the user's home directory instead of a project."""


def list_file_formats() -> list[FormatEntry]:
    """Return the descriptions of all formats, in display order."""
    agent_file_formats = [
        FormatEntry(
            name=file_format.name,
            title=file_format.title,
            kind=_FORMAT_KINDS.get(file_format.name, "agents"),
            place=f"{file_format.folder}/*{file_format.suffix}",
            is_for_user=file_format.is_for_user,
        )
        for file_format in FILE_FORMATS.values()
    ]
    return [
        *agent_file_formats,
        FormatEntry(
            name=AGENT_SKILLS_FORMAT,
            title="Agent Skills",
            kind="skills",
            place=".claude/skills/*/SKILL.md",
        ),
        FormatEntry(name=AGENTS_MD_FORMAT, title="AGENTS.md", kind="block", place="AGENTS.md"),
        FormatEntry(name=BUNDLE_FORMAT, title="Zoo bundle", kind="bundle", place="*.json"),
    ]
