"""Definitions of Wolfram Language symbols as Markdown, for the `SymbolDefinition` tool.

Definitions are read from a kernel and formatted with short names where they are unambiguous.
Definitions are never evaluated.
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
    SymbolReader,
    find_contexts,
    get_attributes,
    is_known_symbol,
)
from paddock.toolkits.wolfram.tools import DEFAULT_MAX_CHARACTERS
from paddock.wolfram import (
    Atom,
    Node,
    call,
    escape_private_characters,
    format_expression,
    parse_strict,
    symbol,
    walk,
)
from paddock.wolfram.expressions import is_atom

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from paddock.authoring.context import Context
    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import EvaluationControl, EvaluationResult
    from paddock.toolkits.wolfram.symbol_values import AskKernel, SymbolDefinition, SymbolValues
    from paddock.toolkits.wolfram.tools import WolframSymbolArguments
    from paddock.wolfram import Expression


# Shown instead of engine code, which is not written in the Wolfram Language.
KERNEL_FUNCTION_CODE = '"<kernel function>"'
SIMPLIFIED_NOTE = "(* simplified: the engine does not keep this pattern in its original form *)"
_LITERAL_HEADS = ("List", "Association", "Rule", "Rational", "Complex", "Times", "Power", "Missing")
_PATTERN_HEADS = ("Blank", "BlankSequence", "BlankNullSequence")
_FUNCTION_ATTRIBUTES = frozenset(
    {"HoldAll", "HoldFirst", "HoldRest", "HoldAllComplete", "Listable", "NumericFunction", "Flat"}
    | {"Orderless", "OneIdentity", "SequenceHold", "NHoldAll", "NHoldFirst", "NHoldRest"}
)
"""Attributes that functions have, but not variables or constants."""
LOOKUP_TIMEOUT_SECONDS = 60.0
MAX_CANDIDATES = 5
_SYMBOL_NAME_PATTERN = re.compile(
    r"(?:[^\W\d_$]|\$)(?:[^\W_]|\$)*(?:`(?:[^\W\d_$]|\$)(?:[^\W_]|\$)*)*"
)
_KERNEL_FUNCTIONS_BY_TEST = {
    "HasOwnCodeQ": "{name} := {code}",
    "HasDownCodeQ": "{name}[___] := {code}",
    "HasSubCodeQ": "{name}[___][___] := {code}",
    "HasUpCodeQ": "{name} /: _[___, {name}, ___] := {code}",
    "HasPrintCodeQ": "Format[{name}[___]] := {code}",
}
"""Placeholders for engine code, keyed by the function that tests a symbol for such code."""
# In these engines, `Names` does not list all symbols, so a missing name proves nothing. In other
# engines, querying the definitions of a missing symbol would create it, so `Names` is checked
# first.
_PARTIAL_NAMES_ENGINES = ("woxi",)


def _build_definitions(name: str, values: SymbolValues, *, is_built_in: bool) -> list[Expression]:
    """Return expressions that recreate a symbol: its attributes and all of its definitions.

    For example, `Attributes[f] = {Flat}` and `f[x_] := x^2`.

    Args:
        name: The name of the symbol.
        values: The attributes and definitions that the kernel returned.
        is_built_in: Whether the engine itself defines the symbol. Such symbols get a placeholder
            for the engine's code, which is not written in the Wolfram Language.
    """
    definitions: list[Expression] = []
    if values.attributes:
        attributes = call("List", *map(symbol, values.attributes))
        definitions.append(call("Set", call("Attributes", symbol(name)), attributes))
    if is_built_in:
        definitions.append(_guess_engine_placeholder(name, values))
    for definition in values.definitions:
        definitions.append(_build_assignment(name, definition))
        if definition.is_simplified:
            definitions.append(_make_text(SIMPLIFIED_NOTE))
    return [*definitions, *(_make_text(text) for text in values.unparsed)]


def _make_text(text: str) -> Expression:
    """Return an expression that is displayed as the given text, such as a comment."""
    return Atom("error", text)


def _guess_engine_placeholder(name: str, values: SymbolValues) -> Expression:
    """Return a placeholder for a built-in symbol's code in an engine other than Wolfram's.

    These engines cannot report whether a symbol has code, so the choice is based on attributes and
    options, most of which only functions have. If neither is conclusive, a comment is returned.
    """
    short = name.rpartition("`")[2]
    if short.startswith("$"):
        return _build_kernel_function("HasOwnCodeQ", name)
    has_options = any(definition.kind == "Options" for definition in values.definitions)
    is_constant = "Constant" in values.attributes
    if not is_constant and (_FUNCTION_ATTRIBUTES & {*values.attributes} or has_options):
        return _build_kernel_function("HasDownCodeQ", name)
    return _make_text(f"(* {short} is built into the engine *)")


def _build_kernel_function(code_test: str, name: str) -> Expression:
    """Return a placeholder for engine code, such as `f[___] := "<kernel function>"`."""
    template = _KERNEL_FUNCTIONS_BY_TEST[code_test]
    return parse_strict(template.format(name=name, code=KERNEL_FUNCTION_CODE))[0]


def _build_assignment(name: str, definition: SymbolDefinition) -> Expression:
    """Return the assignment that recreates a definition, such as `f[x_] := x^2`.

    The operator in the session's code is used if it is known. Otherwise, it is `:=`, or `=` for
    plain values, where both mean the same and `=` is easier to read.
    """
    left, right = definition.left, definition.right
    if definition.kind == "UpValues":
        return call("TagSetDelayed", symbol(name), left, right)
    if definition.kind in ("Options", "Messages"):
        return call("Set", left, right)
    operator = definition.operator or ("Set" if _is_plain_value(left, right) else "SetDelayed")
    return call(operator, left, right)


def _is_plain_value(left: Expression, right: Expression) -> bool:
    """Return True if a definition has the same meaning with `=` as with `:=`.

    This is certain if the left side has no patterns and the right side consists of literals.
    """
    if any(isinstance(part, Atom) and part.text in _PATTERN_HEADS for part in walk(left)):
        return False
    return all(
        isinstance(part, Node) or part.kind in ("number", "string") or part.text in _LITERAL_HEADS
        for part in walk(right)
    )


class _SymbolNames:
    """The symbols in a set of definitions, by context, used to find unambiguous short names.

    A context is a namespace: the symbol ``Global`f`` is in the context ``Global` ``. The symbols of
    all definitions are added first. Then a name can be shortened if no other context contains it.
    """

    def __init__(self, system_symbols: frozenset[str]) -> None:
        self._system_symbols = system_symbols
        self.names_by_context: defaultdict[str, set[str]] = defaultdict(set)

    def add_symbols(self, expressions: Iterable[Expression]) -> None:
        """Add all symbols that occur in the expressions."""
        for expression in expressions:
            for part in walk(expression):
                if is_atom(part, "symbol"):
                    context, name = self._split_name(part.text)
                    self.names_by_context[context].add(name)

    def _split_name(self, text: str) -> tuple[str, str]:
        """Split a symbol's name into its context (the namespace) and its short name.

        Names without a context are resolved as in a new kernel: system symbols first, then
        `Global`.
        """
        context, separator, name = text.rpartition("`")
        if separator:
            return context + separator, name
        return ("System`" if text in self._system_symbols else "Global`"), text

    def shorten_names(self, expression: Expression) -> Expression:
        """Return an expression in which symbols have short names wherever these are unambiguous."""
        if isinstance(expression, Node):
            return Node(
                self.shorten_names(expression.head),
                [self.shorten_names(arg) for arg in expression.args],
                form=expression.form,
            )
        if expression.kind != "symbol" or "`" not in expression.text:
            return expression
        # Symbols from two contexts must not share a short name in the same answer.
        short = expression.text.rpartition("`")[2]
        context_count = sum(short in names for names in self.names_by_context.values())
        return symbol(short) if context_count <= 1 else expression


def show_wolfram_definitions(arguments: WolframSymbolArguments, ctx: Context) -> str:
    """Return the definitions of Wolfram Language symbols as Markdown.

    Raises:
        PaddockError: The session does not exist, or no kernel starts.
    """
    names = [name for part in arguments.symbols.split(",") if (name := part.strip())]
    if not names:
        raise ToolError("`symbols` contains no names", hint='as in symbols="f" or "f, Sin"')
    max_characters = arguments.max_length or 0
    if max_characters <= 0:
        max_characters = DEFAULT_MAX_CHARACTERS

    def look_up_symbols(control: EvaluationControl) -> str:
        with _open_lookup(ctx, arguments.session, control) as lookup:
            entries = [_look_up_symbol(name, lookup) for name in dict.fromkeys(names)]
            return _format_definitions(
                entries,
                max_characters,
                lookup,
                is_detailed=bool(arguments.include_context_details),
            )

    definitions = call_kernel(ctx, look_up_symbols, LOOKUP_TIMEOUT_SECONDS)
    ctx.raise_if_cancelled()
    return escape_private_characters(definitions)


class _LookupContext(NamedTuple):
    """The engine, its kernel and the session's definitions, for the symbols of one call."""

    engine: Engine
    ask_kernel: AskKernel
    session_definitions: SessionDefinitions

    @property
    def system_symbols(self) -> frozenset[str]:
        """Names of the symbols that the engine defines."""
        return get_system_names(self.engine, self.ask_kernel)

    @property
    def is_wolfram_kernel(self) -> bool:
        """True for Wolfram's own engine, which has functions that the others lack."""
        return self.engine.name == "wolfram"


