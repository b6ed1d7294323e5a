"""The command `paddock`, run in this process as `python -m paddock` runs it."""

from __future__ import annotations

import io
import json
import runpy
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import pytest

    from tests.golden_outputs.golden_files import MachineNames


@dataclass(frozen=True)
class Result:
    """The exit code and the output of a command, without the names of this machine."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)

    @property
    def text(self) -> str:
        """Everything, for a recorded file."""
        parts = [f"exit code {self.code}", "--- stdout", self.out, "--- stderr", self.err]
        return "\n".join(part.rstrip("\n") for part in parts) + "\n"


class Program:
    """Runs commands; a process for each would take longer than the commands do."""

    def __init__(self, names: MachineNames, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names = names
        self._monkeypatch = monkeypatch

    def __call__(self, *words: str) -> Result:
        """Run a command without a terminal."""
        out, err = io.StringIO(), io.StringIO()
        code: object = 0
        with self._monkeypatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.setattr(sys, "argv", ["paddock", *words])
            patch.setattr(sys, "stdin", io.StringIO())
            try:
                runpy.run_module("paddock", run_name="__main__")
            except SystemExit as stop:
                code = stop.code
        hide = self.names.hide
        return Result(
            code if isinstance(code, int) else 0, hide(out.getvalue()), hide(err.getvalue())
        )

    def root_command(self) -> click.Command:
        """Return the click command that the program runs."""
        roots: list[click.Command] = []
        with self._monkeypatch.context() as patch:
            patch.setattr(click.Command, "main", lambda self, **_: roots.append(self))
            self()
        (root,) = roots
        return root
