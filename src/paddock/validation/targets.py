"""What a target is, by the way it is written: a path, or a name.

Python of the working directory must not be run because it has the name of an extension, so a path
counts only where it is written as one.
"""

from __future__ import annotations

import os
from pathlib import Path

from paddock.extensions.paclets.archives import PACLET_SUFFIX as PACLET
from paddock.extensions.paclets.info import PACLET_INFO_FILE_NAMES
from paddock.servers.file_names import DEFINITION_SUFFIX as DEFINITION

WHEEL_SUFFIX = ".whl"
_PATH_SUFFIXES = (WHEEL_SUFFIX, PACLET, DEFINITION, *PACLET_INFO_FILE_NAMES)
_PATH_PREFIXES = ("./", "../", "~")


def is_path_target(target: str | Path) -> bool:
    """Whether a target is meant as a path, be there anything or not.

    A text is when it begins with `.`, `/` or `~`, ends with a slash, or has the ending of a file
    that can be validated.
    """
    if isinstance(target, Path):
        return True
    text = target.replace(os.sep, "/")
    return (
        text in (".", "..")
        or text.startswith(_PATH_PREFIXES)
        or text.endswith(("/", *_PATH_SUFFIXES))
        or Path(target).is_absolute()
    )


def find_in_working_directory(name: str) -> Path | None:
    """What there is in the working directory under a name, and is not looked at for it."""
    path = Path(name)
    try:
        return path if path.exists() else None
    except (OSError, ValueError):
        return None
