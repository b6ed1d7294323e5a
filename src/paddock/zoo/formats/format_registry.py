"""Which formats there are, where each has its files, and what it wants of them."""

from __future__ import annotations

from msgspec import Struct

from paddock.zoo.formats.agent_file import AgentFileFormat

CLAUDE_CODE = AgentFileFormat(
    name="claude-code",
    title="Claude Code",
    folder=".claude/agents",
    suffix=".md",
    extra_path_patterns=(r"\.claude/agents/(?:[^/]+/)*([^/]+)\.md",),
    name_style="safe",
)
CURSOR = AgentFileFormat(
    name="cursor",
    title="Cursor",
    folder=".cursor/agents",
    suffix=".md",
    name_style="safe",
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
    one.name: one for one in (CLAUDE_CODE, CURSOR, CURSOR_RULES, COPILOT, OPENCODE, CODEX)
}

AGENT_SKILLS_FORMAT = "agent-skills"
AGENTS_MD_FORMAT = "agents-md"
BUNDLE_FORMAT = "bundle"


class FormatEntry(Struct, rename="camel", kw_only=True, frozen=True):
    """A format, as it is listed."""

    name: str
    title: str
    kind: str
    """`agents`, `rules`, `prompts`, `skills`, `block` or `bundle`."""
    place: str
    """Where its files are."""
    is_for_user: bool = False
    """Whether that is in the user's home, and not in a project."""


_FORMAT_KINDS = {"cursor-rules": "rules", "codex": "prompts"}


def list_file_formats() -> list[FormatEntry]:
    """All formats, in the order in which they are shown."""
    files = [
        FormatEntry(
            name=one.name,
            title=one.title,
            kind=_FORMAT_KINDS.get(one.name, "agents"),
            place=f"{one.folder}/*{one.suffix}",
            is_for_user=one.is_for_user,
        )
        for one in FILE_FORMATS.values()
    ]
    return [
        *files,
        FormatEntry(
            name=AGENT_SKILLS_FORMAT,
            title="Agent Skills",
            kind="skills",
            place=".claude/skills/*/SKILL.md",
        ),
        FormatEntry(name=AGENTS_MD_FORMAT, title="AGENTS.md", kind="block", place="AGENTS.md"),
        FormatEntry(name=BUNDLE_FORMAT, title="Zoo bundle", kind="bundle", place="*.json"),
    ]
