"""Definitions as they are shown: readable, and with short names where these are clear.

What the tool `SymbolDefinition` does: definitions of symbols as Markdown, none evaluated.

What a kernel knows is asked by `symbol_values`, how it
is shown is told by `symbol_texts`.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.handler_errors import ToolError
from paddock.kernels.handler_calls import call_kernel
from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.sessions import get_shared_session_manager
from paddock.kernels.wolfram.engines import get_system_names
from paddock.toolkits.session_evaluation import get_latest_session, get_session_engine
from paddock.toolkits.wolfram.evaluator import get_configured_engine, open_kernel
from paddock.toolkits.wolfram.symbol_values import (
    SessionDefinitions,
    find_contexts,
    get_attributes,
    is_known_symbol,
    load_symbol_values,
)
from paddock.wolfram import (
    Atom,
    Node,
    call,
    escape_private_characters,
    format_expression,
    string,
    symbol,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from paddock.authoring.context import Context
    from paddock.kernels.engine import Engine
    from paddock.kernels.handler_calls import CancelCheck, ProgressCallback
    from paddock.kernels.kernel import EvaluationResult
    from paddock.toolkits.wolfram.symbol_values import AskKernel, SymbolDefinition, SymbolValues
    from paddock.wolfram import Expression


KERNEL_FUNCTION_TEXT = "<kernel function>"
"""What stands for code that is part of the engine."""
SIMPLIFIED_NOTE = (
    "(* a pattern in it is not shown: the engine does not have it as it was written *)"
)
_LITERAL_HEADS = ("List", "Association", "Rule", "Rational", "Complex", "Times", "Power", "Missing")
_PATTERN_HEADS = ("Blank", "BlankSequence", "BlankNullSequence")
_FUNCTION_ATTRIBUTES = frozenset(
    {"HoldAll", "HoldFirst", "HoldRest", "HoldAllComplete", "Listable", "NumericFunction", "Flat"}
    | {"Orderless", "OneIdentity", "SequenceHold", "NHoldAll", "NHoldFirst", "NHoldRest"}
)
"""Attributes that only functions have."""


def build_definitions(
    name: str, values: SymbolValues, *, is_built_in: bool
) -> list[Expression | str]:
    """All definitions of a symbol in order, as expressions, or as text where they are none.

    With `is_built_in` what the engine itself defines is told of as well.
    """
    shown: list[Expression | str] = []
    if values.attributes:
        names = [symbol(attribute) for attribute in values.attributes]
        shown.append(call("Set", call("Attributes", symbol(name)), call("List", *names)))
    if is_built_in:
        shown += _build_engine_code(name, values)
    for definition in values.definitions:
        shown.append(_build_assignment(name, definition))
        if definition.is_lowered:
            shown.append(SIMPLIFIED_NOTE)
    return [*shown, *values.unparsed]


def _build_engine_code(name: str, values: SymbolValues) -> list[Expression | str]:
    short = name.rpartition("`")[2]
    if short.startswith("$"):
        return [build_kernel_function("own", name)]
    has_options = any(definition.kind == "Options" for definition in values.definitions)
    is_constant = "Constant" in values.attributes
    if not is_constant and (_FUNCTION_ATTRIBUTES & {*values.attributes} or has_options):
        return [build_kernel_function("down", name)]
    return [f"(* {short} is built into the engine *)"]


def build_kernel_function(kind: str, name: str) -> Expression:
    """What stands for code of the engine: `f[___] := "<kernel function>"` and the like."""
    me = symbol(name)
    anything = call("BlankNullSequence")
    lefts: dict[str, Expression] = {
        "own": me,
        "down": call(me, anything),
        "sub": call(call(me, anything), anything),
        "up": call(call("Blank"), anything, me, anything),
        "format": call("Format", call(me, anything)),
    }
    code = string(KERNEL_FUNCTION_TEXT)
    if kind == "up":
        return call("TagSetDelayed", me, lefts[kind], code)
    return call("SetDelayed", lefts[kind], code)


def _build_assignment(name: str, definition: SymbolDefinition) -> Expression:
    left, right = definition.left, definition.right
    if definition.kind == "UpValues":
        return call("TagSetDelayed", symbol(name), left, right)
    if definition.kind in ("Options", "Messages"):
        return call("Set", left, right)
    operator = definition.operator or ("Set" if _is_plain_value(left, right) else "SetDelayed")
    return call(operator, left, right)


def _is_plain_value(left: Expression, right: Expression) -> bool:
    """Whether a definition is the same with `=` as with `:=`: a value, not a function."""
    if any(isinstance(part, Atom) and part.text in _PATTERN_HEADS for part in walk(left)):
        return False
    return all(
        isinstance(part, Node) or part.kind in ("number", "string") or part.text in _LITERAL_HEADS
        for part in walk(right)
    )


class SymbolNames:
    """The symbols in all that is shown, by context."""

    def __init__(self, system: frozenset[str], home: str = "Global`") -> None:
        self._system_symbols = system
        self._default_context = home
        self.names_by_context: defaultdict[str, set[str]] = defaultdict(set)

    def add_symbols(self, expressions: Iterable[Expression | str]) -> None:
        """Take note of all symbols in some expressions."""
        for expression in expressions:
            for part in walk(expression) if not isinstance(expression, str) else ():
                if isinstance(part, Atom) and part.kind == "symbol":
                    context, name = self._split_name(part.text)
                    self.names_by_context[context].add(name)

    def _split_name(self, text: str) -> tuple[str, str]:
        context, mark, name = text.rpartition("`")
        if mark:
            return context + mark, name
        return ("System`" if text in self._system_symbols else self._default_context), text

    def shorten_names(self, expression: Expression | str) -> Expression | str:
        """An expression with short names for all symbols whose names are clear."""
        if isinstance(expression, str):
            return expression
        if isinstance(expression, Node):
            return Node(
                _to_expression(self.shorten_names(expression.head)),
                [_to_expression(self.shorten_names(arg)) for arg in expression.args],
                form=expression.form,
            )
        if expression.kind != "symbol" or "`" not in expression.text:
            return expression
        short = expression.text.rpartition("`")[2]
        having = [names for names in self.names_by_context.values() if short in names]
        return symbol(short) if len(having) <= 1 else expression


def _to_expression(shortened: Expression | str) -> Expression:
    return symbol(shortened) if isinstance(shortened, str) else shortened


def format_definitions(shown: Iterable[Expression | str]) -> str:
    """Definitions as text, with a blank line between two of them."""
    return "\n\n".join(one if isinstance(one, str) else format_expression(one) for one in shown)


LOOKUP_TIMEOUT_SECONDS = 60.0
MAX_CANDIDATES = 5
_SYMBOL_NAME_PATTERN = re.compile(
    r"(?:[^\W\d_$]|\$)(?:[^\W_]|\$)*(?:`(?:[^\W\d_$]|\$)(?:[^\W_]|\$)*)*"
)
_CODE_KINDS = ("own", "down", "sub", "up", "format")
_CODE_TESTS = ("HasOwnCodeQ", "HasDownCodeQ", "HasSubCodeQ", "HasUpCodeQ", "HasPrintCodeQ")
"""What a Wolfram kernel answers for each of them."""
_PARTIAL_NAMES_ENGINES = ("woxi",)
"""Engines whose `Names` leaves out symbols. In the others, to look at a symbol makes it."""


def look_up_symbols(
    ctx: Context, names: Sequence[str], session: str | None, length: int, *, is_detailed: bool
) -> str:
    """What is defined for symbols, as Markdown, with at most `length` characters of each.

    Raises:
        PaddockError: when there is no such session, no engine, or its kernel does not start.
    """

    def work(is_cancelled: CancelCheck, on_wait: ProgressCallback) -> str:
        with _open_lookup(ctx, session, is_cancelled, on_wait) as place:
            found = [_look_up_symbol(name, place) for name in dict.fromkeys(names)]
            return _format_answer(found, length, place, is_detailed=is_detailed)

    return escape_private_characters(call_kernel(ctx, work, LOOKUP_TIMEOUT_SECONDS))


class _LookupContext(NamedTuple):
    """Where definitions are looked up."""

    engine: Engine
    ask_kernel: AskKernel
    session_definitions: SessionDefinitions

    @property
    def system_symbols(self) -> frozenset[str]:
        """The engine's own symbols."""
        return get_system_names(self.engine, self.ask_kernel)


