"""`paddock validate`: what is wrong with an extension or a server, and what to do about it."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from paddock.cli import completion, output
from paddock.validation import validate as library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.validation.findings import Validation, ValidationFinding

_STDOUT_DESCRIPTOR, _STDERR_DESCRIPTOR = 1, 2
ITEM_KINDS = ("servers", "tools", "prompts", "resources")


@click.command()
@click.argument("target", shell_complete=completion.complete_extensions_and_servers)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--strict", is_flag=True, help="Let warnings count as errors do.")
@click.option("--static", is_flag=True, help="Run nothing; check what can be read.")
@click.pass_context
def validate(ctx: click.Context, target: str, *, as_json: bool, strict: bool, static: bool) -> None:
    """Find everything that is wrong with TARGET.

    TARGET is the directory of a project or a paclet, a .whl, a .paclet, a file with the definition
    of a server, or the name of an installed extension or of a server. Python definition files are
    run, unless they are in a wheel or --static is given. The exit code is 1 when there is an error.
    """
    with _redirect_stdout():
        found = library.validate(target, static=static)
    is_good = found.is_valid and not (strict and found.warnings)
    if as_json:
        said = {"is_strict": strict, "passes": is_good}
        output.print_json({**_to_json(found), **said})
    else:
        _print_validation(found, is_good=is_good)
    if not is_good:
        ctx.exit(1)


@contextmanager
def _redirect_stdout() -> Iterator[None]:
    """Have whatever definitions write to standard output, by any means, go to standard error."""
    sys.stdout.flush()
    kept = os.dup(_STDOUT_DESCRIPTOR)
    os.dup2(_STDERR_DESCRIPTOR, _STDOUT_DESCRIPTOR)
    try:
        yield
    finally:
        for one in (sys.stdout, sys.__stdout__):
            if one is not None:
                one.flush()
        os.dup2(kept, _STDOUT_DESCRIPTOR)
        os.close(kept)


def _to_json(found: Validation) -> dict[str, object]:
    findings = [{**asdict(one), "place": one.place._asdict()} for one in found.findings]
    return {**asdict(found), "findings": findings, "is_valid": found.is_valid}


def _print_validation(found: Validation, *, is_good: bool) -> None:
    file = None
    for one in found.findings:
        if one.place.file != file:
            file = one.place.file
            click.echo(file)
        _print_finding(one)
    if found.findings:
        click.echo()
    for place in found.places:
        click.echo(f"checked    {place}")
    if found.beside is not None:
        click.echo(f"not {found.beside} here: write ./{found.target} for that")
    for kind in ITEM_KINDS:
        names = getattr(found, kind)
        if names:
            click.echo(f"{kind.ljust(9)}  {', '.join(names)}")
    if found.python_files:
        done = "read, not run" if found.is_static else "run"
        click.echo(f"Python definition files {done}: {len(found.python_files)}")
    counted = f"{_format_count(len(found.errors), 'error')}, {_format_count(len(found.warnings), 'warning')}"
    verdict = (
        output.colour_text("valid", "green") if is_good else output.colour_text("invalid", "red")
    )
    click.echo(f"{found.target} is {verdict}: {counted}")


def _print_finding(one: ValidationFinding) -> None:
    place = one.place
    spot = ":".join(str(part) for part in (place.line, place.column) if part is not None)
    where = "  ".join(part for part in (spot, place.key) if part)
    label = output.colour_text(
        one.severity.ljust(7), output.SEVERITY_COLOURS[one.severity], bold=True
    )
    click.echo(f"  {label}  {f'{where}: ' if where else ''}{one.message}  [{one.code}]")
    if one.remedy:
        click.echo(f"           {one.remedy}")


def _format_count(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
