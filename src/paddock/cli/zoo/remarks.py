"""What does not fit between agents and files, told to a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.cli import output

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.zoo.formats.exchange import Remark


def print_remarks(report: Iterable[Remark]) -> None:
    """Say each remark on a line, on standard error."""
    for one in report:
        place = one.path or one.agent_id
        output.print_note(f"{f'{place}: ' if place else ''}{one.field}: {one.message}")
