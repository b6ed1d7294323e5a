"""Handlers of tools and prompts that call Wolfram functions or fill a `StringTemplate`.

Creating them does not require an engine or import kernel modules. The first call starts the engine.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paddock.extensions.paclets.function_owner import FunctionOwner


_pending_initializations: dict[WolframInitialization, None] = {}
"""Initializations of this process's servers, in start order. They run before the next call."""
_SLOT_PATTERN = re.compile(r"`(\w*)`|<\*(.*?)\*>", re.DOTALL)


class WolframFunction:
    """A Wolfram Language function that is the handler of a tool or prompt in a paclet.

    Args:
        code: The source text of the function.
        owner: The tool or prompt.
        initialization: Code to evaluate once before the first call.
        interpreters: The type of each parameter, a Wolfram interpreter such as `"Integer"`, as
            source text.
    """

    def __init__(
        self,
        code: str,
        owner: FunctionOwner,
        *,
        initialization: str | None = None,
        interpreters: Mapping[str, str] | None = None,
    ) -> None:
        self.__doc__ = None  # a tool without a description would get this class's docstring
        self.code = code
        self.owner = owner
        self.initialization = initialization
        self.interpreters = dict(interpreters or {})

    def __call__(self, arguments: dict[str, Any], ctx: Context) -> Any:
        """Call the function in this process's kernel, which is started if necessary.

        Args:
            arguments: The arguments passed by the client, by name.
            ctx: The request context.

        Raises:
            NoEngineError: No engine is available.
            UnresolvedSymbolsError: The engine does not define a symbol in the function.
            ToolError: The function failed.
        """
        # Imported here so that servers whose functions are never called do not load kernel modules.
        from paddock.extensions.paclets.function_call import (  # noqa: PLC0415 - see above
            FunctionCall,
            call_function,
        )

        # Server initializations run before tool initializations.
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
    """Return a template's named slots in order, without the numbered ones."""
    names = (match[1] for match in _SLOT_PATTERN.finditer(text) if match[1])
    return [name for name in dict.fromkeys(names) if not name.isdigit()]


class StringTemplateHandler:
    """A Wolfram `StringTemplate`, a text with slots, as the handler of a prompt.

    The slot `` `name` `` is replaced by the argument with that name, and `` `1` `` by the first
    argument.

    Args:
        text: The text with slots.
        arguments: The names of the arguments, in order.
        owner: The prompt.
    """

    def __init__(self, text: str, arguments: Sequence[str], owner: FunctionOwner) -> None:
        self.__doc__ = None  # a prompt without a description would get this class's docstring
        self.text = text
        self._argument_names = list(arguments)
        self._owner = owner

    def __call__(self, arguments: dict[str, str], ctx: Context) -> str:
        """Return the prompt's text with its slots replaced by arguments.

        A slot whose argument is missing is replaced by an empty text. A kernel evaluates `<*…*>`
        expressions.

        Raises:
            ToolError: The text contains an expression that cannot be evaluated.
        """
        position = 0

        def fill_slot(match: re.Match[str]) -> str:
            nonlocal position
            name, expression = match[1], match[2]
            if name is None:
                return self._evaluate_expression(expression, arguments, ctx)
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
        """Evaluate a `<*…*>` expression in the text. Its slots are arguments."""
        return str(WolframFunction(f"({code.strip()}) &", self._owner)(arguments, ctx))
