"""What `validate` gives back."""

from __future__ import annotations

from dataclasses import dataclass

from paddock.validation.finding import ValidationFinding


@dataclass(frozen=True)
class Validation:
    """What was found in a target, and what is wrong with it."""

    target: str
    """What was asked for."""
    kind: str
    """`distribution`, `paclet` or `server`."""
    findings: tuple[ValidationFinding, ...] = ()
    servers: tuple[str, ...] = ()
    """The names of what it declares; qualified for those of extensions."""
    tools: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    python_files: tuple[str, ...] = ()
    """Definition files in Python: run, or with `is_static` only read."""
    is_static: bool = False
    """Whether nothing was run."""
    places: tuple[str, ...] = ()
    """What was looked at: a file or a directory, or those of each installed extension."""
    beside: str | None = None
    """A path of the same name in the working directory, which was not looked at."""

    @property
    def is_valid(self) -> bool:
        """Whether there is no error; there may be warnings."""
        return not self.errors

    @property
    def errors(self) -> tuple[ValidationFinding, ...]:
        """Those findings that keep something from working."""
        return tuple(one for one in self.findings if one.severity == "error")

    @property
    def warnings(self) -> tuple[ValidationFinding, ...]:
        """The other ones."""
        return tuple(one for one in self.findings if one.severity == "warning")
