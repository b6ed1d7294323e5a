"""Opening the user's zoo for a command."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.cli.complaints import ArgumentError
from paddock.zoo.opening import open_zoo
from paddock.zoo.project import default_agent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.service import Zoo


@contextmanager
def opened() -> Iterator[Zoo]:
    """The zoo of the user, until the command is done.

    Raises:
        ArgumentError: when the extra that it needs is not installed.
        ZooUnavailableError: when it cannot be used.
    """
    try:
        zoo = open_zoo()
    except ModuleNotFoundError as error:
        raise ArgumentError(
            f"The zoo needs {error.name}", hint="pip install 'paddock[zoo]'"
        ) from None
    with zoo:
        yield zoo


def named_or_default(name: str | None) -> str:
    """The agent that is named, or the one that works in this project.

    Raises:
        ArgumentError: when there is neither.
    """
    found = name or default_agent(Path.cwd())
    if found is None:
        raise ArgumentError(
            "Name an agent",
            hint="paddock zoo list lists them; paddock zoo default AGENT sets one for a project",
        )
    return found
