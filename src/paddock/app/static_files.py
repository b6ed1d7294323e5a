"""The files of the web app, served from where the build has put them.

Everything is read into memory when it is first asked for, and kept packed too. What has a hash in
its name never changes under that name, so browsers may keep it; the page itself is asked for anew.
Every path that is no file leads to the page, which knows its own addresses.
"""

from __future__ import annotations

import gzip
import mimetypes
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.transports.http.messages import HttpResponse, RequestHead

if TYPE_CHECKING:
    from paddock.transports.http.messages import Headers

INDEX_PAGE = "index.html"
HASHED_PREFIX = "assets/"
"""Where the build puts files with a hash in their names."""
CACHE_FOREVER = b"public, max-age=31536000, immutable"
CACHE_REVALIDATE = b"no-cache"
COMPRESSIBLE_TYPES = ("text/", "application/javascript", "application/json", "image/svg+xml")
_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""What the system's own table may have differently, or not at all."""
NOT_BUILT_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Paddock</title>
<h1>The web app is not built</h1>
<p>This copy of Paddock runs from its source, and the files of its web app are not there.
Build them with <code>make web</code>, and load this page again.</p>
<p>Everything else is running: the REST API is described at
<a href="/api/openapi.json">/api/openapi.json</a>, and MCP clients connect to
<code>/mcp</code>.</p>
</html>
"""


class StaticFile(NamedTuple):
    """One file, ready to be sent."""

    content: bytes
    compressed: bytes | None
    media_type: str
    etag: bytes
    is_immutable: bool
    """Whether a browser may keep it without asking again."""


def get_web_directory() -> Path:
    """Where the build puts the web app."""
    return Path(__file__).parent.parent / "web_dist"


class StaticFiles:
    """The web app in a directory, as answers to requests."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file_cache: dict[str, tuple[tuple[int, int], StaticFile]] = {}

    @property
    def is_built(self) -> bool:
        """Whether the files are there."""
        return (self._directory / INDEX_PAGE).is_file()

    def get_response(self, head: RequestHead) -> HttpResponse:
        """The file that a request asks for, or the page."""
        if head.method not in ("GET", "HEAD"):
            return HttpResponse(405, [(b"allow", b"GET, HEAD")])
        found = self._load_file(head.path.strip("/"))
        if found is None and head.path.startswith(f"/{HASHED_PREFIX}"):
            return HttpResponse(404, [(b"cache-control", CACHE_REVALIDATE)])
        found = found or self._load_file(INDEX_PAGE)
        if found is None:
            kind = (b"content-type", b"text/html; charset=utf-8")
            return HttpResponse(
                503, [kind, (b"cache-control", CACHE_REVALIDATE)], NOT_BUILT_PAGE.encode()
            )
        return _make_response(found, head)

    def _load_file(self, path: str) -> StaticFile | None:
        """What the directory has under a path; nothing outside of it, nothing hidden."""
        parts = path.split("/")
        if not path or any(part in ("", ".", "..") or part.startswith(".") for part in parts):
            return None
        if "\\" in path or ":" in path or "\0" in path:
            return None
        file = self._directory.joinpath(*parts)
        try:
            status = file.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._file_cache.get(path)
            if known is not None and known[0] == stamp:
                return known[1]
            if not file.resolve().is_relative_to(self._directory.resolve()):
                return None
            content = file.read_bytes()
        except OSError:
            return None
        made = _make_static_file(path, content)
        self._file_cache[path] = (stamp, made)
        return made


def _make_static_file(path: str, content: bytes) -> StaticFile:
    suffix = Path(path).suffix.lower()
    media_type = (
        _MEDIA_TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    )
    is_packable = media_type.startswith(COMPRESSIBLE_TYPES) and len(content) > 1000
    packed = gzip.compress(content, 9, mtime=0) if is_packable else None
    tag = b'"' + sha256(content).hexdigest()[:20].encode() + b'"'
    return StaticFile(content, packed, media_type, tag, path.startswith(HASHED_PREFIX))


def _make_response(file: StaticFile, head: RequestHead) -> HttpResponse:
    headers: Headers = [
        (b"content-type", file.media_type.encode()),
        (b"cache-control", CACHE_FOREVER if file.is_immutable else CACHE_REVALIDATE),
        (b"etag", file.etag),
    ]
    if file.compressed is not None:
        headers.append((b"vary", b"Accept-Encoding"))
    if head.headers.get(b"if-none-match") == file.etag:
        return HttpResponse(304, headers)
    content = file.content
    if file.compressed is not None and b"gzip" in head.headers.get(b"accept-encoding", b""):
        headers.append((b"content-encoding", b"gzip"))
        content = file.compressed
    return HttpResponse(200, headers, content)
