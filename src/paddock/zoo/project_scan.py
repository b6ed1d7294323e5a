"""Finding agents' files in a project, and reading those that somebody names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.zoo.file_plan import MAX_FILE_BYTES, is_zip_archive, read_text_file, unpack_files
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
"""Where in a folder there may be agents and skills."""


class ScanResult(NamedTuple):
    """Files, and what is to be said of those that are not among them."""

    files: list[File]
    report: list[Remark]


def scan_project(folder: Path) -> ScanResult:
    """The agents' files of a project. Links that lead out of it are not followed."""
    found = ScanResult([], [])
    root = folder.resolve()
    size = 0
    for path in find_candidate_files(folder):
        name = path.relative_to(folder).as_posix()
        if not path.resolve().is_relative_to(root):
            text = "a link leads out of the folder; it is not followed"
            found.report.append(Remark(field="file", message=text, path=name))
            continue
        read = _read_text(path, name, found.report)
        if read is None or (name == AGENTS_MD_PATH and not has_blocks(read)):
            continue
        size += len(read)
        _check_scan_size(len(found.files) + 1, size, folder)
        found.files.append(File(path=name, text=read))
    return found


def find_candidate_files(folder: Path) -> Iterator[Path]:
    """The files of a folder that may be those of agents, by their names alone."""
    seen: set[Path] = set()
    for pattern in AGENT_FILE_PATTERNS:
        for path in sorted(folder.glob(pattern)):
            if path not in seen and path.is_file():
                seen.add(path)
                yield path


def read_source(path: Path, format_name: str | None = None) -> ScanResult:
    """The files that a path leads to: a folder is scanned, an archive is unpacked.

    The path of a single file begins where a project would: with `.claude`, for instance.

    Raises:
        AgentFilesError: when there is nothing that can be read.
    """
    if path.is_dir():
        if format_name is None and (path / "SKILL.md").is_file():
            path = path / "SKILL.md"
        else:
            return scan_project(path)
    if is_zip_archive(path):
        return ScanResult(*unpack_files(path))
    report: list[Remark] = []
    try:
        text = _read_text(path, str(path), report)
    except OSError as error:
        raise AgentFilesError(
            f"it cannot be read: {error.strerror or error}", where=str(path)
        ) from None
    if text is None:
        told = report[0].message if report else "there is no such file"
        raise AgentFilesError(told, where=str(path))
    return ScanResult([File(path=_find_identifying_path(path, text), text=text)], [])


def _find_identifying_path(path: Path, text: str) -> str:
    """The shortest end of a path that says what is in the file, or its last part."""
    parts = path.absolute().parts[1:]
    for count in range(1, len(parts) + 1):
        name = "/".join(parts[-count:])
        if parse_memory_agent(name) or _shows_format(name, text):
            return name
    return path.name


def _shows_format(name: str, text: str) -> bool:
    found = detect_format(File(path=name, text=text))
    return found is not None and (found != "agent-skills" or "/" in name)


def _read_text(path: Path, name: str, report: list[Remark]) -> str | None:
    try:
        return read_text_file(path)
    except UnicodeDecodeError:
        said = "it is no text in UTF-8, and left out"
    except OSError as error:
        said = f"it cannot be read, and is left out: {error.strerror or error}"
    report.append(Remark(field="file", message=said, path=name))
    return None


def _check_scan_size(count: int, size: int, folder: Path) -> None:
    if count > MAX_IMPORT_FILES or size > MAX_IMPORT_CHARACTERS:
        raise AgentFilesError(
            "there is too much in this folder",
            where=str(folder),
            hint=f"at most {MAX_IMPORT_FILES:,} files, of {MAX_FILE_BYTES:,} bytes each",
        )
