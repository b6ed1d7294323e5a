"""Short names for addresses and files, made from names that people give.

Names that are safe on every system, made of what people call their agents and skills.

Only small letters, digits and single hyphens are left, so that nothing can lead out of a folder,
two names never differ by case alone, and every program takes them.
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


def slugify(text: str, otherwise: str) -> str:
    """Lower-case letters, digits and single hyphens; `otherwise` when nothing is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return (
        _NON_SLUG_CHARACTERS.sub("-", plain.lower()).strip("-")[:MAX_SLUG_CHARACTERS].rstrip("-")
        or otherwise
    )


def find_free_slug(wanted: str, is_taken: Callable[[str], bool]) -> str:
    """The slug, or the first of `-2`, `-3`, … that nothing has."""
    found, number = wanted, 1
    while is_taken(found):
        number += 1
        ending = f"-{number}"
        found = wanted[: MAX_SLUG_CHARACTERS - len(ending)].rstrip("-") + ending
    return found


SLUG_PATTERN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_WINDOWS_DEVICE_NAMES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)
_FORBIDDEN_CHARACTERS = re.compile(r'[<>:"\\|?*]')
_DIGEST_CHARACTERS = 6


def make_file_slug(text: str, fallback: str) -> str:
    """A text as a safe name; of one without any letter that could stay, a name by its digest."""
    found = slugify(text, "")
    if not found:
        text = text.strip()
        if not text:
            return fallback
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[
            :_DIGEST_CHARACTERS
        ]
        return f"{fallback}-{digest}"
    return f"{found}-{fallback}" if is_windows_device_name(found) else found


def is_windows_device_name(name: str) -> bool:
    """Whether Windows keeps a name for a device, whatever ending it has."""
    return name.partition(".")[0].strip().lower() in _WINDOWS_DEVICE_NAMES


def is_portable_path(path: str) -> bool:
    """Whether a stored path stays below a folder, and can be a file on every system."""
    parts = path.split("/")
    return all(
        part.strip(" .")
        and part == part.rstrip(" .")
        and part.isprintable()
        and not _FORBIDDEN_CHARACTERS.search(part)
        and not is_windows_device_name(part)
        for part in parts
    )


def find_free_name(wanted: str, taken: Container[str]) -> str:
    """A name that nothing else has, with `-2`, `-3` and so on behind it where need be."""
    return find_free_slug(wanted, lambda name: name in taken)


def make_title(name: str) -> str:
    """What people would call something that has a safe name: `code-review` is `Code Review`."""
    if not SLUG_PATTERN.fullmatch(name):
        return name
    return " ".join(word.capitalize() for word in name.split("-"))


def collapse_whitespace(text: str) -> str:
    """A text without line breaks, and with no more than one blank in a place."""
    return " ".join(text.split())
