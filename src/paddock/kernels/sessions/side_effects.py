"""Detection of side effects in Wolfram Language code, to decide what may be replayed.

Only the code is examined. An evaluation has side effects if it names a function that accesses
files, programs or the network, or whose value differs each time (random numbers, the time), or a
symbol whose definition does so. Merely defining such a symbol is not a side effect. In case of
doubt, code counts as having side effects: the only cost is an unnecessary state file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram import Atom, Node, has_head, iter_assignments, iter_statements, parse, walk

if TYPE_CHECKING:
    from paddock.wolfram import Expression

_EFFECT_PREFIXES = (
    "Random|Run|Import|Export|URL|HTTP|Cloud|Send|Socket|Link|Service|Web|Open|Write|Stream|Binary"
    "|File|External|Python|Start|Kill|System|Create|Copy|Rename|Input|Dialog|Choice|Install|Paclet"
    "|Parallel|Schedul|Session|Task|Persist|Local|Current|Memory|Read|Date|Time|Absolute|Audio"
    "|Video|Speak|Emit|Beep|Notebook|Front|Remote|Mail|Wolfram|Interpreter|Semantic|Entity"
    "|Geo|Databin|Initializ|Pause|Uncompress|Test|Verification|Set(?:Environment|File|Stream)"
    r"|Delete(?:File|Dir|Object|Perm|Search)|Find(?:File|List|Tex)|\$(?:Random|Process|Parent"
    r"|Session|Command|Script|Machine|User|Time|Now|Date|Host|Input|Memory|System)"
)
_EFFECT_NAMES = (
    "Get|Put|PutAppend|Save|DumpSave|Close|Skip|Find|Now|Today|Tomorrow|Yesterday|SeedRandom"
    "|Timing|RepeatedTiming|ToExpression|MakeExpression|Symbol|Environment|GetEnvironment|Once"
    "|BlockRandom"
)
_EFFECT_PATTERN = re.compile(rf"(?:{_EFFECT_PREFIXES})[A-Za-z0-9]*|(?:{_EFFECT_NAMES})")
_QUICK_EFFECT_PATTERN = re.compile(
    rf"(?<![A-Za-z0-9$])(?:(?:{_EFFECT_PREFIXES})|(?:{_EFFECT_NAMES})\b)|<<|>>|[A-Za-z]Data\b"
)
_DATA_FUNCTION = re.compile(r"[A-Z][A-Za-z]*Data")
_SYMBOL_NAME = re.compile(r"[$A-Za-z][$\w]*")
_DELAYED_HEADS = ("SetDelayed", "UpSetDelayed", "TagSetDelayed")
_CODE_HOLDING_HEADS = re.compile(
    r"Function|Hold\w*|Unevaluated|Defer|Inactiv\w+|RuleDelayed|Compile|Composition|\w*SetDelayed"
)
"""Heads that store code for later evaluation."""


class SideEffectScan:
    """Scan of one session's evaluations, in order.

    The order matters: a symbol can be defined with effectful code in one evaluation and used in a
    later one.
    """

    def __init__(self) -> None:
        self._effectful_symbols: set[str] = set()
        """Symbols whose definitions have side effects."""

    def has_side_effects(self, code: str) -> bool:
        """Return whether evaluating some code has side effects, such as writing a file.

        Called for all of a session's evaluations in order, because the code may use symbols that
        earlier code has defined. Code that cannot be parsed counts as having side effects.
        """
        # Most code can be ruled out quickly, without parsing it.
        uses_effectful_symbol = not self._effectful_symbols.isdisjoint(_SYMBOL_NAME.findall(code))
        if not uses_effectful_symbol and not _QUICK_EFFECT_PATTERN.search(code):
            return False
        source = parse(code)
        if source.problems:
            return True
        # The list is built before `any` is called, because each statement must be scanned: later
        # code may use its definitions.
        statement_effects = [
            self._has_statement_effects(statement)
            for expression in source.expressions
            for statement in iter_statements(expression)
        ]
        return any(statement_effects)

    def _has_statement_effects(self, statement: Expression) -> bool:
        """Return whether evaluating a statement has side effects.

        Symbols whose value or definition contains effectful code are remembered, because using
        them later has the side effect.
        """
        names = _collect_symbol_names(statement)
        if not self._has_effectful_name(names):
            return False
        # A delayed definition (`f[x_] := …`) does not evaluate its right-hand side now.
        is_delayed = isinstance(statement, Node) and any(
            has_head(statement, head) for head in _DELAYED_HEADS
        )
        if is_delayed:
            self._effectful_symbols |= _collect_defined_names(statement)
            return False
        # The value may contain the effectful function, as in `f = Function[x, Put[x]]`.
        is_code_stored = any(_CODE_HOLDING_HEADS.fullmatch(name) for name in names)
        if is_code_stored or self._passes_effectful_function(statement):
            self._effectful_symbols |= _collect_defined_names(statement) or {
                name for name in names if not _is_capitalized(name)
            }
        return True

    def _has_effectful_name(self, names: set[str]) -> bool:
        return any(
            name in self._effectful_symbols
            or _EFFECT_PATTERN.fullmatch(name)
            or _DATA_FUNCTION.fullmatch(name)
            for name in names
        )

    def _passes_effectful_function(self, part: Expression) -> bool:
        """Return whether a function with side effects is an argument, as `Put` in `f = g[Put]`.

        The statement does not call the function, but its value may contain it.
        """
        return any(
            isinstance(arg, Atom)
            and arg.kind == "symbol"
            and self._has_effectful_name({_strip_context(arg.text)})
            for node in walk(part)
            if isinstance(node, Node)
            for arg in node.args
        )


def _collect_symbol_names(expression: Expression) -> set[str]:
    return {
        _strip_context(atom.text)
        for atom in walk(expression)
        if isinstance(atom, Atom) and atom.kind == "symbol"
    }


def _collect_defined_names(part: Expression) -> set[str]:
    return {_strip_context(assignment.symbol.text) for assignment in iter_assignments(part)}


def _strip_context(name: str) -> str:
    return name.rpartition("`")[2]


def _is_capitalized(name: str) -> bool:
    return name.lstrip("$")[:1].isupper()
