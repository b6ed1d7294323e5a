"""What a server answers to the methods of the skills extension.

Everything is looked up when it is asked for, since files change; so it is work, and never done
before a request has been accepted. A skill that cannot be served is reported and left out of
lists; the others are not affected.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from msgspec import UNSET

from paddock.authoring.hints import encode
from paddock.authoring.listing import encoded, page
from paddock.authoring.skill_reading import (
    FileReading,
    MadeReading,
    media_type,
    quoted,
    unquoted,
    unserved,
)
from paddock.errors import PaddockError
from paddock.protocol.errors import InvalidParamsError
from paddock.protocol.extensions import SKILL_FILE
from paddock.protocol.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.offering import Offering
    from paddock.authoring.skill import Skill
    from paddock.authoring.skill_files import Tree
    from paddock.authoring.skill_reading import SkillReading
    from paddock.protocol.model.params import DirectoryParams, ListParams, SkillParams
    from paddock.protocol.request import Request, Result

Json = dict[str, Any]

SCHEME = "skill://"
DIRECTORY = "inode/directory"
MAX_URI = 4096
"""Longer URIs are of no skill."""


class SkillOperations:
    """Answers from the skills of one offering."""

    def __init__(self, offering: Offering) -> None:
        self._offering = offering
        self._pace = Pace()
        self._file_pace = Pace()
        self._made: dict[str, SkillReading] = {}
        self._revision = -1
        self._resource_entries: tuple[int, list[bytes]] = (-1, [])

    def list_skills(self, request: Request) -> None:
        """Begin `skills/list`."""
        cursor = _cursor(request)
        self._begin(
            request,
            lambda: page(
                "skills", encoded(self._listed(), _entry), cursor, self._offering.page_size
            ),
        )

    def get_skill(self, request: Request) -> None:
        """Begin `skills/get`."""
        uri = _uri(request)
        skill = self._offering.skills.get(uri.removeprefix(SCHEME).removesuffix(f"/{SKILL_FILE}"))
        if skill is None or skill.uri != uri:
            raise InvalidParamsError(f"No skill is served at {uri}", data={"uri": uri})
        self._begin(request, lambda: b'"skill":' + encode(_entry(skill)))

    def read_directory(self, request: Request) -> None:
        """Begin `resources/directory/read`."""
        uri, cursor = _uri(request), _cursor(request)

        def work() -> Result:
            children = self._children(uri)
            if children is None:
                text = f"{uri} is not a directory resource"
                raise InvalidParamsError(text, data={"uri": uri})
            return page("resources", list(map(encode, children)), cursor, self._offering.page_size)

        self._begin(request, work)

    def list_resources(self, request: Request, entry: Callable[[Any], Json | None]) -> None:
        """Begin `resources/list`: the resources, then the SKILL.md of each skill."""
        cursor = cast("ListParams", request.params).cursor

        def work() -> Result:
            resources = self._offering.resources
            revision, entries = self._resource_entries
            if revision != resources.revision:
                revision = resources.revision
                entries = encoded(resources.offered().values(), entry)
                self._resource_entries = (revision, entries)
            entries = entries + encoded(self._listed(), _skill_resource)
            token = cursor if isinstance(cursor, str) else None
            return page("resources", entries, token, self._offering.page_size)

        self._begin(request, work)

    def reading(self, uri: str) -> SkillReading | None:
        """How a file of a skill is read; None of a URI that lies in no skill."""
        place = self._skill_of(uri)
        if place is None:
            return None
        skill, rest = place
        path = unquoted(rest or "")
        if path is None or path not in skill.files.makers:
            return FileReading(skill, path, self._file_pace)
        if self._revision != self._offering.skills.revision:
            self._revision = self._offering.skills.revision
            self._made.clear()
        return self._made.get(uri) or self._make(uri, skill, path)

    def _make(self, uri: str, skill: Skill, path: str) -> SkillReading:
        try:
            self._made[uri] = made = MadeReading(skill, path, self._offering)
        except PaddockError as error:
            raise unserved(error) from None
        return made

    def _begin(self, request: Request, work: Callable[[], Result]) -> None:
        def answer(_request: Request) -> Result:
            try:
                return work()
            except PaddockError as error:
                raise unserved(error) from None

        request.pace = self._pace
        request.work = answer

    def _listed(self) -> list[Skill]:
        return [skill for skill in self._offering.skills if skill.listed]

    def _skill_of(self, uri: str) -> tuple[Skill, str | None] | None:
        """The skill in which a URI lies, the innermost of several, and where in it.

        None stands for the skill as a whole: an empty place is one that does not exist.
        """
        if not uri.startswith(SCHEME) or len(uri) > MAX_URI:
            return None
        path = uri.removeprefix(SCHEME)
        rest: str | None = None
        while True:
            skill = self._offering.skills.get(path)
            if skill is not None:
                return skill, rest
            path, slash, last = path.rpartition("/")
            if not slash:
                return None
            rest = last if rest is None else f"{last}/{rest}"

    def _children(self, uri: str) -> list[Json] | None:
        """The resources directly in a directory; None of what is no directory."""
        place = self._skill_of(uri)
        if place is not None:
            skill, rest = place
            tree = skill.files.tree()
            if rest is None:
                return _directory_entries(skill, tree, "")
            above = unquoted(rest)
            if not above or above not in tree.directories:
                return None
            return _directory_entries(skill, tree, above)
        prefix = f"{uri.removeprefix(SCHEME)}/"
        names = {
            path.removeprefix(prefix).partition("/")[0]
            for path in self._offering.skills.names()
            if path.startswith(prefix)
        }
        is_directory = uri.startswith(SCHEME) and names
        return (
            [_directory(f"{uri}/{name}", name) for name in sorted(names)] if is_directory else None
        )


def _uri(request: Request) -> str:
    uri = cast("SkillParams", request.params).uri
    if not isinstance(uri, str):
        raise InvalidParamsError(f"Invalid params of {request.method}: expected a text as uri")
    return uri


def _cursor(request: Request) -> str | None:
    cursor = cast("DirectoryParams", request.params).cursor
    if cursor is None or cursor is UNSET:
        return None
    if not isinstance(cursor, str):
        raise InvalidParamsError(f"Invalid params of {request.method}: expected a text as cursor")
    return cursor


def _entry(skill: Skill) -> Json:
    """A skill as `skills/list` and `skills/get` show it."""
    manifest = skill.files.manifest()
    resources: list[Json] | str = "dynamic"
    if manifest.digests is not None:
        resources = [
            {"uri": f"{skill.root}/{quoted(path)}", "digest": digest.digest, "size": digest.size}
            for path, digest in manifest.digests.items()
        ]
    return {"uri": skill.uri, "frontmatter": manifest.frontmatter, "resources": resources}


def _skill_resource(skill: Skill) -> Json:
    """The SKILL.md as `resources/list` shows it."""
    fields = skill.files.frontmatter()
    return {
        "uri": skill.uri,
        "name": skill.name,
        "description": fields["description"],
        "mimeType": media_type(SKILL_FILE),
    }


def _directory_entries(skill: Skill, tree: Tree, above: str) -> list[Json]:
    found: dict[str, Json] = {}
    for path in tree.directories:
        if path and path.rpartition("/")[0] == above:
            found[path] = _directory(f"{skill.root}/{quoted(path)}", path.rpartition("/")[2])
    for path, size in tree.sizes.items():
        if path == SKILL_FILE and not above:
            found[path] = _skill_resource(skill)
        elif path.rpartition("/")[0] == above:
            found[path] = _file(skill, path, size)
    return [found[path] for path in sorted(found)]


def _file(skill: Skill, path: str, size: int | None) -> Json:
    optional = {"mimeType": media_type(path), "size": size}
    return {
        "uri": f"{skill.root}/{quoted(path)}",
        "name": _shown(path.rpartition("/")[2]),
        **{key: value for key, value in optional.items() if value is not None},
    }


def _directory(uri: str, name: str) -> Json:
    return {"uri": uri, "name": _shown(name), "mimeType": DIRECTORY}


def _shown(name: str) -> str:
    """The name of a file, which may be any bytes, as text."""
    return os.fsencode(name).decode("utf-8", "replace")
