"""What is wrong with a paclet's directory: errors that break it, warnings, suggestions."""

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
"""Bytes of one file above which it is worth a thought whether it belongs to the paclet."""
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
    """One thing that is wrong, or could be better."""

    level: PacletIssueLevel
    tag: str
    message: str
    location: str = ""


def check_paclet(directory: Path) -> list[PacletIssue]:
    """Everything that can be said about a paclet without running it, the worst first."""
    root = directory.resolve()
    try:
        info, packing = find_info_file(root), list_archive_files(root)
    except OSError as error:
        text = f"It cannot be read: {error.strerror or error}."
        return [PacletIssue("Error", "UnreadableDirectory", text, str(error.filename or directory))]
    if info is None:
        text = "There is no PacletInfo.wl in this directory."
        return [PacletIssue("Error", "NoPacletInfo", text, str(directory))]
    if info not in packing.files:
        text = "It is a link that leads out of the paclet."
        return [PacletIssue("Error", "InvalidPacletInfo", text, info.name)]
    try:
        description = parse_paclet_info(info.read_text("utf-8-sig"), where=info.name)
    except (WolframSyntaxError, PacletInfoError, UnicodeDecodeError, OSError) as error:
        return [PacletIssue("Error", "InvalidPacletInfo", str(error), info.name)]
    found = [
        *_check_identity(description, info.name),
        *_check_presentation(description, info.name),
        *_check_extensions(description, root, info.name, packing),
        *_check_files(root, packing),
    ]
    order: list[PacletIssueLevel] = ["Error", "Warning", "Suggestion"]
    return sorted(found, key=lambda issue: order.index(issue.level))


def _check_identity(description: PacletDescription, info: str) -> Iterator[PacletIssue]:
    """What an archive cannot be made without."""
    if not NAME_PATTERN.fullmatch(description.name):
        found = f"is {description.name!r}" if description.name else "is not given"
        yield PacletIssue(
            "Error",
            "InvalidName",
            f'"Name" {found}; expected Name or Publisher/Name, of letters and digits.',
            info,
        )
    elif "/" not in description.name:
        text = '"Name" has no publisher; the paclet repository wants PublisherID/Name.'
        yield PacletIssue("Warning", "NoPublisher", text, info)
    version = description.properties.get("Version")
    if version is None or not version.text or not VERSION_PATTERN.fullmatch(version.text):
        found = "is not given" if version is None else f"is {version.value!r}"
        text = f'"Version" {found}; expected text of numbers and dots, such as "1.0.2".'
        yield PacletIssue(
            "Error", "InvalidVersion", text, _format_location(info, version.line if version else 0)
        )


def _format_location(info: str, line: int) -> str:
    return f"{info}:{line}" if line else info


def _check_presentation(description: PacletDescription, info: str) -> Iterator[PacletIssue]:
    """What whoever looks for a paclet wants to know."""
    wanted: list[tuple[str, PacletIssueLevel, str]] = [
        ("Description", "Warning", "say in a sentence what the paclet is for"),
        ("Creator", "Suggestion", "say who made it"),
        ("License", "Suggestion", 'name the licence, such as "MIT"'),
        ("WolframVersion", "Suggestion", 'say which versions it runs in, such as "13.0+"'),
        ("Keywords", "Suggestion", "give words that people search for"),
        ("SourceControlURL", "Suggestion", "say where its source is"),
    ]
    for key, level, advice in wanted:
        declared = description.properties.get(key)
        if declared is None or declared.value in ("", []):
            yield PacletIssue(level, f"No{key}", f'"{key}" is not given; {advice}.', info)
        elif declared.text and _PLACEHOLDER.search(declared.text):
            text = f'"{key}" still has a placeholder: {declared.text!r}.'
            yield PacletIssue(
                "Warning", f"Placeholder{key}", text, _format_location(info, declared.line)
            )


def _check_extensions(
    description: PacletDescription, directory: Path, info: str, packing: PacletArchiveFiles
) -> Iterator[PacletIssue]:
    if not description.extensions:
        yield PacletIssue("Warning", "NoExtensions", "The paclet declares no extensions.", info)
    for extension in description.extensions:
        place = _format_location(info, extension.line)
        if extension.kind not in _KNOWN_EXTENSION_KINDS:
            text = f"No kind of extension known here is called {extension.kind!r}."
            yield PacletIssue("Warning", "UnknownExtension", text, place)
        root = extension.properties.get("Root")
        if root is not None and root.text and not _is_directory(directory / root.text):
            text = f'The "{extension.kind}" extension is in {root.text!r}, which is no directory.'
            yield PacletIssue("Error", "MissingRoot", text, _format_location(info, root.line))
        elif extension.kind == "Kernel":
            yield from _check_kernel_extension(extension, directory, place, packing)


