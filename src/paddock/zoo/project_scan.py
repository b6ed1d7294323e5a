"""Finds agent files in a project, and reads files, folders and archives."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.zoo.file_plan import MAX_FILE_BYTES, is_zip_archive, read_text_file, read_zip
from paddock.zoo.formats.agents_md import AGENTS_MD_PATH, has_blocks
from paddock.zoo.formats.converter import MAX_IMPORT_CHARACTERS, MAX_IMPORT_FILES, detect_format
from paddock.zoo.formats.exchange import AgentFilesError, File, Remark
from paddock.zoo.formats.memory_file import parse_memory_agent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AGENT_FILE_PATTERNS = (
    ".claude/agents/**/*.md",
    ".claude/agent-memory/*/MEMORY.md",
    ".claude/skills/*/SKILL.md",
    ".agents/skills/*/SKILL.md",
    ".opencode/skills/*/SKILL.md",
    ".github/skills/*/SKILL.md",
    ".cursor/agents/*.md",
    ".cursor/rules/**/*.mdc",
    ".github/agents/*.md",
    ".github/chatmodes/*.chatmode.md",
    ".opencode/agent/*.md",
    ".opencode/agents/*.md",
    ".opencode/mode/*.md",
    ".opencode/modes/*.md",
    ".codex/prompts/*.md",
    AGENTS_MD_PATH,
)
"""Patterns for the paths of agents and skills in a project."""


class ScanResult(NamedTuple):
    """The files that were read, and remarks about those that were skipped."""

    files: list[File]
    report: list[Remark]


def scan_project(folder: Path) -> ScanResult:
    """Read the files in a project that may contain agents or skills.

    Symbolic links that lead out of the project are not followed. Unreadable files are skipped with
    a remark.
    """
    result = ScanResult([], [])
    root = folder.resolve()
    character_count = 0
    for path in find_candidate_files(folder):
        relative_path = path.relative_to(folder).as_posix()
        # A cloned repository must not make an import read files elsewhere in the home directory.
        if not path.resolve().is_relative_to(root):
            message = "the symbolic link leads out of the folder; not followed"
            result.report.append(Remark("file", message, path=relative_path))
            continue
        text = _read_text(path, relative_path, result.report)
        # Most AGENTS.md files have no agents of the zoo. They are skipped without a remark.
        if text is None or (relative_path == AGENTS_MD_PATH and not has_blocks(text)):
            continue
        character_count += len(text)
        _check_scan_size(len(result.files) + 1, character_count, folder)
        result.files.append(File(path=relative_path, text=text))
    return result


def find_candidate_files(folder: Path) -> Iterator[Path]:
    """Yield the files in a project that may contain agents or skills, judging by their paths."""
    seen: set[Path] = set()
    for pattern in AGENT_FILE_PATTERNS:
        for path in sorted(folder.glob(pattern)):
            if path not in seen and path.is_file():
                seen.add(path)
                yield path


def read_agent_files(path: Path, format_name: str | None = None) -> ScanResult:
    """Read the agent files that a user wants to import.

    Args:
        path: A file, a project folder to scan, the folder of a skill, or a zip archive. The path of
            a single file is shortened to look like a path in a project, starting with `.claude` for
            example, so that its format can be detected.
        format_name: The format that the user chose, if any. With it, a folder is always scanned as
            a project.

    Raises:
        AgentFilesError: The path cannot be read.
    """
    if path.is_dir():
        if format_name is None and (path / "SKILL.md").is_file():
            path = path / "SKILL.md"
        else:
            return scan_project(path)
    if is_zip_archive(path):
        return ScanResult(*read_zip(path))
    report: list[Remark] = []
    try:
        text = _read_text(path, str(path), report)
    except OSError as error:
        raise AgentFilesError(
            f"cannot be read: {error.strerror or error}", where=str(path)
        ) from None
    if text is None:
        message = report[0].message if report else "no such file"
        raise AgentFilesError(message, where=str(path))
    return ScanResult([File(path=_find_identifying_path(path, text), text=text)], [])


def _find_identifying_path(path: Path, text: str) -> str:
    """Return the shortest trailing part of a path that identifies the file's format.

    For `/home/me/project/.claude/agents/ada.md` this is `.claude/agents/ada.md`. If nothing
    identifies the format, return the file name.
    """
    parts = path.absolute().parts[1:]
    for count in range(1, len(parts) + 1):
        path_end = "/".join(parts[-count:])
        if parse_memory_agent(path_end) or _shows_format(path_end, text):
            return path_end
    return path.name


def _shows_format(name: str, text: str) -> bool:
    format_name = detect_format(File(path=name, text=text))
    # The folder of a SKILL.md names the skill, so it belongs to the path.
    return format_name is not None and (format_name != "agent-skills" or "/" in name)


def _read_text(path: Path, name: str, report: list[Remark]) -> str | None:
    """Return the text of a file, or None if it cannot be read or does not exist.

    For an unreadable file, a remark is added to the report instead of raising an error, because one
    bad file must not stop the import of the others.
    """
    try:
        return read_text_file(path)
    except UnicodeDecodeError:
        message = "not a text file in UTF-8; left out"
    except OSError as error:
        message = f"cannot be read; left out: {error.strerror or error}"
    report.append(Remark("file", message, path=name))
    return None


def _check_scan_size(count: int, size: int, folder: Path) -> None:
    if count > MAX_IMPORT_FILES or size > MAX_IMPORT_CHARACTERS:
        raise AgentFilesError(
            "the agents' files in this folder are too many or too large",
            where=str(folder),
            hint=f"at most {MAX_IMPORT_FILES:,} files, of {MAX_FILE_BYTES:,} bytes each",
        )
