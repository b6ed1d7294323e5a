"""Wolfram functions where Paddock wants Python's: evaluated by the chosen engine when called.

Listing them needs no engine, and loads nothing of kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.extensions.paclets.owner import FunctionOwner

_pending_initializations: dict[WolframInitialization, None] = {}
"""What servers of this process want evaluated before the first call, the first to start first."""


class WolframFunction:
    """A function of the Wolfram Language as the handler of a tool or a prompt."""

    def __init__(
        self,
        code: str,
        owner: FunctionOwner,
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

    def __call__(self, arguments: dict[str, Any], ctx: Context) -> Any:
        """Have the chosen engine call it.

        Raises:
            NoEngineError: when there is no engine.
            UnresolvedSymbolsError: when the engine lacks what it needs.
            ToolError: when it fails.
        """
        from paddock.extensions.paclets.calling import FunctionCall, call_function  # noqa: PLC0415 - kernels are loaded with the first call

        prepared = [(one.code, one.owner) for one in _pending_initializations]
        if self.initialization is not None:
            prepared.append((self.initialization, self.owner))
        call = FunctionCall(self.code, self.owner, arguments, self.interpreters, tuple(prepared))
        return call_function(call, ctx)

    def __repr__(self) -> str:
        return f"WolframFunction({self.code!r})"


class WolframInitialization:
    """What a server's definition wants evaluated when it starts.

    No kernel is started for it: it is evaluated before the first function that needs one.
    """

    def __init__(self, code: str, owner: FunctionOwner) -> None:
        self.code = code
        self.owner = owner

    def __call__(self) -> None:
        """Have it evaluated before the next function is called."""
        _pending_initializations[self] = None

    def __repr__(self) -> str:
        return self.code