class _SymbolEntry(NamedTuple):
    """What there is to show of one symbol."""

    short_name: str
    text: str = ""
    definitions: tuple[Expression | str, ...] = ()


@contextlib.contextmanager
def _open_lookup(
    ctx: Context, session: str | None, is_cancelled: CancelCheck, on_wait: ProgressCallback
) -> Iterator[_LookupContext]:
    """A session's kernel, or one without definitions."""
    limits = EvaluationLimits(seconds=LOOKUP_TIMEOUT_SECONDS)

    def create_ask(evaluate: Callable[..., EvaluationResult]) -> AskKernel:
        def ask(code: str) -> str | None:
            return evaluate(code, limits, is_cancelled=is_cancelled, on_wait=on_wait).result

        return ask

    wanted = session or get_latest_session(ctx)
    if wanted is not None:
        engine = get_session_engine(wanted) or get_configured_engine(ctx)
        with get_shared_session_manager().open_session(
            wanted,
            engine,
            seconds=LOOKUP_TIMEOUT_SECONDS,
            is_cancelled=is_cancelled,
            on_wait=on_wait,
        ) as opened:
            if opened.entries:
                codes = [entry.code for entry in opened.entries if entry.is_committed]
                yield _LookupContext(
                    engine, create_ask(opened.evaluate_unrecorded), SessionDefinitions(codes)
                )
                return
        if session is not None:
            raise ToolError(
                f"There is no session {session!r}",
                hint="give the id from an answer of WolframLanguageEvaluator, or none",
            )
    engine = get_configured_engine(ctx)
    if "evaluation" not in engine.capabilities:
        raise ToolError(
            "There is no Wolfram Language engine here, so nothing has a definition",
            hint="paddock engines says how to get one",
        )
    with open_kernel(engine, limits) as kernel:
        yield _LookupContext(engine, create_ask(kernel.evaluate), SessionDefinitions())


