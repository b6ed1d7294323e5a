"""Methods of the skills extension, which list skills and read their files.

Files may change at any time, so they are read for each request. Reading is assigned to the request
as work, because it must not block the thread that reads messages. A skill that cannot be served is
logged and left out of lists, so that it does not keep the others from being served.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import quote, unquote_to_bytes

from msgspec import UNSET

from paddock.authoring.handler_errors import log_failure
from paddock.authoring.list_pages import encode_entries, encode_page
from paddock.authoring.resource import Resource
from paddock.authoring.resource_reader import ResourceReader
from paddock.authoring.type_hooks import encode_json
from paddock.errors import PaddockError
from paddock.protocol.content import BlobResourceContents, ResourceContents, TextResourceContents
from paddock.protocol.errors import InvalidParamsError, ProtocolError, ResourceNotFoundError
from paddock.protocol.request import SlowHandlerTracker
from paddock.protocol.versions import SKILL_FILE_NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.skill import Skill
    from paddock.authoring.skill_files import SkillTree
    from paddock.protocol.params import GetSkillParams, ListParams, ReadDirectoryParams
    from paddock.protocol.request import Request, Result


Json = dict[str, Any]

MEDIA_TYPES = {
    "css": "text/css",
    "csv": "text/csv",
    "gif": "image/gif",
    "htm": "text/html",
    "html": "text/html",
    "ipynb": "application/x-ipynb+json",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "text/javascript",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "mjs": "text/javascript",
    "pdf": "application/pdf",
    "png": "image/png",
    "py": "text/x-python",
    "sh": "application/x-sh",
    "sql": "application/sql",
    "svg": "image/svg+xml",
    "toml": "application/toml",
    "ts": "text/x-typescript",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "webp": "image/webp",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "zip": "application/zip",
}
"""Media types by file extension.