def _is_directory(place: Path) -> bool:
    try:
        return place.is_dir()
    except (OSError, ValueError):  # what somebody wrote there need not even be a name
        return False


def _list_roots(extension: DeclaredExtension) -> list[str]:
    """Where the files of an extension may be: older paclets do not say, and differ."""
    declared = extension.properties.get("Root")
    return [declared.text] if declared is not None and declared.text else [extension.kind, "."]


def _check_kernel_extension(
    extension: DeclaredExtension, directory: Path, place: str, packing: PacletArchiveFiles
) -> Iterator[PacletIssue]:
    """Whether each context has a file in the archive, and each declared symbol a page."""
    contexts = extension.properties.get("Context")
    if contexts is None:
        yield PacletIssue("Error", "NoContext", 'The "Kernel" extension names no "Context".', place)
        return
    for context, named in _iter_contexts(contexts.value):
        names = [named] if named else _list_context_files(context)
        places = {
            normpath(directory / root / name) for root in _list_roots(extension) for name in names
        }
        if not any(str(file) in places for file in packing.files):
            text = f"There is no file for the context {context}: looked for {', '.join(names)}."
            yield PacletIssue("Error", "MissingContextFile", text, place)
    symbols = extension.properties.get("Symbols")
    if symbols is not None:
        yield from _check_pages(symbols.value, directory, place, packing)


def _iter_contexts(value: object) -> Iterator[tuple[str, str]]:
    """The contexts of a declaration, with the file where one is named."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            yield one, ""
        elif isinstance(one, list) and len(one) == 2 and all(isinstance(v, str) for v in one):
            yield one[0], one[1]


def _list_context_files(context: str) -> list[str]:
    """Where the code of a context may be: ``A`B` `` in `B.wl`, `A/B.wl` or `init.wl`."""
    parts = context.strip("`").split("`")
    stems = [parts[-1], "/".join(parts), "init"]
    return [f"{stem}{suffix}" for stem in dict.fromkeys(stems) for suffix in (".wl", ".m")]


def _check_pages(
    symbols: object, directory: Path, place: str, packing: PacletArchiveFiles
) -> Iterator[PacletIssue]:
    pages = directory / "Documentation" / "English" / "ReferencePages" / "Symbols"
    names = [str(one).rpartition("`")[2] for one in symbols] if isinstance(symbols, list) else []
    there = {file.stem for file in packing.files if file.parent == pages and file.suffix == ".nb"}
    missing = [name for name in names if name not in there]
    if missing:
        text = f"Symbols without a reference page: {summarize_names(missing)}."
        yield PacletIssue("Suggestion", "MissingPages", text, place)


def _check_files(root: Path, packing: PacletArchiveFiles) -> Iterator[PacletIssue]:
    """What the files themselves show: code that cannot be read, and files that are very large."""
    if packing.excluded:
        text = f"Not part of the archive: {summarize_names(packing.excluded)}."
        yield PacletIssue("Suggestion", "LeftOut", text)
    for file in packing.files:
        name = file.relative_to(root).as_posix()
        if file.stat().st_size > LARGE_FILE_BYTES:
            text = f"It has {file.stat().st_size // 1_000_000} MB."
            yield PacletIssue("Warning", "LargeFile", text, name)
        elif file.suffix in CODE_SUFFIXES:
            yield from _check_code(file, name)
    if not any((root / name).is_dir() for name in ("Tests", "tests")):
        yield PacletIssue("Suggestion", "NoTests", "There is no directory Tests.")


def _check_code(file: Path, name: str) -> Iterator[PacletIssue]:
    try:
        source = parse(file.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        yield PacletIssue("Error", "UnreadableFile", f"It cannot be read: {error}.", name)
        return
    for problem in source.problems[:5]:
        line, column = source.get_position(problem.start)
        yield PacletIssue("Error", "SyntaxError", f"{problem.message}.", f"{name}:{line}:{column}")
