"""Reads the entry points of installed extensions without an INI parser.

An extension's server imports this module before its first response, so it must not import anything
slow: no pathlib, no regular expressions and no typing.
"""

from __future__ import annotations

import os

ENTRY_POINT_GROUP = "paddock.extensions"
ENTRY_POINTS_FILE_NAME = "entry_points.txt"
MAX_ENTRY_POINTS_BYTES = 1_000_000
"""Maximum number of bytes to read from a file, far more than any distribution needs."""
METADATA_SUFFIXES = (".dist-info", ".egg-info")


def list_metadata_directories(directory: str) -> dict[str, str]:
    """Return the `.dist-info` and `.egg-info` directories in a directory of `sys.path`.

    The keys are the names of the distributions. For example,
    `{"acme-charts": "/site-packages/acme_charts-2.0.dist-info"}`.
    """
    try:
        names = sorted(name for name in os.listdir(directory) if name.endswith(METADATA_SUFFIXES))
    except OSError:  # sys.path may contain archives
        return {}
    return {parse_distribution_name(name): os.path.join(directory, name) for name in names}


def parse_distribution_name(directory_name: str) -> str:
    """Return the normalized distribution name from the name of a metadata directory."""
    # PEP 503, without `re`: runs of hyphens, underscores and dots become one hyphen.
    distribution = directory_name.rpartition(".")[0].partition("-")[0].lower()
    parts = distribution.replace("_", "-").replace(".", "-").split("-")
    return "-".join(part for part in parts if part)


def parse_distribution_version(directory_name: str) -> str | None:
    """Return the version from the name of a metadata directory, or None if it is missing."""
    stem = directory_name.rpartition(".")[0]
    return stem.split("-")[1] if "-" in stem else None


def read_entry_points(metadata_directory: str) -> list[tuple[str, str]]:
    """Read the entry points that declare the extensions of an installed distribution.

    Args:
        metadata_directory: The `.dist-info` or `.egg-info` directory of the distribution.

    Returns:
        Name and value of each entry point in the group `paddock.extensions`, such as
        `("charts", "acme_charts")`.
    """
    try:
        with open(os.path.join(metadata_directory, ENTRY_POINTS_FILE_NAME), "rb") as file:
            data = file.read(MAX_ENTRY_POINTS_BYTES)
    except OSError:
        return []
    # Most distributions are not extensions. Their files need not be decoded and parsed.
    if ENTRY_POINT_GROUP.encode() not in data:
        return []
    return parse_entry_points(data.decode("utf-8", "replace"))


def parse_entry_points(text: str) -> list[tuple[str, str]]:
    """Parse the text of an `entry_points.txt` file.

    Returns:
        Name and value of each entry point in the group `paddock.extensions`, such as
        `("charts", "acme_charts")` for the line `charts = acme_charts`.
    """
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
