"""Checks for a paclet directory: errors that break the paclet, warnings and suggestions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from os.path import normpath
from typing import TYPE_CHECKING, Literal, NamedTuple

from paddock.wolfram.paclets.archive import (
    NAME_PATTERN,
    VERSION_PATTERN,
    list_archive_files,
    summarize_names,
)
from paddock.wolfram.paclets.paclet_info import (
    PacletInfoError,
    find_info_file,
    parse_paclet_info,
)
from paddock.wolfram.parser import parse
from paddock.wolfram.source import WolframSyntaxError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paddock.wolfram.paclets.archive import PacletArchiveFiles
    from paddock.wolfram.paclets.paclet_info import (
        DeclaredExtension,
        DeclaredProperty,
        PacletDescription,
    )

PacletIssueLevel = Literal["Error", "Warning", "Suggestion"]
CODE_SUFFIXES = (".wl", ".m", ".wls", ".wlt")
LARGE_FILE_BYTES = 50_000_000
"""Files larger than this probably do not belong in the paclet."""
_KNOWN_EXTENSION_KINDS = frozenset(
    {
        *("Kernel", "Documentation", "FrontEnd", "Resource", "Application", "Path", "LibraryLink"),
        *("Asset", "AutoCompletionData", "ChannelFramework", "Component", "JLink", "LLMTools"),
        *("Test", "Tests", "ResourceData", "SystemPath", "AgentTools", "Dependencies", "Demos"),
        *("PacletServer", "WebUnitTest", "FunctionLibrary", "PhysicalQuantities", "Unit"),
    }
)
_PRESENTATION_PROPERTIES: dict[str, tuple[PacletIssueLevel, str]] = {
    "Description": ("Warning", "describe the purpose of the paclet in one sentence"),
    "Creator": ("Suggestion", "name the author"),
    "License": ("Suggestion", 'name the license, such as "MIT"'),
    "WolframVersion": ("Suggestion", 'specify the supported versions, such as "13.0+"'),
    "Keywords": ("Suggestion", "add search terms"),
    "SourceControlURL": ("Suggestion", "add the URL of the source repository"),
}
"""The issue level for each missing property, and the advice to the author."""
_PLACEHOLDER = re.compile(r"XXXX|TODO|Insert .* here", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PacletIssue:
    """An issue found in a paclet."""

    level: PacletIssueLevel
    tag: str
    message: str
    location: str = ""


def check_paclet(directory: Path) -> list[PacletIssue]:
    """Return all issues of a paclet (a Wolfram Language package), the most severe first.

    The paclet's code is not run. If the directory or its `PacletInfo` file cannot be read, only
    this error is returned.
    """
    root = directory.resolve()
    try:
        info, archive_files = find_info_file(root), list_archive_files(root)
    except OSError as error:
        message = f"The directory cannot be read: {error.strerror or error}."
        location = str(error.filename or directory)
        return [PacletIssue("Error", "UnreadableDirectory", message, location)]
    if info is None:
        message = "The directory has no PacletInfo.wl."
        return [PacletIssue("Error", "NoPacletInfo", message, str(directory))]
    # A link to a file outside the directory is not packed and would be missing from the archive.
    if info not in archive_files.files:
        message = "The file is a link out of the paclet."
        return [PacletIssue("Error", "InvalidPacletInfo", message, info.name)]
    try:
        description = parse_paclet_info(info.read_text("utf-8-sig"), where=info.name)
    except (WolframSyntaxError, PacletInfoError, UnicodeDecodeError, OSError) as error:
        return [PacletIssue("Error", "InvalidPacletInfo", str(error), info.name)]
    check = _PacletCheck(root, info.name, description, archive_files)
    levels: list[PacletIssueLevel] = ["Error", "Warning", "Suggestion"]
    return sorted(check.iter_issues(), key=lambda issue: levels.index(issue.level))


class _PacletCheck(NamedTuple):
    """The checks of a paclet whose `PacletInfo` file can be read."""

    root: Path
    """The directory of the paclet."""
    info_name: str
    """The name of the `PacletInfo` file."""
    description: PacletDescription
    archive_files: PacletArchiveFiles

    def iter_issues(self) -> Iterator[PacletIssue]:
        """Run all checks on the paclet and yield the issues they find."""
        yield from self._check_identity()
        yield from self._check_presentation()
        if not self.description.extensions:
            message = "The paclet declares no extensions."
            yield self._make_issue("Warning", "NoExtensions", message)
        for extension in self.description.extensions:
            yield from self._check_extension(extension)
        yield from self._check_files()

    def _make_issue(
        self,
        level: PacletIssueLevel,
        tag: str,
        message: str,
        declared: DeclaredProperty | DeclaredExtension | None = None,
    ) -> PacletIssue:
        """Create an issue in the `PacletInfo` file, such as `Warning NoPublisher`.

        Args:
            level: The severity.
            tag: The name of the kind of issue.
            message: A sentence for users.
            declared: The property or extension with the issue, whose line becomes the location.
        """
        location = self.info_name if declared is None else f"{self.info_name}:{declared.line}"
        return PacletIssue(level, tag, message, location)

    def _check_identity(self) -> Iterator[PacletIssue]:
        """Yield issues about the name and version, which are required to build an archive."""
        name, version = self.description.name, self.description.properties.get("Version")
        if not NAME_PATTERN.fullmatch(name):
            problem = f"is {name!r}" if name else "is missing"
            message = (
                f'"Name" {problem}; expected Name or Publisher/Name, with letters and digits only.'
            )
            yield self._make_issue("Error", "InvalidName", message)
        elif "/" not in name:
            message = '"Name" has no publisher; the paclet repository requires PublisherID/Name.'
            yield self._make_issue("Warning", "NoPublisher", message)
        if version is None or not version.text or not VERSION_PATTERN.fullmatch(version.text):
            problem = "is missing" if version is None else f"is {version.value!r}"
            message = (
                f'"Version" {problem}; expected a string of numbers and dots, such as "1.0.2".'
            )
            yield self._make_issue("Error", "InvalidVersion", message, version)

    def _check_presentation(self) -> Iterator[PacletIssue]:
        """Yield issues about the properties that describe the paclet to its users.

        Such a property, for example `Description`, should not be missing, empty or a template
        placeholder.
        """
        for key, (level, advice) in _PRESENTATION_PROPERTIES.items():
            declared = self.description.properties.get(key)
            if declared is None or declared.value in ("", []):
                yield self._make_issue(level, f"No{key}", f'"{key}" is missing; {advice}.')
            elif declared.text and _PLACEHOLDER.search(declared.text):
                message = f'"{key}" contains a placeholder: {declared.text!r}.'
                yield self._make_issue("Warning", f"Placeholder{key}", message, declared)

    def _check_extension(self, extension: DeclaredExtension) -> Iterator[PacletIssue]:
        """Yield issues about an extension, an entry of `PacletInfo` such as `{"Kernel", …}`.

        Its kind should be known, and its root directory must exist.
        """
        if extension.kind not in _KNOWN_EXTENSION_KINDS:
            message = f"Unknown extension kind {extension.kind!r}."
            yield self._make_issue("Warning", "UnknownExtension", message, extension)
        root = extension.properties.get("Root")
        if root is not None and root.text and not _is_directory(self.root / root.text):
            message = (
                f'The root {root.text!r} of the "{extension.kind}" extension is not a directory.'
            )
            yield self._make_issue("Error", "MissingRoot", message, root)
        elif extension.kind == "Kernel":
            yield from self._check_contexts(extension)

    def _check_contexts(self, extension: DeclaredExtension) -> Iterator[PacletIssue]:
        """Yield issues about the contexts (namespaces) and symbols of a kernel extension.

        Each context needs a code file in the archive, and each symbol should have a reference page.
        """
        contexts = extension.properties.get("Context")
        if contexts is None:
            message = 'The "Kernel" extension declares no "Context".'
            yield self._make_issue("Error", "NoContext", message, extension)
            return
        roots = [self.root / root for root in _list_roots(extension)]
        packed_paths = {str(file) for file in self.archive_files.files}
        for context, declared_file in _iter_contexts(contexts.value):
            files = [declared_file] if declared_file else _list_context_files(context)
            paths = {normpath(root / file) for root in roots for file in files}
            if packed_paths.isdisjoint(paths):
                message = f"The context {context} has no file; expected one of {', '.join(files)}."
                yield self._make_issue("Error", "MissingContextFile", message, extension)
        symbols = extension.properties.get("Symbols")
        undocumented_names = (
            self._list_undocumented_names(symbols.value) if symbols is not None else []
        )
        if undocumented_names:
            message = f"Symbols without a reference page: {summarize_names(undocumented_names)}."
            yield self._make_issue("Suggestion", "MissingPages", message, extension)

    def _list_undocumented_names(self, symbols: object) -> list[str]:
        """Return the short names of symbols without a reference page in the archive.

        Args:
            symbols: The declared symbols with their contexts, as in ``["A`f", "A`g"]``.
        """
        if not isinstance(symbols, list):
            return []
        folder = self.root / "Documentation" / "English" / "ReferencePages" / "Symbols"
        packed_files = {*self.archive_files.files}
        names = [str(symbol).rpartition("`")[2] for symbol in symbols]
        return [name for name in names if folder / f"{name}.nb" not in packed_files]

    def _check_files(self) -> Iterator[PacletIssue]:
        """Yield issues about the paclet's files: exclusions, sizes and syntax."""
        if self.archive_files.excluded:
            message = f"Excluded from the archive: {summarize_names(self.archive_files.excluded)}."
            yield PacletIssue("Suggestion", "LeftOut", message)
        for file in self.archive_files.files:
            name = file.relative_to(self.root).as_posix()
            size = file.stat().st_size
            if size > LARGE_FILE_BYTES:
                message = f"The file has {size // 1_000_000} MB."
                yield PacletIssue("Warning", "LargeFile", message, name)
            elif file.suffix in CODE_SUFFIXES:
                yield from _check_code_syntax(file, name)
        if not any((self.root / name).is_dir() for name in ("Tests", "tests")):
            yield PacletIssue("Suggestion", "NoTests", "The paclet has no Tests directory.")


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


