"""What is wrong with a paclet's directory: errors that break it, warnings, suggestions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from os.path import normpath
from typing import TYPE_CHECKING, Literal

from paddock.wolfram.packaging.archive import NAME, VERSION, Packing, packed_files, shortened
from paddock.wolfram.packaging.description import (
    DeclaredExtension,
    PacletInfoError,
    find_info_file,
    read_description,
)
from paddock.wolfram.parser import parse
from paddock.wolfram.source import WolframSyntaxError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paddock.wolfram.packaging.description import Description

Level = Literal["Error", "Warning", "Suggestion"]
CODE_SUFFIXES = (".wl", ".m", ".wls", ".wlt")
LARGE = 50_000_000
"""Bytes of one file above which it is worth a thought whether it belongs to the paclet."""
_KNOWN = frozenset(
    {
        *("Kernel", "Documentation", "FrontEnd", "Resource", "Application", "Path", "LibraryLink"),
        *("Asset", "AutoCompletionData", "ChannelFramework", "Component", "JLink", "LLMTools"),
        *("Test", "Tests", "ResourceData", "SystemPath", "AgentTools", "Dependencies", "Demos"),
        *("PacletServer", "WebUnitTest", "FunctionLibrary", "PhysicalQuantities", "Unit"),
    }
)
_PLACEHOLDER = re.compile(r"XXXX|TODO|Insert .* here", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is wrong, or could be better."""

    level: Level
    tag: str
    message: str
    place: str = ""


def check_paclet(directory: Path) -> list[Issue]:
    """Everything that can be said about a paclet without running it, the worst first."""
    root = directory.resolve()
    try:
        info, packing = find_info_file(root), packed_files(root)
    except OSError as error:
        text = f"It cannot be read: {error.strerror or error}."
        return [Issue("Error", "UnreadableDirectory", text, str(error.filename or directory))]
    if info is None:
        text = "There is no PacletInfo.wl in this directory."
        return [Issue("Error", "NoPacletInfo", text, str(directory))]
    if info not in packing.files:
        text = "It is a link that leads out of the paclet."
        return [Issue("Error", "InvalidPacletInfo", text, info.name)]
    try:
        description = read_description(info.read_text("utf-8-sig"), where=info.name)
    except (WolframSyntaxError, PacletInfoError, UnicodeDecodeError, OSError) as error:
        return [Issue("Error", "InvalidPacletInfo", str(error), info.name)]
    found = [
        *_identity(description, info.name),
        *_presentation(description, info.name),
        *_extensions(description, root, info.name, packing),
        *_files(root, packing),
    ]
    order: list[Level] = ["Error", "Warning", "Suggestion"]
    return sorted(found, key=lambda issue: order.index(issue.level))


def _identity(description: Description, info: str) -> Iterator[Issue]:
    """What an archive cannot be made without."""
    if not NAME.fullmatch(description.name):
        found = f"is {description.name!r}" if description.name else "is not given"
        yield Issue(
            "Error",
            "InvalidName",
            f'"Name" {found}; expected Name or Publisher/Name, of letters and digits.',
            info,
        )
    elif "/" not in description.name:
        text = '"Name" has no publisher; the paclet repository wants PublisherID/Name.'
        yield Issue("Warning", "NoPublisher", text, info)
    version = description.properties.get("Version")
    if version is None or not version.text or not VERSION.fullmatch(version.text):
        found = "is not given" if version is None else f"is {version.value!r}"
        text = f'"Version" {found}; expected text of numbers and dots, such as "1.0.2".'
        yield Issue("Error", "InvalidVersion", text, _at(info, version.line if version else 0))


def _at(info: str, line: int) -> str:
    return f"{info}:{line}" if line else info


