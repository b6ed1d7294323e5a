"""Paclets in development: read `PacletInfo` files, check paclet directories, build archives.

`parse_paclet_info` reads a `PacletInfo` file and the line of each property, `check_paclet` returns
the issues in a paclet directory, and `write_archive` builds the archive. No code is run.
`paddock.extensions.paclets` loads the tools of installed paclets.
"""

from paddock.wolfram.paclets.archive import list_archive_files, summarize_names, write_archive
from paddock.wolfram.paclets.checks import PacletIssue, PacletIssueLevel, check_paclet
from paddock.wolfram.paclets.paclet_info import find_info_file, parse_paclet_info

__all__ = [
    "PacletIssue",
    "PacletIssueLevel",
    "check_paclet",
    "find_info_file",
    "list_archive_files",
    "parse_paclet_info",
    "summarize_names",
    "write_archive",
]
