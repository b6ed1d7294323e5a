"""The command `paddock validate`, which checks extensions and server definitions."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from paddock.cli import completion, output
from paddock.cli.shared_options import json_option
from paddock.validation import validate as library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.validation.findings import Validation, ValidationFinding

_STDOUT_DESCRIPTOR, _STDERR_DESCRIPTOR = 1, 2
ITEM_KINDS = ("servers", "tools", "prompts", "resources")


@click.command()
@click.argument("target", shell_complete=completion.complete_extensions_and_servers)
@json_option
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@click.option("--static", is_flag=True, help="Check only what can be read without running code.")
@click.pass_context
def validate(ctx: click.Context, target: str, *, as_json: bool, strict: bool, static: bool) -> None:
    """Check TARGET and report all problems.

    TARGET is the directory of a project or paclet, a .whl or .paclet file, a server definition
    file, or the name of an installed extension or of a server. Python definition files are run,
    unless they are in a wheel or --static is given. The exit code is 1 if there is an error.
    """
    with _redirect_stdout():
        validation = library.validate(target, static=static)
    passes = validation.is_valid and not (strict and validation.warnings)
    if as_json:
        verdict = {"is_strict": strict, "passes": passes}
        output.print_json({**_to_json(validation), **verdict})
    else:
        _print_validation(validation, passes=passes)
    if not passes:
        ctx.exit(1)


@contextmanager
def _redirect_stdout() -> Iterator[None]:
    """Redirect file descriptor 1 to standard error while definition files run.

    Replacing `sys.stdout` would miss output from C libraries and child processes, which would
    corrupt the JSON document.
    """
    sys.stdout.flush()
    saved_descriptor = os.dup(_STDOUT_DESCRIPTOR)
    os.dup2(_STDERR_DESCRIPTOR, _STDOUT_DESCRIPTOR)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.__stdout__):
            if stream is not None:
                stream.flush()
        os.dup2(saved_descriptor, _STDOUT_DESCRIPTOR)
        os.close(saved_descriptor)


def _to_json(validation: Validation) -> dict[str, object]:
    """Return a validation result as a JSON object."""
    findings = [
        {**asdict(finding), "place": finding.place._asdict()} for finding in validation.findings
    ]
    return {**asdict(validation), "findings": findings, "is_valid": validation.is_valid}


def _print_validation(validation: Validation, *, passes: bool) -> None:
    """Print the findings by file, the names of the items, and the verdict.

    Args:
        validation: The validation result.
        passes: The verdict, which also depends on the `--strict` option.
    """
    file = None
    for finding in validation.findings:
        if finding.place.file != file:
            file = finding.place.file
            click.echo(file)
        _print_finding(finding)
    if validation.findings:
        click.echo()
    for finding_location in validation.places:
        click.echo(f"checked    {finding_location}")
    if validation.beside is not None:
        click.echo(f"not {validation.beside} here: pass ./{validation.target} to check that")
    for kind in ITEM_KINDS:
        names = getattr(validation, kind)
        if names:
            click.echo(f"{kind.ljust(9)}  {', '.join(names)}")
    if validation.python_files:
        treatment = "read, not run" if validation.is_static else "run"
        click.echo(f"Python definition files {treatment}: {len(validation.python_files)}")
    errors = _format_count(len(validation.errors), "error")
    warnings = _format_count(len(validation.warnings), "warning")
    verdict = (
        output.colour_text("valid", "green") if passes else output.colour_text("invalid", "red")
    )
    click.echo(f"{validation.target} is {verdict}: {errors}, {warnings}")


def _print_finding(finding: ValidationFinding) -> None:
    """Print a finding with its location in the file and its remedy, if any."""
    place = finding.place
    line_and_column = ":".join(str(part) for part in (place.line, place.column) if part is not None)
    location = "  ".join(filter(None, (line_and_column, place.key)))
    location_prefix = f"{location}: " if location else ""
    label = output.colour_text(
        finding.severity.ljust(7), output.SEVERITY_COLOURS[finding.severity], bold=True
    )
    click.echo(f"  {label}  {location_prefix}{finding.message}  [{finding.code}]")
    if finding.remedy:
        click.echo(f"           {finding.remedy}")


def _format_count(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
