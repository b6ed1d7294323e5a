"""Arguments as Wolfram Language code: every declared parameter, as its interpreter wants it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from paddock.extensions.paclets.interpreters import Interpreting
from paddock.extensions.paclets.literals import literal
from paddock.wolfram import Rule, evaluate, parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NOT_GIVEN = 'Missing["NoInput"]'


class Argument(NamedTuple):
    """The code of an argument."""

    name: str
    code: str
    is_interpreted: bool = False
    """Whether the engine has to make something of it first."""


def arguments_as_code(
    arguments: Mapping[str, Any], interpreters: Mapping[str, str]
) -> Iterator[Argument]:
    """The arguments in the order of the parameters; those that were not given are missing."""
    for name in [*interpreters, *(other for other in arguments if other not in interpreters)]:
        if name in arguments:
            yield _argument(name, arguments[name], interpreters.get(name, '"String"'))
        else:
            yield Argument(name, NOT_GIVEN)


def _argument(name: str, value: object, interpreter: str) -> Argument:
    source = parse(interpreter)
    form = evaluate(source.expressions[0]) if source.expressions else "String"
    interpreting = Interpreting()
    interpreting.schema(form)
    if interpreting.note():
        return Argument(name, f"Interpreter[{interpreter}][{literal(value)}]", is_interpreted=True)
    return Argument(name, _chosen(form, value) or literal(value))


def _chosen(form: object, value: object) -> str | None:
    """What a choice stands for: the right side of its rule."""
    rules: list[tuple[object, object]] = []
    if isinstance(form, Mapping):
        rules = list(form.items())
    elif isinstance(form, list):
        rules = [(one.key, one.value) for one in form if isinstance(one, Rule)]
    for label, meaning in rules:
        if label == value and type(label) is type(value):
            return literal(meaning)
    return None
