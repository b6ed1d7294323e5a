"""The command `paddock engines`, which lists the Wolfram Language engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from paddock.cli import output
from paddock.cli.shared_options import json_option
from paddock.kernels.wolfram.engines import ENGINE_VARIABLE, choose_engine
from paddock.kernels.wolfram.engines import engines as engine_reports

if TYPE_CHECKING:
    from paddock.kernels.wolfram.engines import EngineReport


@click.command()
@json_option
def engines(*, as_json: bool) -> None:
    """List the Wolfram Language engines, with the one in use and the reason for that choice.

    The exit code is 2 if the environment selects an engine that is not installed.
    """
    reports = engine_reports()
    if as_json:
        output.print_json(msgspec.to_builtins(reports))
    else:
        output.print_table(
            ("engine", "version", "licence", "found", "used"), map(_build_row, reports)
        )
        for line in _build_summary_lines(reports):
            click.echo(line)
    choose_engine()  # raises an error for an invalid setting


def _build_row(engine: EngineReport) -> tuple[output.Cell, ...]:
    """Return an engine's row in the table printed by `paddock engines`."""
    return (
        engine.name,
        engine.version,
        engine.licence,
        engine.found or output.StyledCell("no", "yellow"),
        output.StyledCell("yes", "green") if engine.is_chosen else "",
    )


def _build_summary_lines(engines: list[EngineReport]) -> list[str]:
    """Return sentences about the engine in use and about selecting or getting another one."""
    lines = []
    for engine in engines:
        if engine.is_chosen:
            lines.append(f"{engine.title} is used: {engine.reason}.")
            lines.append(f"Sandbox of its kernels: {engine.confinement}.")
    other_names = [engine.name for engine in engines if engine.found and not engine.is_chosen]
    if other_names:
        lines.append(f"Set {ENGINE_VARIABLE} to use another engine: {', '.join(other_names)}.")
    lines += [
        f"To get {engine.name}: {engine.how_to_get}." for engine in engines if not engine.found
    ]
    return lines
