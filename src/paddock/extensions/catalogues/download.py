"""Reads catalogues and extension files from local paths and HTTPS URLs, with limits.

Plain HTTP is allowed for loopback addresses only. A catalogue from the network cannot refer to
local files.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import closing, contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import url2pathname

from paddock.extensions.errors import CatalogueError, FetchError, HashMismatchError
from paddock.http_fetch import ConnectionDeadline, FetchRules, open_url, read_chunks

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

READ_TIMEOUT_SECONDS = 20.0
"""Timeout for each read from the server."""
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")


class DownloadLimit(NamedTuple):
    """Limits on the size and duration of a download."""

    max_bytes: int
    timeout_seconds: float


def normalize_location(text: str) -> str:
    """Convert a catalogue location to a URL or an absolute path.

    Args:
        text: A URL or a path, as the user has written it.

    Raises:
        CatalogueError: The URL is invalid or not allowed.
    """
    if "://" not in text:
        return os.path.abspath(Path(text).expanduser())  # noqa: PTH100 - removes .., keeps links
    validate_url(text)
    return str(get_local_path(text) or text)


def get_local_path(location: str) -> Path | None:
    """Return the path of a local location, or None for a URL on the network."""
    if "://" not in location:
        return Path(location)
    parts = urlsplit(location)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def validate_url(url: str) -> None:
    """Check that a URL is allowed for catalogues and extension files.

    `https` and `file` URLs are allowed, as are `http` URLs with a loopback host.

    Raises:
        CatalogueError: The URL has any other form, or contains credentials.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        raise CatalogueError(f"{url!r} is not a URL") from None
    is_allowed_host = {
        "https": bool(host),
        "http": host in LOOPBACK_HOSTS,
        "file": host in (None, "", "localhost"),
    }
    if not is_allowed_host.get(parts.scheme) or parts.username is not None:
        raise CatalogueError(
            f"the location {url!r} is not allowed",
            hint="expected https://…, file:///… or a path; http:// is for this machine only, and "
            "user names and passwords are not allowed",
        )


def resolve_location(url: str, catalogue: str) -> str:
    """Return the absolute URL or path of a file that a catalogue refers to.

    A catalogue from the network must not refer to local files, nor an HTTPS one to HTTP URLs.

    Args:
        url: The URL in the catalogue, which may be relative.
        catalogue: The location of the catalogue.

    Raises:
        CatalogueError: The location is not allowed.
    """
    catalogue_path = get_local_path(catalogue)
    if catalogue_path is None:
        absolute_url = urljoin(catalogue, url)
        validate_url(absolute_url)
        if urlsplit(absolute_url).scheme not in ("https", urlsplit(catalogue).scheme):
            raise CatalogueError(f"refers from the network to {absolute_url!r}", where=catalogue)
        return absolute_url
    if "://" in url:
        return normalize_location(url)
    return str(catalogue_path.parent / url2pathname(url))


def fetch_bytes(location: str, limit: DownloadLimit) -> bytes:
    """Read or download a file and return its contents.

    Args:
        location: The path or URL of the file.
        limit: The maximum size and time.

    Raises:
        FetchError: The file is unavailable, or exceeds a limit.
    """
    with _open_location(location, limit) as source:
        return b"".join(_read_chunks(source, location, limit))


def fetch_file(location: str, target: Path, limit: DownloadLimit, sha256: str) -> None:
    """Download a file to a new path and verify its hash. If that fails, delete the new file.

    Args:
        location: The path or URL of the file.
        target: The path to write, which must not exist.
        limit: The maximum size and time.
        sha256: The expected hash in hexadecimal.

    Raises:
        HashMismatchError: The file does not have the expected hash.
        FetchError: The file is unavailable, or exceeds a limit.
    """
    digest = hashlib.sha256()
    try:
        with _open_location(location, limit) as source, target.open("xb") as file:
            for chunk in _read_chunks(source, location, limit):
                digest.update(chunk)
                file.write(chunk)
        if digest.hexdigest() != sha256:
            raise HashMismatchError(
                f"does not match the catalogue: its SHA-256 is {digest.hexdigest()}, "
                f"expected {sha256}",
                where=location,
                hint="run paddock catalogue refresh and try again, then report it to the "
                "publisher of the catalogue. Nothing was installed",
            )
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _check_redirect(url: str, new_url: str) -> None:
    """Check that a catalogue at the original URL may refer to the redirect's target."""
    try:
        resolve_location(new_url, url)
    except CatalogueError as error:
        raise URLError(f"redirect to {new_url!r}: {error.message}") from None


@contextmanager
def _open_location(location: str, limit: DownloadLimit) -> Generator[IO[bytes]]:
    """Open a local file or URL for reading in a `with` statement.

    Errors in the statement's body are converted to `FetchError` too.

    Raises:
        FetchError: The file cannot be opened or read, or the time limit is exceeded.
    """
    path = get_local_path(location)
    deadline = ConnectionDeadline(limit.timeout_seconds)
    try:
        if path is not None:
            if not path.is_file():
                problem = "is not a file" if path.exists() else "does not exist"
                raise FetchError(problem, where=location, hint="pass the path of a file")
            with path.open("rb") as file:
                yield file
            return
        validate_url(location)
        # HTTP is only allowed for loopback addresses, which a proxy would resolve to itself.
        rules = FetchRules(_check_redirect, uses_proxy=urlsplit(location).scheme != "http")
        timeout = min(READ_TIMEOUT_SECONDS, limit.timeout_seconds)
        with (
            deadline,
            closing(open_url(location, rules, deadline, timeout_seconds=timeout)) as response,
        ):
            yield cast("IO[bytes]", response)
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
            hint="check the URL and the network connection",
        ) from None


def _read_chunks(source: IO[bytes], location: str, limit: DownloadLimit) -> Iterator[bytes]:
    """Yield the contents of an open file or URL in chunks.

    Raises:
        FetchError: The contents exceed the maximum size, or take too long to read.
    """
    deadline = time.monotonic() + limit.timeout_seconds
    size = 0
    for chunk in read_chunks(source):
        size += len(chunk)
        if size > limit.max_bytes:
            raise FetchError(f"is longer than {limit.max_bytes:,} bytes", where=location)
        if time.monotonic() > deadline:
            raise _make_timeout_error(location, limit)
        yield chunk


def _make_timeout_error(location: str, limit: DownloadLimit) -> FetchError:
    return FetchError(f"takes longer than {limit.timeout_seconds:g} s", where=location)
