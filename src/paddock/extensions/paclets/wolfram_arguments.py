"""Arguments as Wolfram Language code: every declared parameter, as its interpreter wants it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from paddock.extensions.paclets.interpreters import InterpreterSchemaBuilder
from paddock.extensions.paclets.literals import write_literal
from paddock.wolfram import RuleValue, evaluate, parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MISSING_ARGUMENT_CODE = 'Missing["NoInput"]'


class ArgumentCode(NamedTuple):
    """The code of an argument."""

    name: str
    code: str
    needs_interpretation: bool = False
    """Whether the engine has to make something of it first."""


def write_arguments(
    arguments: Mapping[str, Any], interpreters: Mapping[str, str]
) -> Iterator[ArgumentCode]:
    """The arguments in the order of the parameters; those that were not given are missing."""
    for name in [*interpreters, *(other for other in arguments if other not in interpreters)]:
        if name in arguments:
            yield _write_argument(name, arguments[name], interpreters.get(name, '"String"'))
        else:
            yield ArgumentCode(name, MISSING_ARGUMENT_CODE)


def _write_argument(name: str, value: object, interpreter: str) -> ArgumentCode:
    source = parse(interpreter)
    form = evaluate(source.expressions[0]) if source.expressions else "String"
    interpreting = InterpreterSchemaBuilder()
    interpreting.build_schema(form)
    if interpreting.format_note():
        return ArgumentCode(name, f"Interpreter[{interpreter}][{write_literal(value)}]", needs_interpretation=True)
    return ArgumentCode(name, _find_choice_code(form, value) or write_literal(value))


def _find_choice_code(form: object, value: object) -> str | None:
    """What a choice stands for: the right side of its rule."""
    rules: list[tuple[object, object]] = []
    if isinstance(form, Mapping):
        rules = list(form.items())
    elif isinstance(form, list):
        rules = [(one.key, one.value) for one in form if isinstance(one, RuleValue)]
    for label, meaning in rules:
        if label == value and type(label) is type(value):
            return write_literal(meaning)
    return None