class _SymbolEntry(NamedTuple):
    """The definitions of one symbol, or a message in `text` that explains why they are missing."""

    short_name: str
    text: str = ""
    definitions: Sequence[Expression] = ()


@contextlib.contextmanager
def _open_lookup(
    ctx: Context, session: str | None, control: EvaluationControl
) -> Generator[_LookupContext]:
    """Open the kernel where symbols are looked up, for a `with` block.

    It is the kernel of the session that the call names, or else of the session that the caller
    used last. If there is no such session or it is empty, a new kernel without definitions is used.

    Raises:
        ToolError: The session that the call names does not exist, or no engine is installed.
    """
    limits = EvaluationLimits(seconds=LOOKUP_TIMEOUT_SECONDS)

    def create_ask_kernel(evaluate: Callable[..., EvaluationResult]) -> AskKernel:
        return lambda code: evaluate(code, limits, control).result

    session_id = session or get_latest_session(ctx)
    if session_id is not None:
        engine = get_session_engine(session_id) or get_configured_engine(ctx)
        with get_shared_session_manager().open_session(
            session_id, engine, seconds=LOOKUP_TIMEOUT_SECONDS, control=control
        ) as opened_session:
            if opened_session.entries:
                # Uncommitted entries were rolled back.
                codes = [entry.code for entry in opened_session.entries if entry.is_committed]
                ask_kernel = create_ask_kernel(opened_session.evaluate_unrecorded)
                yield _LookupContext(engine, ask_kernel, SessionDefinitions(codes))
                return
        if session is not None:
            raise ToolError(
                f"the session {session!r} does not exist",
                hint="give an id from a result of WolframLanguageEvaluator, or none",
            )
    engine = get_configured_engine(ctx)
    if "evaluation" not in engine.capabilities:
        raise ToolError(
            "No Wolfram Language engine is installed",
            hint="`paddock engines` shows how to install one",
        )
    with open_kernel(engine, limits) as kernel:
        yield _LookupContext(engine, create_ask_kernel(kernel.evaluate), SessionDefinitions())