def _iter_contexts(value: object) -> Iterator[tuple[str, str]]:
    """Yield each declared context with its file name, or an empty string if it has none.

    A declaration is a string such as ``"Context`"``, or a list such as
    ``{"Context`", "File.wl"}``. The value of the property is a declaration or a list of them.
    """
    for declaration in value if isinstance(value, list) else [value]:
        match declaration:
            case str(context):
                yield context, ""
            case [str(context), str(file)]:
                yield context, file


def _list_context_files(context: str) -> list[str]:
    """Return candidate files for a context: ``A`B` `` is in `B.wl`, `A/B.wl` or `init.wl`."""
    parts = context.strip("`").split("`")
    stems = [parts[-1], "/".join(parts), "init"]
    return [f"{stem}{suffix}" for stem in dict.fromkeys(stems) for suffix in (".wl", ".m")]


def _check_code_syntax(file: Path, name: str) -> Iterator[PacletIssue]:
    """Yield an issue for each of the first syntax errors in a code file.

    Args:
        file: The path of the file.
        name: Its path within the paclet, for the location of the issues.
    """
    try:
        source = parse(file.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        yield PacletIssue("Error", "UnreadableFile", f"The file cannot be read: {error}.", name)
        return
    # One mistake can cause many problems, so only the first few are reported.
    for problem in source.problems[:5]:
        line, column = source.get_position(problem.start)
        yield PacletIssue("Error", "SyntaxError", f"{problem.message}.", f"{name}:{line}:{column}")
