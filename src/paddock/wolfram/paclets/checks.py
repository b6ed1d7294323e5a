"""Checks of a paclet's directory: errors that break it, warnings and suggestions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from os.path import normpath
from typing import TYPE_CHECKING, Literal

from paddock.wolfram.paclets.archive import (
    NAME_PATTERN,
    VERSION_PATTERN,
    PacletArchiveFiles,
    list_archive_files,
    summarize_names,
)
from paddock.wolfram.paclets.paclet_info import (
    DeclaredExtension,
    PacletInfoError,
    find_info_file,
    parse_paclet_info,
)
from paddock.wolfram.parser import parse
from paddock.wolfram.source import WolframSyntaxError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paddock.wolfram.paclets.paclet_info import PacletDescription

PacletIssueLevel = Literal["Error", "Warning", "Suggestion"]
CODE_SUFFIXES = (".wl", ".m", ".wls", ".wlt")
LARGE_FILE_BYTES = 50_000_000
"""Files above this size probably do not belong in the paclet."""
_KNOWN_EXTENSION_KINDS = frozenset(
    {
        *("Kernel", "Documentation", "FrontEnd", "Resource", "Application", "Path", "LibraryLink"),
        *("Asset", "AutoCompletionData", "ChannelFramework", "Component", "JLink", "LLMTools"),
        *("Test", "Tests", "ResourceData", "SystemPath", "AgentTools", "Dependencies", "Demos"),
        *("PacletServer", "WebUnitTest", "FunctionLibrary", "PhysicalQuantities", "Unit"),
    }
)
_PLACEHOLDER = re.compile(r"XXXX|TODO|Insert .* here", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PacletIssue:
    """An issue found in a paclet."""

    level: PacletIssueLevel
    tag: str
    message: str
    location: str = ""


def check_paclet(directory: Path) -> list[PacletIssue]:
    """Return all issues of a paclet that can be found without running code, the most severe first.

    If the directory or its `PacletInfo` file cannot be read, only that error is returned.
    """
    root = directory.resolve()
    try:
        info, archive_files = find_info_file(root), list_archive_files(root)
    except OSError as error:
        message = f"The directory cannot be read: {error.strerror or error}."
        return [
            PacletIssue("Error", "UnreadableDirectory", message, str(error.filename or directory))
        ]
    if info is None:
        message = "The directory has no PacletInfo.wl."
        return [PacletIssue("Error", "NoPacletInfo", message, str(directory))]
    # A link out of the directory is not packed, and would be missing from the archive.
    if info not in archive_files.files:
        message = "The file is a link out of the paclet."
        return [PacletIssue("Error", "InvalidPacletInfo", message, info.name)]
    try:
        description = parse_paclet_info(info.read_text("utf-8-sig"), where=info.name)
    except (WolframSyntaxError, PacletInfoError, UnicodeDecodeError, OSError) as error:
        return [PacletIssue("Error", "InvalidPacletInfo", str(error), info.name)]
    issues = [
        *_check_identity(description, info.name),
        *_check_presentation(description, info.name),
        *_check_extensions(description, root, info.name, archive_files),
        *_check_files(root, archive_files),
    ]
    order: list[PacletIssueLevel] = ["Error", "Warning", "Suggestion"]
    return sorted(issues, key=lambda issue: order.index(issue.level))


def _check_identity(description: PacletDescription, info: str) -> Iterator[PacletIssue]:
    """Check the name and version, without which no archive can be built."""
    if not NAME_PATTERN.fullmatch(description.name):
        problem = f"is {description.name!r}" if description.name else "is missing"
        yield PacletIssue(
            "Error",
            "InvalidName",
            f'"Name" {problem}; expected Name or Publisher/Name, with letters and digits only.',
            info,
        )
    elif "/" not in description.name:
        message = '"Name" has no publisher; the paclet repository requires PublisherID/Name.'
        yield PacletIssue("Warning", "NoPublisher", message, info)
    version = description.properties.get("Version")
    if version is None or not version.text or not VERSION_PATTERN.fullmatch(version.text):
        problem = "is missing" if version is None else f"is {version.value!r}"
        message = f'"Version" {problem}; expected a string of numbers and dots, such as "1.0.2".'
        yield PacletIssue(
            "Error",
            "InvalidVersion",
            message,
            _format_location(info, version.line if version else 0),
        )


def _format_location(info: str, line: int) -> str:
    return f"{info}:{line}" if line else info


def _check_presentation(description: PacletDescription, info: str) -> Iterator[PacletIssue]:
    """Check the properties that describe the paclet to its users.

    A property that is missing or empty is reported, and also one that still has the text of a
    template.
    """
    properties: list[tuple[str, PacletIssueLevel, str]] = [
        ("Description", "Warning", "describe the purpose of the paclet in one sentence"),
        ("Creator", "Suggestion", "name the author"),
        ("License", "Suggestion", 'name the license, such as "MIT"'),
        ("WolframVersion", "Suggestion", 'specify the supported versions, such as "13.0+"'),
        ("Keywords", "Suggestion", "add search terms"),
        ("SourceControlURL", "Suggestion", "add the URL of the source repository"),
    ]
    for key, level, advice in properties:
        declared = description.properties.get(key)
        if declared is None or declared.value in ("", []):
            yield PacletIssue(level, f"No{key}", f'"{key}" is missing; {advice}.', info)
        elif declared.text and _PLACEHOLDER.search(declared.text):
            message = f'"{key}" contains a placeholder: {declared.text!r}.'
            yield PacletIssue(
                "Warning", f"Placeholder{key}", message, _format_location(info, declared.line)
            )


def _check_extensions(
    description: PacletDescription, directory: Path, info: str, archive_files: PacletArchiveFiles
) -> Iterator[PacletIssue]:
    """Check that each extension has a known kind and that its root directory exists."""
    if not description.extensions:
        yield PacletIssue("Warning", "NoExtensions", "The paclet declares no extensions.", info)
    for extension in description.extensions:
        location = _format_location(info, extension.line)
        if extension.kind not in _KNOWN_EXTENSION_KINDS:
            message = f"Unknown extension kind {extension.kind!r}."
            yield PacletIssue("Warning", "UnknownExtension", message, location)
        root = extension.properties.get("Root")
        if root is not None and root.text and not _is_directory(directory / root.text):
            message = (
                f'The root {root.text!r} of the "{extension.kind}" extension is not a directory.'
            )
            yield PacletIssue("Error", "MissingRoot", message, _format_location(info, root.line))
        elif extension.kind == "Kernel":
            yield from _check_kernel_extension(extension, directory, location, archive_files)


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # ValueError: the text is not a valid path
        return False


def _list_roots(extension: DeclaredExtension) -> list[str]:
    """Return the possible root folders of an extension.

    Older paclets declare no root and rely on defaults.
    """
    declared = extension.properties.get("Root")
    return [declared.text] if declared is not None and declared.text else [extension.kind, "."]


def _check_kernel_extension(
    extension: DeclaredExtension, directory: Path, location: str, archive_files: PacletArchiveFiles
) -> Iterator[PacletIssue]:
    """Check the contexts and symbols that a kernel extension declares.

    Each context needs a file in the archive, and each symbol should have a reference page.
    """
    contexts = extension.properties.get("Context")
    if contexts is None:
        yield PacletIssue(
            "Error", "NoContext", 'The "Kernel" extension declares no "Context".', location
        )
        return
    for context, declared_file in _iter_contexts(contexts.value):
        names = [declared_file] if declared_file else _list_context_files(context)
        paths = {
            normpath(directory / root / name) for root in _list_roots(extension) for name in names
        }
        if not any(str(file) in paths for file in archive_files.files):
            message = f"The context {context} has no file; expected one of {', '.join(names)}."
            yield PacletIssue("Error", "MissingContextFile", message, location)
    symbols = extension.properties.get("Symbols")
    if symbols is not None:
        yield from _check_pages(symbols.value, directory, location, archive_files)


def _iter_contexts(value: object) -> Iterator[tuple[str, str]]:
    """Yield the declared contexts, with their file names if given."""
    for declaration in value if isinstance(value, list) else [value]:
        if isinstance(declaration, str):
            yield declaration, ""
        elif (
            isinstance(declaration, list)
            and len(declaration) == 2
            and all(isinstance(item, str) for item in declaration)
        ):
            # A pair also names the file: `{"Context`", "File.wl"}`.
            yield declaration[0], declaration[1]


def _list_context_files(context: str) -> list[str]:
    """Return candidate files of a context: ``A`B` `` is in `B.wl`, `A/B.wl` or `init.wl`."""
    parts = context.strip("`").split("`")
    stems = [parts[-1], "/".join(parts), "init"]
    return [f"{stem}{suffix}" for stem in dict.fromkeys(stems) for suffix in (".wl", ".m")]


def _check_pages(
    symbols: object, directory: Path, location: str, archive_files: PacletArchiveFiles
) -> Iterator[PacletIssue]:
    """Suggest reference pages for declared symbols that have none in the archive."""
    pages = directory / "Documentation" / "English" / "ReferencePages" / "Symbols"
    names = (
        [str(symbol).rpartition("`")[2] for symbol in symbols] if isinstance(symbols, list) else []
    )
    documented = {
        file.stem for file in archive_files.files if file.parent == pages and file.suffix == ".nb"
    }
    missing = [name for name in names if name not in documented]
    if missing:
        message = f"Symbols without a reference page: {summarize_names(missing)}."
        yield PacletIssue("Suggestion", "MissingPages", message, location)


def _check_files(root: Path, archive_files: PacletArchiveFiles) -> Iterator[PacletIssue]:
    """Check the files themselves: exclusions, sizes and syntax."""
    if archive_files.excluded:
        message = f"Excluded from the archive: {summarize_names(archive_files.excluded)}."
        yield PacletIssue("Suggestion", "LeftOut", message)
    for file in archive_files.files:
        name = file.relative_to(root).as_posix()
        if file.stat().st_size > LARGE_FILE_BYTES:
            message = f"The file has {file.stat().st_size // 1_000_000} MB."
            yield PacletIssue("Warning", "LargeFile", message, name)
        elif file.suffix in CODE_SUFFIXES:
            yield from _check_code(file, name)
    if not any((root / name).is_dir() for name in ("Tests", "tests")):
        yield PacletIssue("Suggestion", "NoTests", "The paclet has no Tests directory.")


def _check_code(file: Path, name: str) -> Iterator[PacletIssue]:
    """Report syntax errors of a code file."""
    try:
        source = parse(file.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        yield PacletIssue("Error", "UnreadableFile", f"The file cannot be read: {error}.", name)
        return
    # One mistake can cause many problems, so only the first few are reported.
    for problem in source.problems[:5]:
        line, column = source.get_position(problem.start)
        yield PacletIssue("Error", "SyntaxError", f"{problem.message}.", f"{name}:{line}:{column}")
