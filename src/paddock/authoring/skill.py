"""Skills, as their authors declare them: instructions for a model, with the files they need.

Loaded before msgspec, so it needs nothing but the interpreter; the files themselves are the
business of `authoring.skill_files`, which is loaded with the first skill.
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
    from typing import Any, Self

    from paddock.authoring.skill_files import FileContent, SkillFiles

MAX_SKILL_NAME_CHARACTERS = 64
_SKILL_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_SKILL_PREFIX_CHARACTERS = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
)


class Skill:
    """Instructions that a model reads when it needs them, and the files that belong to them.

    Clients see a directory with a SKILL.md, at `skill://<prefix>/<name>`. Its frontmatter is the
    name, the description and whatever else is given. Content that is made by a function, which
    takes nothing or a `Context`, has no digest: clients are told that the skill is dynamic.

    Args:
        name: 1 to 64 of a-z, 0-9 and single hyphens.
        description: What the skill is for and when to use it; up to 1024 characters.
        body: The instructions, in Markdown: a text, or a function that returns one.
        files: Further files: texts, bytes or functions by their paths, as in `scripts/run.py`.
        frontmatter: Further fields of the frontmatter.
        prefix: The directories above it, as in `acme/billing`.
        listed: Whether it stands in lists; one that does not can be used by its URI.
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
        from paddock.authoring.skill_files import InlineSkillFiles  # noqa: PLC0415 - few have skills

        self.name = name
        self.path = _build_skill_path(name, prefix, name)
        self.listed = listed
        self.files: SkillFiles = InlineSkillFiles(
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
        """The skill that a directory with a SKILL.md is, by the name of the directory.

        Files are read when they are asked for: a change on disk is served at once. A relative
        path counts from the directory of the file `relative_to`, else from that of the file that
        calls this.

        Raises:
            DefinitionError: when it is not one that could be served, saying why.
        """
        from paddock.authoring.skill_files import DirectorySkillFiles  # noqa: PLC0415 - few have skills

        place = resolve_path(directory, relative_to or find_caller_file())
        skill = cls.__new__(cls)
        skill.name = os.path.basename(place)  # noqa: PTH119 - pathlib is 8 ms
        skill.path = _build_skill_path(skill.name, prefix, place)
        skill.listed = listed
        skill.files = DirectorySkillFiles(place, skill.name)
        return skill

    @property
    def root(self) -> str:
        """The URI of its directory."""
        return f"skill://{self.path}"

    @property
    def uri(self) -> str:
        """The URI of its SKILL.md, by which clients know it."""
        return f"skill://{self.path}/{SKILL_FILE_NAME}"

    def __repr__(self) -> str:
        return f"Skill({self.path!r})"


def _build_skill_path(name: str, prefix: str, where: str) -> str:
    """The path of a skill among the skills of its server."""
    if not is_skill_name(name):
        raise DefinitionError(
            f"{name!r} cannot be the name of a skill",
            where=where,
            hint=f"1 to {MAX_SKILL_NAME_CHARACTERS} of a-z 0-9 and single hyphens, none at either end",
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
    """Whether a skill can have this name."""
    is_short = 0 < len(name) <= MAX_SKILL_NAME_CHARACTERS
    has_loose_hyphen = name.startswith("-") or name.endswith("-") or "--" in name
    return is_short and not has_loose_hyphen and _SKILL_NAME_CHARACTERS.issuperset(name)


class SkillRegistry(ComponentRegistry[Skill]):
    """The skills of a server by their paths; called with a directory, it adds those in it."""

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
        """Add every skill that a directory holds: each of its directories with a SKILL.md.

        A relative path counts from the directory of the file `relative_to`, else from that of
        the file that calls this.

        Raises:
            DefinitionError: when there is none, or one cannot be served, saying why.
        """
        place = resolve_path(directory, relative_to or find_caller_file())
        self._register(load_skills(place, prefix))
        return self


def load_skills(place: str, prefix: str = "") -> list[Skill]:
    """The skills in a directory, or the one that the directory itself is."""
    if os.path.isfile(os.path.join(place, SKILL_FILE_NAME)):  # noqa: PTH113, PTH118 - pathlib is 8 ms
        return [Skill.from_directory(place, prefix=prefix)]
    found = [Skill.from_directory(one, prefix=prefix) for one in list_skill_directories(place)]
    if not found:
        raise DefinitionError(
            "holds no skill",
            where=place,
            hint=f"expected a directory with a {SKILL_FILE_NAME} in it",
        )
    return found


def list_skill_directories(place: str) -> list[str]:
    """The directories in a directory that have a SKILL.md, by name."""
    try:
        names = sorted(os.listdir(place))  # noqa: PTH208 - pathlib is 8 ms
    except OSError:
        return []
    paths = [os.path.join(place, name) for name in names if not name.startswith(".")]  # noqa: PTH118 - pathlib is 8 ms
    return [path for path in paths if os.path.isfile(os.path.join(path, SKILL_FILE_NAME))]  # noqa: PTH113, PTH118 - pathlib is 8 ms
