"""Short names for addresses and files, made from names that people give."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_SLUG_CHARACTERS = 64

_NON_SLUG_CHARACTERS = re.compile(r"[^a-z0-9]+")


def slugify(text: str, otherwise: str) -> str:
    """Lower-case letters, digits and single hyphens; `otherwise` when nothing is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _NON_SLUG_CHARACTERS.sub("-", plain.lower()).strip("-")[:MAX_SLUG_CHARACTERS].rstrip("-") or otherwise


def find_free_slug(wanted: str, is_taken: Callable[[str], bool]) -> str:
    """The slug, or the first of `-2`, `-3`, … that nothing has."""
    found, number = wanted, 1
    while is_taken(found):
        number += 1
        ending = f"-{number}"
        found = wanted[: MAX_SLUG_CHARACTERS - len(ending)].rstrip("-") + ending
    return found
