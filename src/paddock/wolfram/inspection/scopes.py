"""Rules on local names: of `Module` and the like, of functions, and of patterns.

During the walk the scopes are written down; who uses what is told afterwards, from the places of
all symbols.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head, walk
from paddock.wolfram.inspection.control import has_patterns
from paddock.wolfram.inspection.inspecting import Edit, start_of
from paddock.wolfram.inspection.rule import Rule, as_code
from paddock.wolfram.inspection.scope import Scope, Variable, pattern_names
from paddock.wolfram.inspection.spans import Spans, count_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspecting import Afterwards, Check, Inspection

UNUSED_VARIABLE = Rule(
    "UnusedVariable",
    "Scoping",
    0.95,
    "a local variable that is not used; less sure (70%) in `Block`, whose variables others may use",
)
UNUSED_PARAMETER = Rule(
    "UnusedParameter",
    "Scoping",
    0.85,
    "a parameter of a function, or a named pattern of a definition or rule, that is not used",
)
SHADOWED_VARIABLE = Rule(
    "ShadowedVariable", "Scoping", 0.95, "a local variable that hides another local name"
)
SHADOWED_PARAMETER = Rule(
    "ShadowedParameter", "Scoping", 0.95, "a parameter or pattern that hides another local name"
)
LEAKED_VARIABLE = Rule(
    "LeakedVariable",
    "Scoping",
    0.75,
    "an assignment in a `Module` to a symbol that is not local and is used nowhere else",
)
DUPLICATE_VARIABLES = Rule(
    "DuplicateVariables", "Error", 0.95, "the same variable twice in one list"
)
VARIABLE_ERROR = Rule(
    "VariableError",
    "Error",
    0.9,
    "an element of a list of variables that is none, and a variable of `With` without a value",
)
NO_VARIABLES = Rule("NoVariables", "Remark", 0.9, "`Module[{}, …]` and the like")
WITH_ASSIGNMENT = Rule(
    "WithAssignment", "Error", 0.85, "an assignment to a variable of `With`, which is a constant"
)
SIBLING_INITIAL = Rule(
    "SiblingInitial",
    "Warning",
    0.9,
    "an initial value with a variable of the same list, as in `Module[{a = 1, b = a}, …]`: it is "
    "not the local one",
)
RULES = (
    *(UNUSED_VARIABLE, UNUSED_PARAMETER, SHADOWED_VARIABLE, SHADOWED_PARAMETER, LEAKED_VARIABLE),
    *(DUPLICATE_VARIABLES, VARIABLE_ERROR, NO_VARIABLES, WITH_ASSIGNMENT, SIBLING_INITIAL),
)

_UNSURE_IN_BLOCK = 0.7
_MOST_LOOKED_THROUGH = 10_000
"""How many characters of an initial value."""
_ITERATING = (
    *("Table", "Do", "Sum", "Product", "Plot", "Plot3D", "Manipulate", "Array", "ParallelTable"),
    *("ParallelDo", "ParallelSum", "NSum", "NIntegrate", "Integrate", "ListPlot", "LogPlot"),
)
_LISTS = ("Module", "Block", "With", "DynamicModule", "InheritedBlock", "Internal`InheritedBlock")
_KEPT = ("Unevaluated", "Symbol", "ToExpression", "HoldPattern")


def _variables(inspection: Inspection, node: Node) -> None:
    kind = node.head.text if isinstance(node.head, Atom) else ""
    if len(node.args) < 2 or has_patterns(node.args):
        return
    lists = [node.args[0]]
    if kind == "With":
        lists = node.args[:-1]
    found: list[Variable] = []
    for place, listed in enumerate(lists):
        if not isinstance(listed, Node) or not has_head(listed, "List"):
            return
        if not listed.args and place == 0:
            inspection.report(
                NO_VARIABLES, node.start, listed.end, f"`{kind}` has no variables.", argument=kind
            )
        declared = list(_declared(inspection, kind, listed))
        _duplicates(inspection, kind, declared)
        found += declared
    inspection.scopes.append(Scope(kind, node, found))


def _declared(inspection: Inspection, kind: str, listed: Node) -> Iterator[Variable]:
    for element in listed.args:
        if isinstance(element, Node) and _is_set(element):
            inspection.initial_values.add(id(element))
            name, initial = element.args[0], element.args[1]
            if isinstance(name, Atom) and name.kind == "symbol":
                yield Variable(name.text, start_of(name, inspection.text), initial)
        elif isinstance(element, Atom) and element.kind == "symbol" and element.end > element.start:
            if kind == "With":
                _no_variable(inspection, kind, element, "has no value")
            yield Variable(element.text, start_of(element, inspection.text))
        elif _is_surely_none(element):
            _no_variable(inspection, kind, element, "is no variable")


def _is_set(element: Node) -> bool:
    return isinstance(element.head, Atom) and (
        element.head.text in ("Set", "SetDelayed") and len(element.args) == 2
    )


def _is_surely_none(element: Expression) -> bool:
    if isinstance(element, Atom):
        return element.kind in ("string", "number")
    return isinstance(element.head, Atom) and element.head.text in (
        *("Equal", "Rule", "RuleDelayed", "List", "Plus", "Times", "Part", "CompoundExpression"),
    )


def _no_variable(inspection: Inspection, kind: str, element: Expression, what: str) -> None:
    inspection.report_at(
        VARIABLE_ERROR,
        element,
        f"{as_code(inspection.code(element))} in the list of `{kind}` {what}.",
        argument=kind,
    )


def _duplicates(inspection: Inspection, kind: str, declared: list[Variable]) -> None:
    seen: set[str] = set()
    for variable in declared:
        if variable.name in seen:
            inspection.report(
                DUPLICATE_VARIABLES,
                variable.start,
                variable.end,
                f"`{kind}` has {as_code(variable.name)} twice.",
                argument=kind,
            )
        seen.add(variable.name)


def _function(inspection: Inspection, node: Node) -> None:
    if len(node.args) < 2:
        return
    first = node.args[0]
    listed = first.args if isinstance(first, Node) and has_head(first, "List") else [first]
    names = [
        Variable(name.text, start_of(name, inspection.text))
        for name in listed
        if isinstance(name, Atom) and name.kind == "symbol" and name.text not in ("Null", "None")
    ]
    if names:
        inspection.scopes.append(Scope("Function", node, names))


def _patterns(inspection: Inspection, node: Node) -> None:
    if len(node.args) < 2:
        return
    left = node.args[-2]
    if isinstance(left, Atom):
        return
    head = node.head.text if isinstance(node.head, Atom) else ""
    names = [
        Variable(name.text, name.start)
        for name in pattern_names(left)
        if name.kind == "symbol" and name.start >= 0
    ]
    if names:
        inspection.scopes.append(Scope(head, node, names, is_pattern=True))


def _iterators(inspection: Inspection, node: Node) -> None:
    names = [
        Variable(arg.args[0].text, arg.args[0].start)
        for arg in node.args[1:]
        if isinstance(arg, Node) and has_head(arg, "List") and arg.args
        if isinstance(arg.args[0], Atom) and arg.args[0].kind == "symbol"
    ]
    if names:
        inspection.scopes.append(Scope("iterator", node, names))


def _unused(inspection: Inspection) -> None:
    for scope in inspection.scopes:
        if scope.kind == "iterator":
            continue
        declared = Counter(variable.name for variable in scope.variables)
        unused = [
            variable
            for variable in {variable.name: variable for variable in scope.variables}.values()
            if not _is_used(inspection, scope, variable, declared[variable.name])
        ]
        boxes = _boxes(inspection, scope) if unused else ""
        for variable in unused:
            if variable.name not in boxes:
                _report_unused(inspection, scope, variable)


def _is_used(inspection: Inspection, scope: Scope, variable: Variable, declared: int) -> bool:
    places = inspection.symbols.get(variable.name, [])
    uses = count_within(places, scope.node.start, scope.node.end) - declared
    if variable.initial is not None:
        uses -= count_within(places, variable.initial.start, variable.initial.end)
    return uses > 0 or (scope.is_pattern and declared > 1)


def _boxes(inspection: Inspection, scope: Scope) -> str:
    """What follows the first box syntax in a scope: names may stand there, unread."""
    at = inspection.text.find("\\(", scope.node.start, scope.node.end)
    return inspection.text[at : scope.node.end] if at >= 0 else ""


def _report_unused(inspection: Inspection, scope: Scope, variable: Variable) -> None:
    is_parameter = scope.is_pattern or scope.kind == "Function"
    rule = UNUSED_PARAMETER if is_parameter else UNUSED_VARIABLE
    what = "parameter" if is_parameter else "variable"
    edits = []
    if scope.is_pattern and inspection.text.startswith("_", variable.end):
        edits.append(
            Edit(f"Remove the name {as_code(variable.name)}", variable.start, variable.end, "")
        )
    inspection.report(
        rule,
        variable.start,
        variable.end,
        f"The {what} {as_code(variable.name)} of this `{scope.kind}` is not used.",
        argument=scope.kind,
        confidence=_UNSURE_IN_BLOCK if scope.kind.endswith("Block") else None,
        edits=edits,
    )


def _shadowed(inspection: Inspection) -> None:
    scopes = sorted(inspection.scopes, key=lambda scope: (scope.node.start, -scope.node.end))
    around: list[Scope] = []
    names: dict[str, list[Scope]] = {}
    for scope in scopes:
        while around and around[-1].node.end <= scope.node.start:
            for name in {variable.name for variable in around.pop().variables}:
                names[name].pop()
        for name, variable in {variable.name: variable for variable in scope.variables}.items():
            outer = names.setdefault(name, [])
            if outer and not _is_meant(inspection, scope, variable):
                _report_shadowed(inspection, scope, variable, outer[-1])
            outer.append(scope)
        around.append(scope)


def _is_meant(inspection: Inspection, scope: Scope, variable: Variable) -> bool:
    """`Module[{x = x}, …]` says that it hides, and an iterator hides for a moment."""
    initial, places = variable.initial, inspection.symbols.get(variable.name, [])
    return scope.kind == "iterator" or (
        initial is not None and count_within(places, initial.start, initial.end) > 0
    )


def _report_shadowed(
    inspection: Inspection, scope: Scope, variable: Variable, outer: Scope
) -> None:
    is_parameter = scope.is_pattern or scope.kind == "Function"
    line, _ = inspection.source.position(outer.node.start)
    inspection.report(
        SHADOWED_PARAMETER if is_parameter else SHADOWED_VARIABLE,
        variable.start,
        variable.end,
        f"{as_code(variable.name)} hides the one of the `{outer.kind}` in line {line}.",
        argument=scope.kind,
    )


def _leaked(inspection: Inspection) -> None:
    modules = Spans()
    for scope in inspection.scopes:
        if scope.kind == "Module":
            modules.add(scope.node.start, scope.node.end)
    scopes = _by_name(inspection)
    tops = sorted((one.start, one.end) for one in inspection.source.expressions)
    starts = [start for start, _ in tops]
    for name, places in inspection.assigned.items():
        if not name[:1].islower() or "`" in name:
            continue
        start, end = tops[max(bisect_right(starts, places[0]) - 1, 0)]
        everywhere = inspection.symbols.get(name, [])
        if count_within(everywhere, start, end) != len(everywhere):
            continue
        for at, around in _innermost(scopes.get(name, []), places):
            if around is None and modules.covers(at):
                inspection.report(
                    LEAKED_VARIABLE,
                    at,
                    at + len(name),
                    f"{as_code(name)} is not local, and used nowhere else.",
                )
                break


def _by_name(inspection: Inspection) -> dict[str, list[Scope]]:
    """The scopes that each name is local to, the outer before the inner."""
    scopes: dict[str, list[Scope]] = {}
    for scope in sorted(inspection.scopes, key=lambda scope: (scope.node.start, -scope.node.end)):
        for name in {variable.name for variable in scope.variables}:
            scopes.setdefault(name, []).append(scope)
    return scopes


def _innermost(scopes: list[Scope], places: list[int]) -> Iterator[tuple[int, Scope | None]]:
    """For each place the innermost of the scopes that hold it."""
    around: list[Scope] = []
    waiting = iter(scopes)
    following = next(waiting, None)
    for at in sorted(places):
        while following is not None and following.node.start <= at:
            while around and around[-1].node.end <= following.node.start:
                around.pop()
            around.append(following)
            following = next(waiting, None)
        while around and around[-1].node.end <= at:
            around.pop()
        yield at, around[-1] if around else None


def _assigned_constants(inspection: Inspection) -> None:
    names = {
        variable.name
        for scope in inspection.scopes
        if scope.kind == "With"
        for variable in scope.variables
        if variable.name in inspection.assigned
    }
    scopes = _by_name(inspection) if names else {}
    for name in names:
        for at, scope in _innermost(scopes[name], inspection.assigned[name]):
            if scope is not None and scope.kind == "With" and _is_constant(scope, name, at):
                inspection.report(
                    WITH_ASSIGNMENT,
                    at,
                    at + len(name),
                    f"{as_code(name)} is a constant of `With`: its value is put in before this is "
                    "evaluated.",
                )


def _is_constant(scope: Scope, name: str, at: int) -> bool:
    """Whether a name has a value of its own in the body of a `With`, and this is there."""
    body = scope.node.args[-1]
    initial = next(one.initial for one in scope.variables if one.name == name)
    return (
        body.start <= at < body.end
        and initial is not None
        and not any(has_head(initial, head) for head in _KEPT)
    )


def _siblings(inspection: Inspection) -> None:
    found = [
        (scope, variable, name)
        for scope in inspection.scopes
        if scope.kind in _LISTS and len(scope.variables) > 1
        for listed in scope.node.args[:-1]
        for variable, name in _siblings_in(scope, listed)
    ]
    scopes = _by_name(inspection) if found else {}
    # A name that is local elsewhere, too, may be meant as that.
    nested = {name: _nested(scopes[name]) for name in {name for _, _, name in found}}
    for scope, variable, name in found:
        if variable.initial is not None and id(scope.node) not in nested[name]:
            inspection.report_at(
                SIBLING_INITIAL,
                variable.initial,
                f"{as_code(name)} here is not the variable of this `{scope.kind}`; set "
                f"{as_code(variable.name)} in the body.",
                argument=scope.kind,
            )


def _siblings_in(scope: Scope, listed: Expression) -> Iterator[tuple[Variable, str]]:
    """The variables of a list, each with earlier ones that its initial value has."""
    earlier: set[str] = set()
    for variable in scope.variables:
        if not listed.start <= variable.start < listed.end:
            continue
        if earlier and variable.initial is not None and _is_short(variable.initial):
            used = {part.text for part in walk(variable.initial) if isinstance(part, Atom)}
            for name in sorted(used & earlier):
                yield variable, name
        earlier.add(variable.name)


def _is_short(expression: Expression) -> bool:
    """Whether it is worth while to look through it; long ones lie in each other."""
    return expression.end - expression.start < _MOST_LOOKED_THROUGH


def _nested(scopes: list[Scope]) -> set[int]:
    """The ids of scopes that lie in each other."""
    found: set[int] = set()
    around: list[Scope] = []
    for scope in scopes:
        while around and around[-1].node.end <= scope.node.start:
            around.pop()
        if around:
            found |= {id(scope.node), id(around[-1].node)}
        around.append(scope)
    return found


CHECKS: dict[str, tuple[Check, ...]] = {
    **dict.fromkeys(_LISTS, (_variables,)),
    **dict.fromkeys(
        ("SetDelayed", "Set", "UpSetDelayed", "TagSetDelayed", "RuleDelayed"), (_patterns,)
    ),
    **dict.fromkeys(_ITERATING, (_iterators,)),
    "Function": (_function,),
}
AFTERWARDS: tuple[Afterwards, ...] = (_assigned_constants, _siblings)
ON_SCOPING: tuple[Afterwards, ...] = (_unused, _shadowed, _leaked)
"""What finds issues of the severity `Scoping` only, which most do not want."""
