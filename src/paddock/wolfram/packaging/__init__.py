"""Paclets as their authors have them: what `PacletInfo` says, whether it holds, and the archive.

`read_description` reads the `PacletInfo` file with the place of everything in it, `check_paclet`
says what is wrong with a paclet's directory, `write_archive` packs one. Nothing is run. What a
paclet contributes to Paddock is read by `paddock.extensions.paclets`.
"""

from paddock.wolfram.packaging.archive import (
    Packing,
    archive_name,
    packed_files,
    shortened,
    write_archive,
)
from paddock.wolfram.packaging.checks import Issue, Level, check_paclet
from paddock.wolfram.packaging.description import (
    Declared,
    Description,
    PacletInfoError,
    find_info_file,
    read_description,
)

__all__ = [
    "Declared",
    "Description",
    "Issue",
    "Level",
    "Packing",
    "PacletInfoError",
    "archive_name",
    "check_paclet",
    "find_info_file",
    "packed_files",
    "read_description",
    "shortened",
    "write_archive",
]