def _presentation(description: Description, info: str) -> Iterator[Issue]:
    """What whoever looks for a paclet wants to know."""
    wanted: list[tuple[str, Level, str]] = [
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
            yield Issue(level, f"No{key}", f'"{key}" is not given; {advice}.', info)
        elif declared.text and _PLACEHOLDER.search(declared.text):
            text = f'"{key}" still has a placeholder: {declared.text!r}.'
            yield Issue("Warning", f"Placeholder{key}", text, _at(info, declared.line))


def _extensions(
    description: Description, directory: Path, info: str, packing: Packing
) -> Iterator[Issue]:
    if not description.extensions:
        yield Issue("Warning", "NoExtensions", "The paclet declares no extensions.", info)
    for extension in description.extensions:
        place = _at(info, extension.line)
        if extension.kind not in _KNOWN:
            text = f"No kind of extension known here is called {extension.kind!r}."
            yield Issue("Warning", "UnknownExtension", text, place)
        root = extension.properties.get("Root")
        if root is not None and root.text and not _is_directory(directory / root.text):
            text = f'The "{extension.kind}" extension is in {root.text!r}, which is no directory.'
            yield Issue("Error", "MissingRoot", text, _at(info, root.line))
        elif extension.kind == "Kernel":
            yield from _kernel(extension, directory, place, packing)


def _is_directory(place: Path) -> bool:
    try:
        return place.is_dir()
    except (OSError, ValueError):  # what somebody wrote there need not even be a name
        return False


def _roots(extension: DeclaredExtension) -> list[str]:
    """Where the files of an extension may be: older paclets do not say, and differ."""
    declared = extension.properties.get("Root")
    return [declared.text] if declared is not None and declared.text else [extension.kind, "."]


def _kernel(
    extension: DeclaredExtension, directory: Path, place: str, packing: Packing
) -> Iterator[Issue]:
    """Whether each context has a file in the archive, and each declared symbol a page."""
    contexts = extension.properties.get("Context")
    if contexts is None:
        yield Issue("Error", "NoContext", 'The "Kernel" extension names no "Context".', place)
        return
    for context, named in _contexts(contexts.value):
        names = [named] if named else _context_files(context)
        places = {normpath(directory / root / name) for root in _roots(extension) for name in names}
        if not any(str(file) in places for file in packing.files):
            text = f"There is no file for the context {context}: looked for {', '.join(names)}."
            yield Issue("Error", "MissingContextFile", text, place)
    symbols = extension.properties.get("Symbols")
    if symbols is not None:
        yield from _pages(symbols.value, directory, place, packing)


def _contexts(value: object) -> Iterator[tuple[str, str]]:
    """The contexts of a declaration, with the file where one is named."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            yield one, ""
        elif isinstance(one, list) and len(one) == 2 and all(isinstance(v, str) for v in one):
            yield one[0], one[1]


def _context_files(context: str) -> list[str]:
    """Where the code of a context may be: ``A`B` `` in `B.wl`, `A/B.wl` or `init.wl`."""
    parts = context.strip("`").split("`")
    stems = [parts[-1], "/".join(parts), "init"]
    return [f"{stem}{suffix}" for stem in dict.fromkeys(stems) for suffix in (".wl", ".m")]


def _pages(symbols: object, directory: Path, place: str, packing: Packing) -> Iterator[Issue]:
    pages = directory / "Documentation" / "English" / "ReferencePages" / "Symbols"
    names = [str(one).rpartition("`")[2] for one in symbols] if isinstance(symbols, list) else []
    there = {file.stem for file in packing.files if file.parent == pages and file.suffix == ".nb"}
    missing = [name for name in names if name not in there]
    if missing:
        text = f"Symbols without a reference page: {shortened(missing)}."
        yield Issue("Suggestion", "MissingPages", text, place)


def _files(root: Path, packing: Packing) -> Iterator[Issue]:
    """What the files themselves show: code that cannot be read, and files that are very large."""
    if packing.left_out:
        text = f"Not part of the archive: {shortened(packing.left_out)}."
        yield Issue("Suggestion", "LeftOut", text)
    for file in packing.files:
        name = file.relative_to(root).as_posix()
        if file.stat().st_size > LARGE:
            text = f"It has {file.stat().st_size // 1_000_000} MB."
            yield Issue("Warning", "LargeFile", text, name)
        elif file.suffix in CODE_SUFFIXES:
            yield from _code(file, name)
    if not any((root / name).is_dir() for name in ("Tests", "tests")):
        yield Issue("Suggestion", "NoTests", "There is no directory Tests.")


def _code(file: Path, name: str) -> Iterator[Issue]:
    try:
        source = parse(file.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        yield Issue("Error", "UnreadableFile", f"It cannot be read: {error}.", name)
        return
    for problem in source.problems[:5]:
        line, column = source.position(problem.start)
        yield Issue("Error", "SyntaxError", f"{problem.message}.", f"{name}:{line}:{column}")
