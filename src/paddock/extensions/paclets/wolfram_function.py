"""Wolfram functions where Paddock wants Python's: they can be listed, and not yet be called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from paddock.authoring.failures import ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_SHOWN = 120


class NoEngineError(ToolError):
    """Something has to be evaluated by a Wolfram engine, and there is none."""

    code = "no-engine"


class Owner(NamedTuple):
    """The item that a function belongs to."""

    paclet: str
    kind: str
    item: str
    version: str | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.paclet}/{self.item}"


class WolframFunction:
    """A function of the Wolfram Language as the handler of a tool or a prompt."""

    def __init__(
        self,
        code: str,
        owner: Owner,
        *,
        initialization: str | None = None,
        interpreters: Mapping[str, str] | None = None,
    ) -> None:
        self.__doc__ = None  # or clients would be shown ours
        self.code = code
        """Its source text."""
        self.owner = owner
        self.initialization = initialization
        """What has to be evaluated once before it is first called, as source text."""
        self.interpreters = dict(interpreters or {})
        """What is to be made of each argument, as source text."""

    def __call__(self, arguments: dict[str, Any]) -> NoReturn:
        """Say that there is no engine.

        Raises:
            NoEngineError: always.
        """
        raise no_engine(self.code, self.owner)

    def __repr__(self) -> str:
        return f"WolframFunction({self.code!r})"


class WolframInitialization:
    """What a server's definition wants evaluated when it starts.

    Without an engine there is nothing that could need it, so nothing is done.
    """

    def __init__(self, code: str) -> None:
        self.code = code

    def __call__(self) -> None:
        """Do nothing: there is no engine."""

    def __repr__(self) -> str:
        return self.code


def no_engine(code: str, owner: Owner) -> NoEngineError:
    """The complaint about code that cannot be evaluated."""
    shown = code if len(code) <= MAX_SHOWN else f"{code[: MAX_SHOWN - 1]}…"
    return NoEngineError(
        f"The {owner} is the Wolfram Language function {shown}, and there is no Wolfram engine "
        "to call it",
        hint="this version of Paddock reads paclets and evaluates nothing; get a Wolfram Engine "
        "(free for developers, https://www.wolfram.com/engine) and run the paclet's server in it",
    )
