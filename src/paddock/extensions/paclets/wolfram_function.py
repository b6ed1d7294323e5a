"""Handlers of tools and prompts that call Wolfram functions or fill a `StringTemplate`.

Creating them needs no engine and imports no kernel modules. The first call starts the engine.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paddock.extensions.paclets.function_owner import FunctionOwner


_pending_initializations: dict[WolframInitialization, None] = {}
"""Initializations of servers in this process, run before the next call, in order of start."""
_SLOT_PATTERN = re.compile(r"`(\w*)`|<\*(.*?)\*>", re.DOTALL)


class WolframFunction:
    """A Wolfram Language function as the handler of a tool or prompt."""

    def __init__(
        self,
        code: str,
        owner: FunctionOwner,
        *,
        initialization: str | None = None,
        interpreters: Mapping[str, str] | None = None,
    ) -> None:
        self.__doc__ = None  # a tool without a description would get the docstring of this class
        self.code = code
        """The source text of the function."""
        self.owner = owner
        self.initialization = initialization
        """Code to evaluate once before the first call."""
        self.interpreters = dict(interpreters or {})
        """The source text of the interpreter of each parameter."""

    def __call__(self, arguments: dict[str, Any], ctx: Context) -> Any:
        """Call the function with the configured engine.

        Raises:
            NoEngineError: There is no engine.
            UnresolvedSymbolsError: The engine does not define a symbol in the function.
            ToolError: The function failed.
        """
        # Saves the kernels and their engines in servers whose functions are not called.
        from paddock.extensions.paclets.function_call import (  # noqa: PLC0415 - see above
            FunctionCall,
            call_function,
        )

        # Initializations of servers run before those of tools.
        initializations = [(pending.code, pending.owner) for pending in _pending_initializations]
        if self.initialization is not None:
            initializations.append((self.initialization, self.owner))
        call = FunctionCall(
            self.code, self.owner, arguments, self.interpreters, tuple(initializations)
        )
        return call_function(call, ctx)

    def __repr__(self) -> str:
        return f"WolframFunction({self.code!r})"


class WolframInitialization:
    """The initialization code of a server definition, called when the server starts.

    A call only registers the code, so that starting the server does not start a kernel. The code
    is evaluated before the first function call.
    """

    def __init__(self, code: str, owner: FunctionOwner) -> None:
        self.code = code
        self.owner = owner

    def __call__(self) -> None:
        """Register the code to be evaluated before the next function call."""
        _pending_initializations[self] = None

    def __repr__(self) -> str:
        return self.code


def list_slots(text: str) -> list[str]:
    """Return the named slots of a template in order, without numbered ones."""
    names = (match[1] for match in _SLOT_PATTERN.finditer(text) if match[1])
    return [name for name in dict.fromkeys(names) if not name.isdigit()]


class StringTemplateHandler:
    """A `StringTemplate` as the handler of a prompt.

    The slot `` `name` `` is replaced by the argument with that name, `` `1` `` by the first
    argument.
    """

    def __init__(self, text: str, arguments: Sequence[str], owner: FunctionOwner) -> None:
        self.__doc__ = None  # a prompt without a description would get the docstring of this class
        self.text = text
        self._argument_names = list(arguments)
        self._owner = owner

    def __call__(self, arguments: dict[str, str], ctx: Context) -> str:
        """Return the text with its slots replaced. Missing arguments become empty.

        Raises:
            ToolError: The text contains an expression that cannot be evaluated.
        """
        position = 0

        def fill_slot(match: re.Match[str]) -> str:
            nonlocal position
            name = match[1]
            if name is None:
                return self._evaluate_expression(match[2], arguments, ctx)
            if name and not name.isdigit():
                return arguments.get(name, "")
            position = int(name) if name else position + 1
            argument_name = (
                self._argument_names[position - 1]
                if 0 < position <= len(self._argument_names)
                else ""
            )
            return arguments.get(argument_name, "")

        return _SLOT_PATTERN.sub(fill_slot, self.text)

    def _evaluate_expression(self, code: str, arguments: dict[str, str], ctx: Context) -> str:
        """Evaluate an expression `<*…*>` in the text, in which slots are arguments."""
        return str(WolframFunction(f"({code.strip()}) &", self._owner)(arguments, ctx))
