"""Which evaluations do more than define something, and so must never be repeated unasked.

It is seen from the code alone: an evaluation that names a function which reaches outside of the
kernel (files, programs, the network), or gives something else each time (random numbers, the time),
has an effect; so has one that names a symbol whose definition does. What only defines such a symbol
has none. When in doubt there is one: what is lost by that is a state that need not have been saved.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram import Atom, Node, assignments, has_head, parse, statements, walk

if TYPE_CHECKING:
    from paddock.wolfram import Expression

_BEGINNINGS = (
    "Random|Run|Import|Export|URL|HTTP|Cloud|Send|Socket|Link|Service|Web|Open|Write|Stream|Binary"
    "|File|External|Python|Start|Kill|System|Create|Copy|Rename|Input|Dialog|Choice|Install|Paclet"
    "|Parallel|Schedul|Session|Task|Persist|Local|Current|Memory|Read|Date|Time|Absolute|Audio"
    "|Video|Speak|Emit|Beep|Notebook|Front|Remote|Mail|Wolfram|Interpreter|Semantic|Entity"
    "|Geo|Databin|Initializ|Pause|Uncompress|Test|Verification|Set(?:Environment|File|Stream)"
    r"|Delete(?:File|Dir|Object|Perm|Search)|Find(?:File|List|Tex)|\$(?:Random|Process|Parent"
    r"|Session|Command|Script|Machine|User|Time|Now|Date|Host|Input|Memory|System)"
)
_NAMES = (
    "Get|Put|PutAppend|Save|DumpSave|Close|Skip|Find|Now|Today|Tomorrow|Yesterday|SeedRandom"
    "|Timing|RepeatedTiming|ToExpression|MakeExpression|Symbol|Environment|GetEnvironment|Once"
    "|BlockRandom"
)
_EFFECT = re.compile(rf"(?:{_BEGINNINGS})[A-Za-z0-9]*|(?:{_NAMES})")
_LIKELY = re.compile(rf"(?<![A-Za-z0-9$])(?:(?:{_BEGINNINGS})|(?:{_NAMES})\b)|<<|>>|[A-Za-z]Data\b")
_DATA = re.compile(r"[A-Z][A-Za-z]*Data")
_NAME = re.compile(r"[$A-Za-z][$\w]*")
_DELAYED = ("SetDelayed", "UpSetDelayed", "TagSetDelayed")
_KEEPING = re.compile(
    r"Function|Hold\w*|Unevaluated|Defer|Inactiv\w+|RuleDelayed|Compile|Composition|\w*SetDelayed"
)
"""What keeps code for later."""


class Effects:
    """Looks at the evaluations of one session, from the first to the last."""

    def __init__(self) -> None:
        self._carriers: set[str] = set()
        """Symbols whose definitions have effects."""

    def are_in(self, code: str) -> bool:
        """Whether evaluating this code has an effect, after all that was asked about before."""
        if not _LIKELY.search(code) and self._carriers.isdisjoint(_NAME.findall(code)):
            return False
        source = parse(code)
        if source.problems:
            return True
        # Each part is looked at, for what it defines counts for those that follow.
        found = [self._is_in(part) for each in source.expressions for part in statements(each)]
        return any(found)

    def _is_in(self, part: Expression) -> bool:
        names = _names(part)
        if not self._reach(names):
            return False
        if isinstance(part, Node) and any(has_head(part, head) for head in _DELAYED):
            self._carriers |= _defined(part)
            return False
        if any(_KEEPING.fullmatch(name) for name in names) or self._has_bare(part):
            self._carriers |= _defined(part) or {name for name in names if not _is_capital(name)}
        return True

    def _reach(self, names: set[str]) -> bool:
        return any(
            name in self._carriers or _EFFECT.fullmatch(name) or _DATA.fullmatch(name)
            for name in names
        )

    def _has_bare(self, part: Expression) -> bool:
        """Whether a function with an effect is named and not called, so that a value may be it."""
        return any(
            isinstance(arg, Atom) and arg.kind == "symbol" and self._reach({_plain(arg.text)})
            for node in walk(part)
            if isinstance(node, Node)
            for arg in node.args
        )


def _names(expression: Expression) -> set[str]:
    return {
        _plain(found.text)
        for found in walk(expression)
        if isinstance(found, Atom) and found.kind == "symbol"
    }


def _defined(part: Expression) -> set[str]:
    return {_plain(each.symbol.text) for each in assignments(part)}


def _plain(name: str) -> str:
    return name.rpartition("`")[2]


def _is_capital(name: str) -> bool:
    return name.lstrip("$")[:1].isupper()
