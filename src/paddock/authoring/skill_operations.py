"""What a server answers to the methods of the skills extension.

Everything is looked up when it is asked for, since files change; so it is work, and never done
before a request has been accepted. A skill that cannot be served is reported and left out of
lists; the others are not affected.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from msgspec import UNSET

from paddock.authoring.hints import encode_json
from paddock.authoring.listing import encode_entries, encode_page
from paddock.authoring.skill_reading import (
    StaticFileReader,
    GeneratedFileReader,
    guess_media_type,
    quote_path,
    unquote_path,
    to_skill_error,
)
from paddock.errors import PaddockError
from paddock.protocol.errors import InvalidParamsError
from paddock.protocol.extensions import SKILL_FILE_NAME
from paddock.protocol.pace import SlowHandlerTracker

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.offering import BaseServer
    from paddock.authoring.skill import Skill
    from paddock.authoring.skill_files import SkillTree
    from paddock.authoring.skill_reading import SkillFileReader
    from paddock.protocol.model.params import ReadDirectoryParams, ListParams, GetSkillParams
    from paddock.protocol.request import Request, Result

Json = dict[str, Any]

SKILL_SCHEME = "skill://"
DIRECTORY_MEDIA_TYPE = "inode/directory"
MAX_SKILL_URI_CHARACTERS = 4096
"""Longer URIs are of no skill."""


class SkillMethods:
    """Answers from the skills of one offering."""

    def __init__(self, offering: BaseServer) -> None:
        self._server = offering
        self._listing_tracker = SlowHandlerTracker()
        self._file_tracker = SlowHandlerTracker()
        self._generated_readers: dict[str, SkillFileReader] = {}
        self._revision = -1
        self._resource_entries: tuple[int, list[bytes]] = (-1, [])

    def list_skills(self, request: Request) -> None:
        """Begin `skills/list`."""
        cursor = _read_cursor(request)
        self._set_work(
            request,
            lambda: encode_page(
                "skills", encode_entries(self._get_visible_skills(), _build_skill_entry), cursor, self._server.page_size
            ),
        )

    def get_skill(self, request: Request) -> None:
        """Begin `skills/get`."""
        uri = _require_uri(request)
        skill = self._server.skills.get(uri.removeprefix(SKILL_SCHEME).removesuffix(f"/{SKILL_FILE_NAME}"))
        if skill is None or skill.uri != uri:
            raise InvalidParamsError(f"No skill is served at {uri}", data={"uri": uri})
        self._set_work(request, lambda: b'"skill":' + encode_json(_build_skill_entry(skill)))

    def read_directory(self, request: Request) -> None:
        """Begin `resources/directory/read`."""
        uri, cursor = _require_uri(request), _read_cursor(request)

        def work() -> Result:
            children = self._list_children(uri)
            if children is None:
                text = f"{uri} is not a directory resource"
                raise InvalidParamsError(text, data={"uri": uri})
            return encode_page("resources", list(map(encode_json, children)), cursor, self._server.page_size)

        self._set_work(request, work)

    def list_resources(self, request: Request, entry: Callable[[Any], Json | None]) -> None:
        """Begin `resources/list`: the resources, then the SKILL.md of each skill."""
        cursor = cast("ListParams", request.params).cursor

        def work() -> Result:
            resources = self._server.resources
            revision, entries = self._resource_entries
            if revision != resources.revision:
                revision = resources.revision
                entries = encode_entries(resources.get_all_items().values(), entry)
                self._resource_entries = (revision, entries)
            entries = entries + encode_entries(self._get_visible_skills(), _build_skill_resource)
            token = cursor if isinstance(cursor, str) else None
            return encode_page("resources", entries, token, self._server.page_size)

        self._set_work(request, work)

    def find_reader(self, uri: str) -> SkillFileReader | None:
        """How a file of a skill is read; None of a URI that lies in no skill."""
        place = self._find_skill(uri)
        if place is None:
            return None
        skill, rest = place
        path = unquote_path(rest or "")
        if path is None or path not in skill.files.content_functions:
            return StaticFileReader(skill, path, self._file_tracker)
        if self._revision != self._server.skills.revision:
            self._revision = self._server.skills.revision
            self._generated_readers.clear()
        return self._generated_readers.get(uri) or self._create_reader(uri, skill, path)

    def _create_reader(self, uri: str, skill: Skill, path: str) -> SkillFileReader:
        try:
            self._generated_readers[uri] = made = GeneratedFileReader(skill, path, self._server)
        except PaddockError as error:
            raise to_skill_error(error) from None
        return made

    def _set_work(self, request: Request, work: Callable[[], Result]) -> None:
        def answer(_request: Request) -> Result:
            try:
                return work()
            except PaddockError as error:
                raise to_skill_error(error) from None

        request.slow_tracker = self._listing_tracker
        request.work = answer

    def _get_visible_skills(self) -> list[Skill]:
        return [skill for skill in self._server.skills if skill.listed]

    def _find_skill(self, uri: str) -> tuple[Skill, str | None] | None:
        """The skill in which a URI lies, the innermost of several, and where in it.

        None stands for the skill as a whole: an empty place is one that does not exist.
        """
        if not uri.startswith(SKILL_SCHEME) or len(uri) > MAX_SKILL_URI_CHARACTERS:
            return None
        path = uri.removeprefix(SKILL_SCHEME)
        rest: str | None = None
        while True:
            skill = self._server.skills.get(path)
            if skill is not None:
                return skill, rest
            path, slash, last = path.rpartition("/")
            if not slash:
                return None
            rest = last if rest is None else f"{last}/{rest}"

    def _list_children(self, uri: str) -> list[Json] | None:
        """The resources directly in a directory; None of what is no directory."""
        place = self._find_skill(uri)
        if place is not None:
            skill, rest = place
            tree = skill.files.get_tree()
            if rest is None:
                return _build_directory_entries(skill, tree, "")
            above = unquote_path(rest)
            if not above or above not in tree.directories:
                return None
            return _build_directory_entries(skill, tree, above)
        prefix = f"{uri.removeprefix(SKILL_SCHEME)}/"
        names = {
            path.removeprefix(prefix).partition("/")[0]
            for path in self._server.skills.names()
            if path.startswith(prefix)
        }
        is_directory = uri.startswith(SKILL_SCHEME) and names
        return (
            [_build_directory_entry(f"{uri}/{name}", name) for name in sorted(names)] if is_directory else None
        )


def _require_uri(request: Request) -> str:
    uri = cast("GetSkillParams", request.params).uri
    if not isinstance(uri, str):
        raise InvalidParamsError(f"Invalid params of {request.method}: expected a text as uri")
    return uri


def _read_cursor(request: Request) -> str | None:
    cursor = cast("ReadDirectoryParams", request.params).cursor
    if cursor is None or cursor is UNSET:
        return None
    if not isinstance(cursor, str):
        raise InvalidParamsError(f"Invalid params of {request.method}: expected a text as cursor")
    return cursor


def _build_skill_entry(skill: Skill) -> Json:
    """A skill as `skills/list` and `skills/get` show it."""
    manifest = skill.files.get_manifest()
    resources: list[Json] | str = "dynamic"
    if manifest.digests is not None:
        resources = [
            {"uri": f"{skill.root}/{quote_path(path)}", "digest": digest.digest, "size": digest.size}
            for path, digest in manifest.digests.items()
        ]
    return {"uri": skill.uri, "frontmatter": manifest.frontmatter, "resources": resources}


def _build_skill_resource(skill: Skill) -> Json:
    """The SKILL.md as `resources/list` shows it."""
    fields = skill.files.get_frontmatter()
    return {
        "uri": skill.uri,
        "name": skill.name,
        "description": fields["description"],
        "mimeType": guess_media_type(SKILL_FILE_NAME),
    }


def _build_directory_entries(skill: Skill, tree: SkillTree, above: str) -> list[Json]:
    found: dict[str, Json] = {}
    for path in tree.directories:
        if path and path.rpartition("/")[0] == above:
            found[path] = _build_directory_entry(f"{skill.root}/{quote_path(path)}", path.rpartition("/")[2])
    for path, size in tree.sizes.items():
        if path == SKILL_FILE_NAME and not above:
            found[path] = _build_skill_resource(skill)
        elif path.rpartition("/")[0] == above:
            found[path] = _build_file_entry(skill, path, size)
    return [found[path] for path in sorted(found)]


def _build_file_entry(skill: Skill, path: str, size: int | None) -> Json:
    optional = {"mimeType": guess_media_type(path), "size": size}
    return {
        "uri": f"{skill.root}/{quote_path(path)}",
        "name": _decode_file_name(path.rpartition("/")[2]),
        **{key: value for key, value in optional.items() if value is not None},
    }


def _build_directory_entry(uri: str, name: str) -> Json:
    return {"uri": uri, "name": _decode_file_name(name), "mimeType": DIRECTORY_MEDIA_TYPE}


def _decode_file_name(name: str) -> str:
    """The name of a file, which may be any bytes, as text."""
    return os.fsencode(name).decode("utf-8", "replace")
