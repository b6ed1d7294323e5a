"""Which file a path in an argument means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

if TYPE_CHECKING:
    from paddock.authoring.context import Context


def resolve(path: str, ctx: Context) -> Path:
    """The path as it is on this machine.

    A relative one begins in the first directory that the client works in, or else in the working
    directory.
    """
    given = Path(path).expanduser()
    return (given if given.is_absolute() else _start(ctx) / given).resolve()


def _start(ctx: Context) -> Path:
    if "roots" in ctx.client_capabilities:
        for root in ctx.roots().wait():
            parts = urlsplit(root.uri)
            place = Path(url2pathname(parts.path))
            if parts.scheme == "file" and place.is_dir():
                return place
    return Path.cwd()
