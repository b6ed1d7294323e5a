"""Declarations of skills: instructions for a model, with the files that they need.

Loaded before msgspec, so it imports nothing outside the standard library. `authoring.skill_files`
reads the files and is imported with the first skill.
"""

from __future__ import annotations

import os

from paddock.authoring.author_code import find_caller_file, resolve_path
from paddock.authoring.component_registry import ComponentRegistry
from paddock.errors import DefinitionError
from paddock.protocol.versions import SKILL_FILE_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import Any, Self

    from paddock.authoring.skill_files import FileContent, SkillFiles

MAX_SKILL_NAME_CHARACTERS = 64
_SKILL_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_SKILL_PREFIX_CHARACTERS = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
)


class Skill:
    """Instructions that a model loads when it needs them, with supporting files.

    Clients see a directory `skill://<prefix>/<name>` with a SKILL.md, whose frontmatter holds the
    name, the description and the further fields. Content may be produced by a function, which takes
    nothing or a `Context`. It has no digest, so the skill is then listed as dynamic.

    Args:
        name: 1 to 64 of a-z, 0-9 and single hyphens.
        description: Purpose of the skill and when to use it; up to 1024 characters.
        body: The instructions in Markdown: a text, or a function that returns one.
        files: Further files by relative path, as in `scripts/run.py`: texts, bytes or functions.
        frontmatter: Further fields of the frontmatter.
        prefix: Parent directories in the URI, as in `acme/billing`.
        listed: Include the skill in lists. An unlisted skill can be read by its URI.
    """

    __slots__ = ("files", "listed", "name", "path")

    def __init__(
        self,
        name: str,
        description: str,
        body: str | Callable[..., Any],
        *,
        files: Mapping[str, FileContent] | None = None,
        frontmatter: Mapping[str, Any] | None = None,
        prefix: str = "",
        listed: bool = True,
    ) -> None:
        self.name = name
        self.path = _build_skill_path(name, prefix, name)
        self.listed = listed
        self.files: SkillFiles = _import_skill_files().InlineSkillFiles(
            name, description, body, files or {}, frontmatter or {}
        )

    @classmethod
    def from_directory(
        cls,
        directory: str | os.PathLike[str],
        *,
        prefix: str = "",
        listed: bool = True,
        relative_to: str | None = None,
    ) -> Self:
        """Return the skill in a directory with a SKILL.md, named like the directory.

        Files are read on each request, so changes on disk take effect at once. A relative path is
        resolved against the file `relative_to`, by default the calling file.

        Raises:
            DefinitionError: The directory is not a valid skill.
        """
        path = resolve_path(directory, relative_to or find_caller_file())
        skill = cls.__new__(cls)
        skill.name = os.path.basename(path)
        skill.path = _build_skill_path(skill.name, prefix, path)
        skill.listed = listed
        skill.files = _import_skill_files().DirectorySkillFiles(path, skill.name)
        return skill

    @property
    def root(self) -> str:
        """The URI of the skill's directory."""
        return f"skill://{self.path}"

    @property
    def uri(self) -> str:
        """The URI of the SKILL.md, which identifies the skill to clients."""
        return f"skill://{self.path}/{SKILL_FILE_NAME}"

    def __repr__(self) -> str:
        return f"Skill({self.path!r})"


def _import_skill_files() -> ModuleType:
    """Import the code that reads skills, which few servers have."""
    from paddock.authoring import skill_files  # saves 5 ms for all other servers

    return skill_files


def _build_skill_path(name: str, prefix: str, where: str) -> str:
    """Return the path of a skill, `prefix/name`, which is part of the URIs of its files.

    Raises:
        DefinitionError: The name or the prefix contains characters that are not allowed.
    """
    if not is_skill_name(name):
        raise DefinitionError(
            f"{name!r} cannot be the name of a skill",
            where=where,
            hint=(
                f"1 to {MAX_SKILL_NAME_CHARACTERS} of a-z 0-9 and single hyphens, "
                "none at either end"
            ),
        )
    for segment in prefix.split("/") if prefix else ():
        if not segment.strip(".") or not _SKILL_PREFIX_CHARACTERS.issuperset(segment):
            raise DefinitionError(
                f"{prefix!r} cannot be the prefix of a skill",
                where=where,
                hint="as in acme/billing: parts of A-Z a-z 0-9 - . _ ~",
            )
    return f"{prefix}/{name}" if prefix else name


def is_skill_name(name: str) -> bool:
    """Return whether a string is a valid name of a skill."""
    is_short = 0 < len(name) <= MAX_SKILL_NAME_CHARACTERS
    has_loose_hyphen = name.startswith("-") or name.endswith("-") or "--" in name
    return is_short and not has_loose_hyphen and _SKILL_NAME_CHARACTERS.issuperset(name)


class SkillRegistry(ComponentRegistry[Skill]):
    """The skills of a server by path. Calling it with a directory adds the skills in it."""

    def __init__(
        self, on_change: Callable[[], None], register: Callable[[list[Skill]], object]
    ) -> None:
        super().__init__(on_change)
        self._register = register

    def __call__(
        self,
        directory: str | os.PathLike[str],
        *,
        prefix: str = "",
        relative_to: str | None = None,
    ) -> Self:
        """Add each subdirectory with a SKILL.md as a skill, and return the registry.

        A relative path is resolved against the file `relative_to`, by default the calling file.

        Raises:
            DefinitionError: The directory contains no skill, or an invalid one.
        """
        self._register(
            load_skills(resolve_path(directory, relative_to or find_caller_file()), prefix)
        )
        return self


def load_skills(directory: str, prefix: str = "") -> list[Skill]:
    """Return the skill in a directory with a SKILL.md, or else the skills in its subdirectories.

    Raises:
        DefinitionError: Neither the directory nor a subdirectory contains a SKILL.md, or a skill is
            invalid.
    """
    if os.path.isfile(os.path.join(directory, SKILL_FILE_NAME)):
        return [Skill.from_directory(directory, prefix=prefix)]
    skills = [
        Skill.from_directory(subdirectory, prefix=prefix)
        for subdirectory in list_skill_directories(directory)
    ]
    if not skills:
        raise DefinitionError(
            "contains no skill",
            where=directory,
            hint=f"expected a {SKILL_FILE_NAME} in it or in a subdirectory",
        )
    return skills


def list_skill_directories(directory: str) -> list[str]:
    """Return the paths of the subdirectories that contain a SKILL.md, sorted by name.

    Hidden subdirectories are left out. The list is empty if the directory cannot be read.
    """
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    paths = [os.path.join(directory, name) for name in names if not name.startswith(".")]
    return [path for path in paths if os.path.isfile(os.path.join(path, SKILL_FILE_NAME))]
