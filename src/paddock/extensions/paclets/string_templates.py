"""The texts of `StringTemplate`: `` `name` `` stands for an argument, `` `1` `` for the first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.extensions.paclets.wolfram_function import WolframFunction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.extensions.paclets.owner import FunctionOwner

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
            known = self._argument_names[place - 1] if 0 < place <= len(self._argument_names) else ""
            return arguments.get(known, "")

        return _SLOT_PATTERN.sub(fill_slot, self.text)

    def _evaluate_expression(self, code: str, arguments: dict[str, str], ctx: Context) -> str:
        """What an expression in the text is worth, in which slots are arguments."""
        return str(WolframFunction(f"({code.strip()}) &", self._owner)(arguments, ctx))