def _look_up_symbol(name: str, lookup: _LookupContext) -> _SymbolEntry:
    """Return the definitions of one symbol, or a message if they cannot be shown.

    The name is validated before it becomes part of code for the kernel.
    """
    short = name.rpartition("`")[2] or name
    if not _SYMBOL_NAME_PATTERN.fullmatch(name):
        return _SymbolEntry(short, f"Error: Invalid symbol name {name!r}")
    name = name.removeprefix("System`" if short in lookup.system_symbols else "Global`")
    is_known = (
        name in lookup.system_symbols
        or name in lookup.session_definitions.symbol_names
        or is_known_symbol(name, lookup.ask_kernel)
    )
    if not is_known and lookup.engine.name not in _PARTIAL_NAMES_ENGINES:
        return _SymbolEntry(short, _format_unknown_symbol(name, short, lookup))
    attributes = get_attributes(name, lookup.ask_kernel)
    # A locked symbol's attributes cannot be changed, so ReadProtected cannot be removed during
    # the query.
    if {"Locked", "ReadProtected"} <= {*attributes}:
        return _SymbolEntry(
            short, f"Error: {name} is Locked and ReadProtected: its definitions cannot be shown"
        )
    is_protected = lookup.is_wolfram_kernel and "ReadProtected" in attributes
    reader = SymbolReader(
        name, lookup.ask_kernel, lookup.session_definitions, is_protected=is_protected
    )
    values = reader.read_values(attributes)
    if not is_known and not any(values):
        return _SymbolEntry(short, _format_unknown_symbol(name, short, lookup))
    return _SymbolEntry(short, "", _list_definitions(name, values, lookup))