def _look_up_symbol(name: str, place: _LookupContext) -> _SymbolEntry:
    short = name.rpartition("`")[2] or name
    if not _SYMBOL_NAME_PATTERN.fullmatch(name):
        return _SymbolEntry(short, f"Error: Invalid symbol name {name!r}")
    name = name.removeprefix("System`" if short in place.system_symbols else "Global`")
    is_system = name in place.system_symbols
    is_there = (
        is_system
        or name in place.session_definitions.symbol_names
        or is_known_symbol(name, place.ask_kernel)
    )
    if not is_there and place.engine.name not in _PARTIAL_NAMES_ENGINES:
        return _SymbolEntry(short, _format_unknown_symbol(name, short, place))
    attributes = get_attributes(name, place.ask_kernel)
    if {"Locked", "ReadProtected"} <= {*attributes}:
        return _SymbolEntry(
            short, f"Error: {name} is Locked and ReadProtected: its definitions cannot be shown"
        )
    is_wolfram = place.engine.name == "wolfram"
    values = load_symbol_values(
        name,
        place.ask_kernel,
        place.session_definitions,
        is_protected=is_wolfram and "ReadProtected" in attributes,
    )
    if not is_there and not (values.definitions or values.attributes or values.unparsed):
        return _SymbolEntry(short, _format_unknown_symbol(name, short, place))
    return _SymbolEntry(
        short, "", tuple(_list_definitions(name, values, place, is_system=is_system))
    )


def _list_definitions(
    name: str, values: SymbolValues, place: _LookupContext, *, is_system: bool
) -> list[Expression | str]:
    is_wolfram = place.engine.name == "wolfram"
    shown = build_definitions(name, values, is_built_in=is_system and not is_wolfram)
    if not is_wolfram:
        return shown
    answer = place.ask_kernel(
        f"{{{', '.join(f'System`Private`{test}[{name}]' for test in _CODE_TESTS)}}}"
    )
    has = re.findall(r"True|False", answer or "")
    return shown + [
        build_kernel_function(kind, name)
        for kind, told in zip(_CODE_KINDS, has, strict=False)
        if told == "True"
    ]


def _format_unknown_symbol(name: str, short: str, place: _LookupContext) -> str:
    text = f"Error: The symbol {name} does not exist"
    others = [f"{context}{short}" for context in find_contexts(short, place.ask_kernel)]
    others = [other for other in others if other != name][:MAX_CANDIDATES]
    if not others:
        return text
    return f"{text}\n\nDid you mean one of these?\n\n```wl\n" + "\n".join(others) + "\n```"


def _format_answer(
    found: list[_SymbolEntry], length: int, place: _LookupContext, *, is_detailed: bool
) -> str:
    names = SymbolNames(place.system_symbols)
    for one in found:
        names.add_symbols(one.definitions)
    parts = [_format_entry(one, names, length) for one in found]
    if is_detailed and names.names_by_context:
        table = {
            context: sorted(names.names_by_context[context])
            for context in sorted(names.names_by_context)
        }
        text = json.dumps(table, indent=2, ensure_ascii=False)
        parts.append(f"## Contexts\n\n```json\n{text}\n```")
    return "\n\n".join(parts)


def _format_entry(one: _SymbolEntry, names: SymbolNames, length: int) -> str:
    title = f"# {one.short_name}"
    if one.text:
        return f"{title}\n\n{one.text}"
    if not one.definitions:
        return f"{title}\n\nNo definitions found"
    text = format_definitions(names.shorten_names(each) for each in one.definitions)
    if len(text) > length:
        text = f"{text[:length]}\n... [truncated, showing {length}/{len(text)} characters]"
    return f"{title}\n\n## Definition\n\n```wl\n{text}\n```"
