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

from paddock.transports.http.contract import Head, Response

if TYPE_CHECKING:
    from paddock.transports.http.contract import Headers

PAGE = "index.html"
HASHED = "assets/"
"""Where the build puts files with a hash in their names."""
FOR_EVER = b"public, max-age=31536000, immutable"
ANEW = b"no-cache"
PACKABLE = ("text/", "application/javascript", "application/json", "image/svg+xml")
_TYPES = {
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
MISSING = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Paddock</title>
<h1>The web app is not built</h1>
<p>This copy of Paddock runs from its source, and the files of its web app are not there.
Build them with <code>make web</code>, and load this page again.</p>
<p>Everything else is running: the REST API is described at
<a href="/api/openapi.json">/api/openapi.json</a>, and MCP clients connect to
<code>/mcp</code>.</p>
</html>
"""


class WebFile(NamedTuple):
    """One file, ready to be sent."""

    content: bytes
    packed: bytes | None
    media_type: str
    tag: bytes
    is_kept: bool
    """Whether a browser may keep it without asking again."""


def web_directory() -> Path:
    """Where the build puts the web app."""
    return Path(__file__).parent.parent / "web_dist"


class WebFiles:
    """The web app in a directory, as answers to requests."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._known: dict[str, tuple[tuple[int, int], WebFile]] = {}

    @property
    def is_built(self) -> bool:
        """Whether the files are there."""
        return (self._directory / PAGE).is_file()

    def answer(self, head: Head) -> Response:
        """The file that a request asks for, or the page."""
        if head.method not in ("GET", "HEAD"):
            return Response(405, [(b"allow", b"GET, HEAD")])
        found = self._file(head.path.strip("/"))
        if found is None and head.path.startswith(f"/{HASHED}"):
            return Response(404, [(b"cache-control", ANEW)])
        found = found or self._file(PAGE)
        if found is None:
            kind = (b"content-type", b"text/html; charset=utf-8")
            return Response(503, [kind, (b"cache-control", ANEW)], MISSING.encode())
        return _response(found, head)

    def _file(self, path: str) -> WebFile | None:
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
            known = self._known.get(path)
            if known is not None and known[0] == stamp:
                return known[1]
            if not file.resolve().is_relative_to(self._directory.resolve()):
                return None
            content = file.read_bytes()
        except OSError:
            return None
        made = _made(path, content)
        self._known[path] = (stamp, made)
        return made


def _made(path: str, content: bytes) -> WebFile:
    suffix = Path(path).suffix.lower()
    media_type = _TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    is_packable = media_type.startswith(PACKABLE) and len(content) > 1000
    packed = gzip.compress(content, 9, mtime=0) if is_packable else None
    tag = b'"' + sha256(content).hexdigest()[:20].encode() + b'"'
    return WebFile(content, packed, media_type, tag, path.startswith(HASHED))


def _response(file: WebFile, head: Head) -> Response:
    headers: Headers = [
        (b"content-type", file.media_type.encode()),
        (b"cache-control", FOR_EVER if file.is_kept else ANEW),
        (b"etag", file.tag),
    ]
    if file.packed is not None:
        headers.append((b"vary", b"Accept-Encoding"))
    if head.headers.get(b"if-none-match") == file.tag:
        return Response(304, headers)
    content = file.content
    if file.packed is not None and b"gzip" in head.headers.get(b"accept-encoding", b""):
        headers.append((b"content-encoding", b"gzip"))
        content = file.packed
    return Response(200, headers, content)
