"""Getting files: from this machine, or over https; no more and for no longer than is allowed.

Plain http is for this machine alone. What came over the network leads to no file of this machine.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import closing, contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener, url2pathname

from paddock.deadline import ConnectionDeadline
from paddock.extensions.errors import CatalogueError, FetchError, HashMismatchError
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

READ_TIMEOUT_SECONDS = 20.0
"""How long a server may say nothing."""
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
_CHUNK_BYTES = 1 << 16


class DownloadLimit(NamedTuple):
    """How much may be fetched, and how long that may take."""

    max_bytes: int
    timeout_seconds: float


def normalize_location(text: str) -> str:
    """A URL, or the absolute path of a file, that a catalogue can be at.

    Raises:
        CatalogueError: when it can be at neither.
    """
    if "://" not in text:
        return os.path.abspath(Path(text).expanduser())  # noqa: PTH100 - without .. and links as they are
    validate_url(text)
    return str(get_local_path(text) or text)


def get_local_path(location: str) -> Path | None:
    """The file that a location means, if it is on this machine."""
    if "://" not in location:
        return Path(location)
    parts = urlsplit(location)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def validate_url(url: str) -> None:
    """Refuse what is neither https nor a file, nor http on this machine.

    Raises:
        CatalogueError: when it is something else.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        raise CatalogueError(f"{url!r} is no URL") from None
    is_fine = {
        "https": bool(host),
        "http": host in LOOPBACK_HOSTS,
        "file": host in (None, "", "localhost"),
    }
    if not is_fine.get(parts.scheme) or parts.username is not None:
        raise CatalogueError(
            f"{url!r} is not to be fetched",
            hint="expected https://…, a path or file:///…; http:// only to this machine, and no "
            "name or password in it",
        )


def resolve_location(url: str, catalogue: str) -> str:
    """Where a file is that a catalogue names, which may be relative to the catalogue.

    Raises:
        CatalogueError: when it must not be fetched.
    """
    base = get_local_path(catalogue)
    if base is None:
        full = urljoin(catalogue, url)
        validate_url(full)
        if urlsplit(full).scheme not in ("https", urlsplit(catalogue).scheme):
            raise CatalogueError(f"leads from the network to {full!r}", where=catalogue)
        return full
    if "://" in url:
        return normalize_location(url)
    return str(base.parent / url2pathname(url))


def fetch_bytes(location: str, limit: DownloadLimit) -> bytes:
    """The content of a file.

    Raises:
        FetchError: when it cannot be had, or is too large or too slow.
    """
    with _open_location(location, limit) as source:
        return b"".join(_read_chunks(source, location, limit))


def fetch_file(location: str, target: Path, limit: DownloadLimit, sha256: str) -> None:
    """Write what is at a location into a new file.

    Raises:
        HashMismatchError: when it is not what it should be; the file is gone then.
        FetchError: when it cannot be had, or is too large or too slow.
    """
    digest = hashlib.sha256()
    try:
        with _open_location(location, limit) as source, target.open("xb") as file:
            for chunk in _read_chunks(source, location, limit):
                digest.update(chunk)
                file.write(chunk)
        if digest.hexdigest() != sha256:
            raise HashMismatchError(
                f"is not what the catalogue describes: its SHA-256 is {digest.hexdigest()}, "
                f"expected {sha256}",
                where=location,
                hint="paddock catalogue refresh, then try again; if it stays so, ask who runs "
                "the catalogue. Nothing was installed",
            )
    except BaseException:
        target.unlink(missing_ok=True)
        raise


class _SafeRedirectHandler(HTTPRedirectHandler):
    """Follows only where the first request could have gone, and never out of https."""

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """The next request, if it may be made."""
        try:
            resolve_location(newurl, req.full_url)
        except CatalogueError as error:
            fp.close()
            raise URLError(f"it redirects to {newurl!r}: {error.message}") from None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@contextmanager
def _open_location(location: str, limit: DownloadLimit) -> Iterator[IO[bytes]]:
    path = get_local_path(location)
    deadline = ConnectionDeadline(limit.timeout_seconds)
    try:
        if path is not None:
            if not path.is_file():
                found = "is no file" if path.exists() else "there is no such file"
                raise FetchError(found, where=location, hint="give the path of a file")
            with path.open("rb") as file:
                yield file
            return
        validate_url(location)
        request = Request(location, headers={"User-Agent": f"paddock/{__version__}"})  # noqa: S310 - checked
        timeout = min(READ_TIMEOUT_SECONDS, limit.timeout_seconds)
        # No proxy leads to this machine.
        direct = [ProxyHandler({})] if request.type == "http" else []
        with deadline:
            opener = build_opener(_SafeRedirectHandler, *direct, *deadline.make_handlers())
            with closing(opener.open(request, timeout=timeout)) as answer:
                yield cast("IO[bytes]", answer)
        if deadline.has_expired:
            raise _make_timeout_error(location, limit)
    except (OSError, HTTPException, ValueError) as error:
        if isinstance(error, HTTPError):
            error.close()
        if deadline.has_expired:
            raise _make_timeout_error(location, limit) from None
        raise FetchError(
            f"cannot be fetched: {getattr(error, 'reason', None) or error}",
            where=location,
            hint="see that the address is right and this machine is online",
        ) from None


def _read_chunks(source: IO[bytes], location: str, limit: DownloadLimit) -> Iterator[bytes]:
    read = getattr(source, "read1", source.read)
    deadline, size = time.monotonic() + limit.timeout_seconds, 0
    while chunk := read(_CHUNK_BYTES):
        size += len(chunk)
        if size > limit.max_bytes:
            raise FetchError(f"is longer than {limit.max_bytes:,} bytes", where=location)
        if time.monotonic() > deadline:
            raise _make_timeout_error(location, limit)
        yield chunk


def _make_timeout_error(location: str, limit: DownloadLimit) -> FetchError:
    return FetchError(f"takes longer than {limit.timeout_seconds:g} s", where=location)
