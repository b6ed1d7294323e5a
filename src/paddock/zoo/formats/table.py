"""Which formats there are, where each has its files, and what it wants of them."""

from __future__ import annotations

from msgspec import Struct

from paddock.zoo.formats.agent_file import FileFormat

CLAUDE_CODE = FileFormat(
    name="claude-code",
    title="Claude Code",
    folder=".claude/agents",
    ending=".md",
    also=(r"\.claude/agents/(?:[^/]+/)*([^/]+)\.md",),
    names="safe",
)
CURSOR = FileFormat(
    name="cursor",
    title="Cursor",
    folder=".cursor/agents",
    ending=".md",
    names="safe",
)
CURSOR_RULES = FileFormat(
    name="cursor-rules",
    title="Cursor rules",
    folder=".cursor/rules",
    ending=".mdc",
    also=(r"(?:[^/]+/)*\.cursor/rules/(?:[^/]+/)*([^/]+)\.mdc",),
    first_fields={"alwaysApply": False},
)
COPILOT = FileFormat(
    name="copilot",
    title="GitHub Copilot",
    folder=".github/agents",
    ending=".agent.md",
    also=(r"\.github/agents/([^/]+)\.md", r"\.github/chatmodes/([^/]+)\.chatmode\.md"),
    names="free",
    most_characters=30_000,
)
OPENCODE = FileFormat(
    name="opencode",
    title="opencode",
    folder=".opencode/agents",
    ending=".md",
    also=(r"\.opencode/(?:agent|mode|modes)/([^/]+)\.md",),
)
CODEX = FileFormat(
    name="codex",
    title="Codex prompts",
    folder=".codex/prompts",
    ending=".md",
    needs_description=False,
    fills_in=r"\$(?:[0-9]|[A-Z][A-Z0-9_]*)",
    is_for_user=True,
)
FILE_FORMATS = {
    one.name: one for one in (CLAUDE_CODE, CURSOR, CURSOR_RULES, COPILOT, OPENCODE, CODEX)
}

AGENT_SKILLS = "agent-skills"
AGENTS_MD = "agents-md"
BUNDLE = "bundle"


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


_KINDS = {"cursor-rules": "rules", "codex": "prompts"}


def formats() -> list[FormatEntry]:
    """All formats, in the order in which they are shown."""
    files = [
        FormatEntry(
            name=one.name,
            title=one.title,
            kind=_KINDS.get(one.name, "agents"),
            place=f"{one.folder}/*{one.ending}",
            is_for_user=one.is_for_user,
        )
        for one in FILE_FORMATS.values()
    ]
    return [
        *files,
        FormatEntry(
            name=AGENT_SKILLS,
            title="Agent Skills",
            kind="skills",
            place=".claude/skills/*/SKILL.md",
        ),
        FormatEntry(name=AGENTS_MD, title="AGENTS.md", kind="block", place="AGENTS.md"),
        FormatEntry(name=BUNDLE, title="Zoo bundle", kind="bundle", place="*.json"),
    ]