def _list_definitions(name: str, values: SymbolValues, lookup: _LookupContext) -> list[Expression]:
    """Return a symbol's definitions, with placeholders for code that is part of the engine.

    A Wolfram kernel reports which symbols have such code. For other engines, the placeholder is a
    guess.
    """
    if lookup.is_wolfram_kernel:
        definitions = _build_definitions(name, values, is_built_in=False)
        return definitions + _query_kernel_placeholders(name, lookup.ask_kernel)
    return _build_definitions(name, values, is_built_in=name in lookup.system_symbols)


def _query_kernel_placeholders(name: str, ask: AskKernel) -> list[Expression]:
    """Return placeholders for the code of a symbol that is built into a Wolfram kernel.

    The kernel is queried with tests such as ``System`Private`HasOwnCodeQ``, which return True if
    the kernel has code of that kind.
    """
    tests = ", ".join(f"System`Private`{test}[{name}]" for test in _KERNEL_FUNCTIONS_BY_TEST)
    flags = re.findall(r"True|False", ask(f"{{{tests}}}") or "")
    return [
        _build_kernel_function(test, name)
        for test, flag in zip(_KERNEL_FUNCTIONS_BY_TEST, flags, strict=False)
        if flag == "True"
    ]


def _format_unknown_symbol(name: str, short: str, lookup: _LookupContext) -> str:
    """Return the error message for an unknown symbol.

    It suggests symbols with the same short name in the kernel's other contexts (namespaces).
    """
    text = f"Error: The symbol {name} does not exist"
    candidates = [f"{context}{short}" for context in find_contexts(short, lookup.ask_kernel)]
    candidates = [candidate for candidate in candidates if candidate != name][:MAX_CANDIDATES]
    if not candidates:
        return text
    return f"{text}\n\nDid you mean one of these?\n\n```wl\n" + "\n".join(candidates) + "\n```"


def _format_definitions(
    entries: list[_SymbolEntry], max_characters: int, lookup: _LookupContext, *, is_detailed: bool
) -> str:
    """Return symbol definitions as Markdown, with short names wherever these are unambiguous.

    Args:
        entries: The definitions of each symbol, or the reason why they are missing.
        max_characters: The maximum number of characters of code for each symbol.
        lookup: The engine and its kernel.
        is_detailed: Whether to append the names of all symbols in the code, by context, as JSON.
    """
    names = _SymbolNames(lookup.system_symbols)
    for entry in entries:
        names.add_symbols(entry.definitions)
    parts = [_format_symbol_section(entry, names, max_characters) for entry in entries]
    if is_detailed and names.names_by_context:
        sorted_names = {
            context: sorted(short_names)
            for context, short_names in sorted(names.names_by_context.items())
        }
        text = json.dumps(sorted_names, indent=2, ensure_ascii=False)
        parts.append(f"## Contexts\n\n```json\n{text}\n```")
    return "\n\n".join(parts)


def _format_symbol_section(entry: _SymbolEntry, names: _SymbolNames, max_characters: int) -> str:
    """Return the Markdown section about one symbol, with a limited number of characters of code."""
    title = f"# {entry.short_name}"
    if entry.text:
        return f"{title}\n\n{entry.text}"
    if not entry.definitions:
        return f"{title}\n\nNo definitions found"
    text = "\n\n".join(
        format_expression(names.shorten_names(definition)) for definition in entry.definitions
    )
    if len(text) > max_characters:
        note = f"[truncated, showing {max_characters}/{len(text)} characters]"
        text = f"{text[:max_characters]}\n... {note}"
    return f"{title}\n\n## Definition\n\n```wl\n{text}\n```"
