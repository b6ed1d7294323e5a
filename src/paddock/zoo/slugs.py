"""Derives slugs and file names from the names that users give agents and skills.

Slugs consist of lower-case letters, digits and single hyphens. They are valid on every file system,
cannot lead out of a folder, and never differ only in case.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Container


MAX_SLUG_CHARACTERS = 64

_NON_SLUG_CHARACTERS = re.compile(r"[^a-z0-9]+")

SLUG_PATTERN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_WINDOWS_DEVICE_NAMES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)
_FORBIDDEN_CHARACTERS = re.compile(r'[<>:"\\|?*]')
_DIGEST_CHARACTERS = 6


def slugify(text: str, fallback: str) -> str:
    """Convert a text to a slug, or return `fallback` if it has no letters or digits."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return (
        _NON_SLUG_CHARACTERS.sub("-", plain.lower()).strip("-")[:MAX_SLUG_CHARACTERS].rstrip("-")
        or fallback
    )


def find_free_slug(slug: str, is_taken: Callable[[str], bool]) -> str:
    """Return a slug that is not taken, with a suffix `-2`, `-3`, … if necessary."""
    candidate, number = slug, 1
    while is_taken(candidate):
        number += 1
        suffix = f"-{number}"
        candidate = slug[: MAX_SLUG_CHARACTERS - len(suffix)].rstrip("-") + suffix
    return candidate


def make_file_slug(text: str, fallback: str) -> str:
    """Convert a text to a slug that is a valid file name on every system, such as `code-review`.

    A text without ASCII letters or digits becomes the fallback with a digest of the text, so that
    different texts get different slugs. An empty text becomes the fallback.
    """
    slug = slugify(text, "")
    if slug:
        # Windows reserves names such as `con` and `nul`.
        return f"{slug}-{fallback}" if is_windows_device_name(slug) else slug
    text = text.strip()
    if not text:
        return fallback
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{fallback}-{digest[:_DIGEST_CHARACTERS]}"


def is_windows_device_name(name: str) -> bool:
    """Return whether Windows reserves a name for a device, regardless of its suffix."""
    return name.partition(".")[0].strip().lower() in _WINDOWS_DEVICE_NAMES


def is_portable_path(path: str) -> bool:
    """Return whether a relative path stays below its folder and is valid on every system."""
    # Windows drops trailing spaces and dots, so two names could refer to the same file. A part with
    # only spaces and dots, such as "..", could lead out of the folder. An empty part means an
    # absolute path or two slashes in a row.
    parts = path.split("/")
    return all(
        part.strip(" .")
        and part == part.rstrip(" .")
        and part.isprintable()
        and not _FORBIDDEN_CHARACTERS.search(part)
        and not is_windows_device_name(part)
        for part in parts
    )


def find_free_name(name: str, taken: Container[str]) -> str:
    """Return a name that is not taken, with a suffix `-2`, `-3`, … if necessary."""
    return find_free_slug(name, taken.__contains__)


def make_title(name: str) -> str:
    """Convert a slug to a title, such as `code-review` to `Code Review`."""
    if not SLUG_PATTERN.fullmatch(name):
        return name
    return " ".join(word.capitalize() for word in name.split("-"))


def collapse_whitespace(text: str) -> str:
    """Replace each run of white space with one space, and strip both ends."""
    return " ".join(text.split())


def make_printable(text: str) -> str:
    """Return a text on one line, without unprintable characters."""
    return "".join(letter for letter in collapse_whitespace(text) if letter.isprintable())
