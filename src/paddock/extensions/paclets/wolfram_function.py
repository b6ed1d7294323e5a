"""Wolfram functions where Paddock wants Python's: evaluated by the chosen engine when called.

Listing them needs no engine, and loads nothing of kernels.

The texts of `StringTemplate`: `` `name` `` stands for an argument, `` `1` `` for the first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paddock.extensions.paclets.function_owner import FunctionOwner


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
        from paddock.extensions.paclets.function_call import FunctionCall, call_function  # noqa: PLC0415 - kernels are loaded with the first call

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


_SLOT_PATTERN = re.compile(r"`(\w*)`|<\*(.*?)\*>", re.DOTALL)


def list_slots(text: str) -> list[str]:
    """The names of the arguments that a template uses, in order; numbers are left out."""
    names = (found[1] for found in _SLOT_PATTERN.finditer(text) if found[1])
    return [name for name in dict.fromkeys(names) if not name.isdigit()]


class StringTemplateHandler:
    """A template that is filled in with the arguments of a prompt."""

    def __init__(self, text: str, arguments: Sequence[str], owner: FunctionOwner) -> None:
        self.__doc__ = None  # or clients would be shown ours
        self.text = text
        self._argument_names = list(arguments)
        self._owner = owner

    def __call__(self, arguments: dict[str, str], ctx: Context) -> str:
        """The text with its slots filled in; what was not given is left out.

        Raises:
            ToolError: when there is an expression in it, and no engine that evaluates it.
        """
        place = 0

        def fill_slot(found: re.Match[str]) -> str:
            nonlocal place
            name = found[1]
            if name is None:
                return self._evaluate_expression(found[2], arguments, ctx)
            if name and not name.isdigit():
                return arguments.get(name, "")
            place = int(name) if name else place + 1
            known = (
                self._argument_names[place - 1] if 0 < place <= len(self._argument_names) else ""
            )
            return arguments.get(known, "")

        return _SLOT_PATTERN.sub(fill_slot, self.text)

    def _evaluate_expression(self, code: str, arguments: dict[str, str], ctx: Context) -> str:
        """What an expression in the text is worth, in which slots are arguments."""
        return str(WolframFunction(f"({code.strip()}) &", self._owner)(arguments, ctx))
