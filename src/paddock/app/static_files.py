"""The static files of the web app.

Files are cached in memory, both plain and compressed. Files with a hash in their name never change,
so browsers may cache them forever. The page itself is revalidated. Any path that is not a file
returns the page, whose router handles the path in the browser.
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
"""The directory where the build puts files with a hash in their names."""
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
"""Media types that are missing or inconsistent in operating system registries."""
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
    """A web app file in memory, with the data for its response headers."""

    content: bytes
    compressed: bytes | None
    """The gzip-compressed content, or None if compression would save nothing."""
    media_type: str
    etag: bytes
    is_immutable: bool
    """Whether browsers may cache the file without revalidating it."""


class CachedFile(NamedTuple):
    """A file in memory, with the modification time and size that it had on disk."""

    version: tuple[int, int]
    file: StaticFile


def get_web_directory() -> Path:
    """Return the directory where the build puts the web app."""
    return Path(__file__).parent.parent / "web_dist"


class StaticFiles:
    """Responds to requests for the files in a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file_cache: dict[str, CachedFile] = {}

    def get_response(self, head: RequestHead) -> HttpResponse:
        """Return the requested file, or the web app's page if there is no such file.

        The web app handles its own routes, so any path that is not a file loads the page.
        """
        if head.method not in ("GET", "HEAD"):
            return HttpResponse(405, [(b"allow", b"GET, HEAD")])
        file = self._load_file(head.path.strip("/"))
        if file is None and head.path.startswith(f"/{HASHED_PREFIX}"):
            # If a missing script were answered with the HTML page, the browser would report a
            # confusing syntax error.
            return HttpResponse(404, [(b"cache-control", CACHE_REVALIDATE)])
        file = file or self._load_file(INDEX_PAGE)
        if file is None:
            content_type = (b"content-type", b"text/html; charset=utf-8")
            return HttpResponse(
                503, [content_type, (b"cache-control", CACHE_REVALIDATE)], NOT_BUILT_PAGE.encode()
            )
        return _make_response(file, head)

    def _load_file(self, path: str) -> StaticFile | None:
        """Return a web app file, or None if the path is not that of a file that may be served.

        Hidden files are not served, nor are paths that leave the app's directory through `..` or
        symbolic links. Files are cached in memory, and read again when their modification time or
        size changes.
        """
        parts = path.split("/")
        if not path or any(part in ("", ".", "..") or part.startswith(".") for part in parts):
            return None
        # On Windows, a backslash is a separator, and a colon marks a drive or an alternate data
        # stream.
        if "\\" in path or ":" in path or "\0" in path:
            return None
        file = self._directory.joinpath(*parts)
        try:
            status = file.stat()
            file_version = (status.st_mtime_ns, status.st_size)
            cached = self._file_cache.get(path)
            if cached is not None and cached.version == file_version:
                return cached.file
            if not file.resolve().is_relative_to(self._directory.resolve()):
                return None
            content = file.read_bytes()
        except OSError:
            return None
        static_file = _make_static_file(path, content)
        self._file_cache[path] = CachedFile(file_version, static_file)
        return static_file


def _make_static_file(path: str, content: bytes) -> StaticFile:
    """Return a file with its compressed content and the data for its response headers.

    Args:
        path: The path relative to the web app's directory, such as `assets/index-4f2a.js`.
        content: The bytes of the file.
    """
    suffix = Path(path).suffix.lower()
    media_type = (
        _MEDIA_TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    )
    # Compressing tiny files saves nothing.
    is_compressible = media_type.startswith(COMPRESSIBLE_TYPES) and len(content) > 1000
    compressed = gzip.compress(content, 9, mtime=0) if is_compressible else None
    etag = b'"' + sha256(content).hexdigest()[:20].encode() + b'"'
    return StaticFile(content, compressed, media_type, etag, path.startswith(HASHED_PREFIX))


def _make_response(file: StaticFile, head: RequestHead) -> HttpResponse:
    """Return the response to a request for a file.

    A browser that already has the file gets status 304 without content.
    """
    headers: Headers = [
        (b"content-type", file.media_type.encode()),
        (b"cache-control", CACHE_FOREVER if file.is_immutable else CACHE_REVALIDATE),
        (b"etag", file.etag),
    ]
    # Caches must not send a compressed file to a client that cannot decompress it.
    if file.compressed is not None:
        headers.append((b"vary", b"Accept-Encoding"))
    if head.headers.get(b"if-none-match") == file.etag:
        return HttpResponse(304, headers)
    content = file.content
    if file.compressed is not None and b"gzip" in head.headers.get(b"accept-encoding", b""):
        headers.append((b"content-encoding", b"gzip"))
        content = file.compressed
    return HttpResponse(200, headers, content)