Unlike those of Python's `mimetypes`, they do not depend on the tables of the system.
"""


def guess_media_type(path: str) -> str | None:
    """Return the media type for a file name, or None if its extension is unknown."""
    return MEDIA_TYPES.get(path.rpartition(".")[2].lower())


def quote_path(path: str) -> str:
    """Percent-encode a relative path for a URI. File names may contain any bytes."""
    return quote(os.fsencode(path))


def unquote_path(quoted: str) -> str | None:
    """Return the path that is percent-encoded in a URI, or None if its encoding is not canonical.

    For example, `a%20b.txt` gives `a b.txt`, but `%61%20b.txt` gives None. Otherwise a client could
    address one file by different URIs.
    """
    try:
        path = os.fsdecode(unquote_to_bytes(quoted))
        return path if quote_path(path) == quoted else None
    except UnicodeError:
        return None


class SkillFileReader(NamedTuple):
    """A file of a skill that is ready to be read, with the interface of a `ResourceReader`."""

    read: Callable[[str, dict[str, str], Request], Any]
    """Returns the content for a URI, the variables of a template (none) and the request."""
    build_result: Callable[[Any, str], Json]
    """Returns the result of `resources/read`: text if the bytes are UTF-8, otherwise a blob."""
    slow_tracker: SlowHandlerTracker
    is_async: bool = False


def create_static_reader(
    skill: Skill, path: str | None, slow_tracker: SlowHandlerTracker
) -> SkillFileReader:
    """Return the reader of a file of a skill whose content is stored and not generated.

    Args:
        skill: The skill.
        path: The path of the file in the skill, or None if the URI contains an invalid path. If
            there is no such file, reading it fails with a `ResourceNotFoundError`.
        slow_tracker: Decides whether the thread that reads messages may read the file.
    """

    def read_file(uri: str, _variables: dict[str, str], _request: Request) -> bytes:
        try:
            content = None if path is None else skill.files.read_file(path)
        except PaddockError as error:
            raise to_skill_error(error) from None
        if content is None:
            raise ResourceNotFoundError(uri)
        return content

    return SkillFileReader(read_file, _build_result, slow_tracker)


def create_generated_reader(skill: Skill, path: str, server: BaseServer) -> SkillFileReader:
    """Return the reader of a file of a skill whose content a function of the author generates.

    The function is called like the handler of a resource, so it may take a `Context`.
    """
    uri, function = f"{skill.root}/{quote_path(path)}", skill.files.content_functions[path]
    resource_reader = ResourceReader(Resource(uri, function, name=path), server)
    frontmatter = skill.files.get_frontmatter_bytes(path)
    return SkillFileReader(
        resource_reader.read,
        lambda value, uri: _build_result(frontmatter + _to_bytes(value), uri),
        resource_reader.slow_tracker,
        resource_reader.is_async,
    )


def to_skill_error(error: PaddockError) -> ProtocolError:
    """Return the protocol error for a broken skill, without local paths, and log the details."""
    if isinstance(error, ProtocolError):
        return error
    log_failure(None, f"A skill cannot be served: {error}")
    return ProtocolError(f"The skill cannot be served: {error.message}")


def _to_bytes(value: Any) -> bytes:
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    return value.encode() if isinstance(value, str) else encode_json(value)


def _build_result(data: bytes, uri: str) -> Json:
    """Return the result of `resources/read`: text if the bytes are UTF-8, otherwise a blob."""
    mime_type = guess_media_type(uri)
    contents: ResourceContents
    try:
        contents = TextResourceContents(uri, data.decode(), mime_type or "text/plain")
    except UnicodeDecodeError:
        contents = BlobResourceContents(uri, data, mime_type or "application/octet-stream")
    return {"contents": [contents]}


class SkillLocation(NamedTuple):
    """The skill that a URI such as `skill://acme/billing/scripts/run.py` leads to."""

    skill: Skill
    quoted_path: str | None
    """The path in the skill, as in `scripts/run.py`. None for the skill itself.

    An empty path comes from a trailing slash and does not exist.
    """


SKILL_SCHEME = "skill://"
DIRECTORY_MEDIA_TYPE = "inode/directory"
MAX_SKILL_URI_CHARACTERS = 4096
"""No skill file has a longer URI."""


class SkillMethods:
    """The methods of the skills extension for one server."""

    def __init__(self, server: BaseServer) -> None:
        self._server = server
        self._listing_tracker = SlowHandlerTracker()
        self._file_tracker = SlowHandlerTracker()
        self._generated_readers: dict[str, SkillFileReader] = {}
        self._revision = -1
        self._resource_entries: tuple[int, list[bytes]] = (-1, [])

    def list_skills(self, request: Request) -> None:
        """Assign the work of `skills/list` to a request: read the skills and encode a page."""
        cursor = _read_cursor(request)
        self._set_work(
            request,
            lambda: encode_page(
                "skills",
                encode_entries(self._get_visible_skills(), _build_skill_entry),
                cursor,
                self._server.page_size,
            ),
        )

    def get_skill(self, request: Request) -> None:
        """Assign the work of `skills/get` to a request: read the skill that its URI names.

        Raises:
            InvalidParamsError: The server has no skill with this URI.
        """
        uri = _require_uri(request)
        skill = self._server.skills.get(
            uri.removeprefix(SKILL_SCHEME).removesuffix(f"/{SKILL_FILE_NAME}")
        )
        if skill is None or skill.uri != uri:
            raise InvalidParamsError(f"No skill is served at {uri}", data={"uri": uri})
        self._set_work(request, lambda: b'"skill":' + encode_json(_build_skill_entry(skill)))

    def read_directory(self, request: Request) -> None:
        """Assign the work of `resources/directory/read` to a request.

        The work returns the files and subdirectories of a directory in a skill, by page.

        Raises:
            InvalidParamsError: The request has no URI or an invalid cursor.
        """
        uri, cursor = _require_uri(request), _read_cursor(request)

        def work() -> Result:
            children = self._list_children(uri)
            if children is None:
                text = f"{uri} is not a directory resource"
                raise InvalidParamsError(text, data={"uri": uri})
            return encode_page(
                "resources", list(map(encode_json, children)), cursor, self._server.page_size
            )

        self._set_work(request, work)

    def list_resources(self, request: Request, build_entry: Callable[[Any], Json | None]) -> None:
        """Assign the work of `resources/list` to a request, for a server that has skills.

        The list contains the resources of the server, and then the SKILL.md of each skill.

        Args:
            request: The request.
            build_entry: Returns the entry of a resource, or None if it is not listed.
        """
        cursor = cast("ListParams", request.params).cursor

        def work() -> Result:
            resources = self._server.resources
            # Skills are read from disk each time, but the entries of resources change only with the
            # registry.
            revision, resource_entries = self._resource_entries
            if revision != resources.revision:
                revision = resources.revision
                resource_entries = encode_entries(resources.get_all_items().values(), build_entry)
                self._resource_entries = (revision, resource_entries)
            skill_entries = encode_entries(self._get_visible_skills(), _build_skill_resource)
            return encode_page(
                "resources",
                resource_entries + skill_entries,
                cursor if isinstance(cursor, str) else None,
                self._server.page_size,
            )

        self._set_work(request, work)

    def find_reader(self, uri: str) -> SkillFileReader | None:
        """Return the reader for the file of a skill at a URI, or None if no skill has such URIs.

        The file may not exist, in which case the reader fails.
        """
        location = self._find_skill(uri)
        if location is None:
            return None
        skill, quoted_path = location
        path = unquote_path(quoted_path or "")
        if path is None or path not in skill.files.content_functions:
            return create_static_reader(skill, path, self._file_tracker)
        # Readers of generated files are cached, because creating one inspects the signature of
        # the function.
        if self._revision != self._server.skills.revision:
            self._revision = self._server.skills.revision
            self._generated_readers.clear()
        return self._generated_readers.get(uri) or self._create_reader(uri, skill, path)

    def _create_reader(self, uri: str, skill: Skill, path: str) -> SkillFileReader:
        """Return a new reader for a generated file, after storing it in the cache."""
        try:
            reader = create_generated_reader(skill, path, self._server)
        except PaddockError as error:
            raise to_skill_error(error) from None
        self._generated_readers[uri] = reader
        return reader

    def _set_work(self, request: Request, work: Callable[[], Result]) -> None:
        """Assign work to a request that reads skills, and convert its errors for the client.

        The transport runs the work, in a worker thread if reading skills has been slow before.
        """

        def run_work(_request: Request) -> Result:
            try:
                return work()
            except PaddockError as error:
                raise to_skill_error(error) from None

        request.slow_tracker = self._listing_tracker
        request.work = run_work

    def _get_visible_skills(self) -> list[Skill]:
        return [skill for skill in self._server.skills if skill.listed]

    def _find_skill(self, uri: str) -> SkillLocation | None:
        """Return the skill to which a URI belongs, and the percent-encoded path in the skill.

        For example, `skill://acme/billing/scripts/run.py` belongs to the skill `acme/billing` and
        has the path `scripts/run.py`. If one skill contains another, the inner one is returned.
        """
        if not uri.startswith(SKILL_SCHEME) or len(uri) > MAX_SKILL_URI_CHARACTERS:
            return None
        skill_path = uri.removeprefix(SKILL_SCHEME)
        quoted_path: str | None = None
        while True:
            skill = self._server.skills.get(skill_path)
            if skill is not None:
                return SkillLocation(skill, quoted_path)
            skill_path, slash, segment = skill_path.rpartition("/")
            if not slash:
                return None
            quoted_path = segment if quoted_path is None else f"{segment}/{quoted_path}"

    def _list_children(self, uri: str) -> list[Json] | None:
        """Return the entries of the files and subdirectories in a directory of a skill.

        The result is None if the URI is not that of a directory.
        """
        location = self._find_skill(uri)
        if location is not None:
            skill, quoted_path = location
            tree = skill.files.get_tree()
            if quoted_path is None:
                return _build_directory_entries(skill, tree, "")
            directory = unquote_path(quoted_path)
            if not directory or directory not in tree.directories:
                return None
            return _build_directory_entries(skill, tree, directory)
        if not uri.startswith(SKILL_SCHEME):
            return None
        # A directory above the skills exists only in their URIs, so its entries are the next
        # segments of these URIs.
        prefix = f"{uri.removeprefix(SKILL_SCHEME)}/"
        names = {
            path.removeprefix(prefix).partition("/")[0]
            for path in self._server.skills.names()
            if path.startswith(prefix)
        }
        return [_build_directory_entry(f"{uri}/{name}", name) for name in sorted(names)] or None


def _require_uri(request: Request) -> str:
    uri = cast("GetSkillParams", request.params).uri
    if not isinstance(uri, str):
        raise InvalidParamsError(f"Invalid params of {request.method}: expected a string as uri")
    return uri


def _read_cursor(request: Request) -> str | None:
    cursor = cast("ReadDirectoryParams", request.params).cursor
    if cursor is None or cursor is UNSET:
        return None
    if not isinstance(cursor, str):
        raise InvalidParamsError(f"Invalid params of {request.method}: expected a string as cursor")
    return cursor


def _build_skill_entry(skill: Skill) -> Json:
    """Return the entry of a skill in `skills/list` and `skills/get`, with the digests of its files.

    A skill with generated files has `dynamic` instead of the list of files, because their content
    is unknown until they are read.
    """
    manifest = skill.files.get_manifest()
    resources: list[Json] | str = "dynamic"
    if manifest.digests is not None:
        resources = [
            {
                "uri": f"{skill.root}/{quote_path(path)}",
                "digest": digest.digest,
                "size": digest.size,
            }
            for path, digest in manifest.digests.items()
        ]
    return {"uri": skill.uri, "frontmatter": manifest.frontmatter, "resources": resources}


def _build_skill_resource(skill: Skill) -> Json:
    """Return the entry of a skill's SKILL.md in `resources/list`."""
    frontmatter = skill.files.get_frontmatter()
    return {
        "uri": skill.uri,
        "name": skill.name,
        "description": frontmatter["description"],
        "mimeType": guess_media_type(SKILL_FILE_NAME),
    }


