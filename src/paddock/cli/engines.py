"""`paddock engines`: what evaluates Wolfram Language here, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from paddock.cli import output
from paddock.kernels.wolfram.engines import ENGINE_VARIABLE, choose_engine
from paddock.kernels.wolfram.engines import engines as engine_reports

if TYPE_CHECKING:
    from paddock.kernels.wolfram.engines import EngineReport


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def engines(*, as_json: bool) -> None:
    """List the engines that can evaluate Wolfram Language, and say which one is used and why.

    The exit code is 2 when the environment names one that is not here.
    """
    found = engine_reports()
    if as_json:
        output.print_json(msgspec.to_builtins(found))
    else:
        output.print_table(
            ("engine", "version", "licence", "found", "used"), map(_build_row, found)
        )
        for line in _build_summary_lines(found):
            click.echo(line)
    choose_engine()  # which says what is wrong with a setting


def _build_row(engine: EngineReport) -> tuple[output.Cell, ...]:
    return (
        engine.name,
        engine.version,
        engine.licence,
        engine.found or output.StyledCell("no", "yellow"),
        output.StyledCell("yes", "green") if engine.is_chosen else "",
    )


def _build_summary_lines(engines: list[EngineReport]) -> list[str]:
    """What is to be said below the table."""
    lines = []
    for engine in engines:
        if engine.is_chosen:
            lines.append(f"{engine.title} is used: {engine.reason}.")
            lines.append(f"Its kernels are confined so: {engine.confinement}.")
    others = [engine.name for engine in engines if engine.found and not engine.is_chosen]
    if others:
        lines.append(f"Set {ENGINE_VARIABLE} to use another one: {', '.join(others)}.")
    lines += [
        f"To get {engine.name}: {engine.how_to_get}." for engine in engines if not engine.found
    ]
    return lines
