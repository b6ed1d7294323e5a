"""Paclets as their authors have them: what `PacletInfo` says, whether it holds, and the archive.

`read_description` reads the `PacletInfo` file with the place of everything in it, `check_paclet`
says what is wrong with a paclet's directory, `write_archive` packs one. Nothing is run. What a
paclet contributes to Paddock is read by `paddock.extensions.paclets`.
"""

from paddock.wolfram.paclets.archive import (
    PacletArchiveFiles,
    get_archive_name,
    list_archive_files,
    summarize_names,
    write_archive,
)
from paddock.wolfram.paclets.checks import PacletIssue, PacletIssueLevel, check_paclet
from paddock.wolfram.paclets.paclet_info import (
    DeclaredProperty,
    PacletDescription,
    PacletInfoError,
    find_info_file,
    parse_paclet_info,
)

__all__ = [
    "DeclaredProperty",
    "PacletArchiveFiles",
    "PacletDescription",
    "PacletInfoError",
    "PacletIssue",
    "PacletIssueLevel",
    "check_paclet",
    "find_info_file",
    "get_archive_name",
    "list_archive_files",
    "parse_paclet_info",
    "summarize_names",
    "write_archive",
]
