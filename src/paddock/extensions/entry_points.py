"""Entry points of installed extensions, read without a parser of INI files.

Imported before the first answer of an extension's server, so it imports nothing slow.
"""

from __future__ import annotations

ENTRY_POINT_GROUP = "paddock.extensions"
ENTRY_POINTS_FILE_NAME = "entry_points.txt"
MAX_ENTRY_POINTS_BYTES = 1_000_000
"""Bytes read of a file, far more than any distribution needs."""
METADATA_SUFFIXES = (".dist-info", ".egg-info")


def parse_entry_points(text: str) -> list[tuple[str, str]]:
    """Return the names and values of the group `paddock.extensions` in an `entry_points.txt`."""
    entry_points: list[tuple[str, str]] = []
    section = ""
    for raw_line in text.splitlines():
        line = raw_line.strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
        elif section == ENTRY_POINT_GROUP and line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            entry_points.append((name.strip(), value.strip()))
    return entry_points
