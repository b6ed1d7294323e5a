"""How one file of a skill is read: from where it lies, or by the function that makes it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, unquote_to_bytes

from paddock.authoring.failures import log_failure
from paddock.authoring.hints import encode_json
from paddock.authoring.reading import ResourceReader
from paddock.authoring.resource import Resource
from paddock.errors import PaddockError
from paddock.protocol.errors import ProtocolError, ResourceNotFoundError
from paddock.protocol.model.content import (
    BlobResourceContents,
    ResourceContents,
    TextResourceContents,
)

if TYPE_CHECKING:
    from paddock.authoring.offering import BaseServer
    from paddock.authoring.skill import Skill
    from paddock.protocol.pace import SlowHandlerTracker
    from paddock.protocol.request import Request

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
"""By the end of a file's name: the same on every machine, which the system's own table is not."""


def guess_media_type(path: str) -> str | None:
    """The media type of a file, as far as its name says."""
    return MEDIA_TYPES.get(path.rpartition(".")[2].lower())


def quote_path(path: str) -> str:
    """A relative path as it stands in a URI, whatever bytes a file system has for it."""
    return quote(os.fsencode(path))


def unquote_path(place: str) -> str | None:
    """The relative path that stands in a URI in this very spelling; None if there is none."""
    try:
        path = os.fsdecode(unquote_to_bytes(place))
        return path if quote_path(path) == place else None
    except UnicodeError:
        return None


class SkillFileReader(Protocol):
    """One file of a skill, ready to be read."""

    slow_tracker: SlowHandlerTracker
    is_async: bool

    def read(self, uri: str, variables: dict[str, str], request: Request) -> Any:
        """What the file holds, or what its function returns."""

    def build_result(self, value: Any, uri: str) -> Json:
        """The result of `resources/read`: the bytes unchanged, as text where they are text."""


class StaticFileReader:
    """What lies at a path in a skill, if anything does."""

    __slots__ = ("_path", "_skill", "is_async", "slow_tracker")

    def __init__(self, skill: Skill, path: str | None, pace: SlowHandlerTracker) -> None:
        self._skill = skill
        self._path = path
        self.slow_tracker = pace
        self.is_async = False

    def read(self, uri: str, _variables: dict[str, str], _request: Request) -> bytes:
        """What the file holds."""
        try:
            data = None if self._path is None else self._skill.files.read_file(self._path)
        except PaddockError as error:
            raise to_skill_error(error) from None
        if data is None:
            raise ResourceNotFoundError(uri)
        return data

    def build_result(self, value: bytes, uri: str) -> Json:
        """The result of `resources/read`."""
        return _build_result(value, uri)


class GeneratedFileReader:
    """What a function makes when it is asked for."""

    __slots__ = ("_frontmatter", "_resource_reader", "is_async", "slow_tracker")

    def __init__(self, skill: Skill, path: str, offering: BaseServer) -> None:
        resource = Resource(f"{skill.root}/{quote_path(path)}", skill.files.content_functions[path], name=path)
        self._frontmatter = skill.files.get_frontmatter_bytes(path)
        self._resource_reader = ResourceReader(resource, offering)
        self.slow_tracker = self._resource_reader.slow_tracker
        self.is_async = self._resource_reader.is_async

    def read(self, uri: str, variables: dict[str, str], request: Request) -> Any:
        """What the function returns."""
        return self._resource_reader.read(uri, variables, request)

    def build_result(self, value: Any, uri: str) -> Json:
        """The result of `resources/read`."""
        return _build_result(self._frontmatter + _to_bytes(value), uri)


def to_skill_error(error: PaddockError) -> ProtocolError:
    """What a client is told of a skill that has gone wrong: the reason, but not our paths."""
    if isinstance(error, ProtocolError):
        return error
    log_failure(None, f"A skill cannot be served: {error}")
    return ProtocolError(f"The skill cannot be served: {error.message}")


def _to_bytes(value: Any) -> bytes:
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    return value.encode() if isinstance(value, str) else encode_json(value)


def _build_result(data: bytes, uri: str) -> Json:
    return {"contents": [_build_contents(data, uri, guess_media_type(uri))]}


def _build_contents(data: bytes, uri: str, mime_type: str | None) -> ResourceContents:
    try:
        return TextResourceContents(uri, data.decode(), mime_type or "text/plain")
    except UnicodeDecodeError:
        return BlobResourceContents(uri, data, mime_type or "application/octet-stream")