def _build_directory_entries(skill: Skill, tree: SkillTree, directory: str) -> list[Json]:
    """Return the entries of the files and subdirectories in a directory of a skill, by path.

    Args:
        skill: The skill.
        tree: All files and directories of the skill.
        directory: The path of the directory in the skill, or an empty string for its root.
    """
    entries: dict[str, Json] = {}
    for path in tree.directories:
        if path and path.rpartition("/")[0] == directory:
            entries[path] = _build_directory_entry(
                f"{skill.root}/{quote_path(path)}", path.rpartition("/")[2]
            )
    for path, size in tree.sizes.items():
        if path == SKILL_FILE_NAME and not directory:
            entries[path] = _build_skill_resource(skill)
        elif path.rpartition("/")[0] == directory:
            entries[path] = _build_file_entry(skill, path, size)
    return [entries[path] for path in sorted(entries)]


def _build_file_entry(skill: Skill, path: str, size: int | None) -> Json:
    """Return the entry of a skill's file in the list of its directory.

    Args:
        skill: The skill.
        path: The path of the file in the skill.
        size: The size in bytes, or None if a function generates the content.
    """
    optional_members = {"mimeType": guess_media_type(path), "size": size}
    return {
        "uri": f"{skill.root}/{quote_path(path)}",
        "name": _decode_file_name(path.rpartition("/")[2]),
        **{key: value for key, value in optional_members.items() if value is not None},
    }


def _build_directory_entry(uri: str, name: str) -> Json:
    return {"uri": uri, "name": _decode_file_name(name), "mimeType": DIRECTORY_MEDIA_TYPE}


def _decode_file_name(name: str) -> str:
    """Return a file name, which may contain any bytes, as valid text."""
    return os.fsencode(name).decode("utf-8", "replace")
