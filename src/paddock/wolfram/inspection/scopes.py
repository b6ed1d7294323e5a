"""Rules on local names: of `Module` and the like, of functions, and of patterns.

During the walk the scopes are written down; who uses what is told afterwards, from the places of
all symbols.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head, is_symbol, walk
from paddock.wolfram.inspection.control import has_patterns
from paddock.wolfram.inspection.inspecting import Edit, start_of
from paddock.wolfram.inspection.rule import Rule, quoted
from paddock.wolfram.inspection.scope import Scope, Variable
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
        f"{quoted(inspection.code(element))} in the list of `{kind}` {what}.",
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
                f"`{kind}` has {quoted(variable.name)} twice.",
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
        for part in walk(left)
        if isinstance(part, Node)
        and len(part.args) == 2
        and is_symbol(part.head, "Pattern")
        # Options are used by `OptionValue`, which does not name them.
        and not has_head(part.args[1], "OptionsPattern")
        for name in part.args[:1]
        if isinstance(name, Atom) and name.kind == "symbol" and name.start >= 0
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
        start, end = scope.node.start, scope.node.end
        for name in {variable.name: variable for variable in scope.variables}.values():
            places = inspection.symbols.get(name.name, [])
            declared = sum(other.name == name.name for other in scope.variables)
            uses = count_within(places, start, end) - declared
            if name.initial is not None:
                uses -= count_within(places, name.initial.start, name.initial.end)
            is_repeated = scope.is_pattern and declared > 1
            if uses <= 0 and not is_repeated and not _is_in_boxes(inspection, scope, name.name):
                _report_unused(inspection, scope, name)


def _is_in_boxes(inspection: Inspection, scope: Scope, name: str) -> bool:
    """Whether a name stands in box syntax, which is not looked into."""
    text = inspection.text
    at = text.find("\\(", scope.node.start, scope.node.end)
    return at >= 0 and name in text[at : scope.node.end]


def _report_unused(inspection: Inspection, scope: Scope, variable: Variable) -> None:
    is_parameter = scope.is_pattern or scope.kind == "Function"
    rule = UNUSED_PARAMETER if is_parameter else UNUSED_VARIABLE
    what = "parameter" if is_parameter else "variable"
    edits = []
    if scope.is_pattern and inspection.text.startswith("_", variable.end):
        edits.append(
            Edit(f"Remove the name {quoted(variable.name)}", variable.start, variable.end, "")
        )
    inspection.report(
        rule,
        variable.start,
        variable.end,
        f"The {what} {quoted(variable.name)} of this `{scope.kind}` is not used.",
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
            if outer and not _is_meant(scope, variable):
                _report_shadowed(inspection, scope, variable, outer[-1])
            outer.append(scope)
        around.append(scope)


def _is_meant(scope: Scope, variable: Variable) -> bool:
    """`Module[{x = x}, …]` says that it hides, and an iterator hides for a moment."""
    initial = variable.initial
    return scope.kind == "iterator" or (
        initial is not None and any(is_symbol(part, variable.name) for part in walk(initial))
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
        f"{quoted(variable.name)} hides the one of the `{outer.kind}` in line {line}.",
        argument=scope.kind,
    )


def _leaked(inspection: Inspection) -> None:
    modules = Spans()
    for scope in inspection.scopes:
        if scope.kind == "Module":
            modules.add(scope.node.start, scope.node.end)
    declared = _by_name(inspection)
    tops = sorted((one.start, one.end) for one in inspection.source.expressions)
    starts = [start for start, _ in tops]
    for name, places in inspection.assigned.items():
        if not name[:1].islower() or "`" in name:
            continue
        start, end = tops[max(bisect_right(starts, places[0]) - 1, 0)]
        everywhere = inspection.symbols.get(name, [])
        if count_within(everywhere, start, end) != len(everywhere):
            continue
        for at in places:
            if modules.covers(at) and not _holds(declared.get(name, []), at):
                inspection.report(
                    LEAKED_VARIABLE,
                    at,
                    at + len(name),
                    f"{quoted(name)} is not local, and used nowhere else.",
                )
                break


def _by_name(inspection: Inspection) -> dict[str, list[Scope]]:
    """The scopes that each name is local to."""
    scopes: dict[str, list[Scope]] = {}
    for scope in inspection.scopes:
        for name in {variable.name for variable in scope.variables}:
            scopes.setdefault(name, []).append(scope)
    return scopes


def _holds(scopes: list[Scope], at: int) -> bool:
    return any(scope.node.start <= at < scope.node.end for scope in scopes)


def _assigned_constants(inspection: Inspection) -> None:
    scopes = _by_name(inspection)
    for scope in inspection.scopes:
        if scope.kind != "With":
            continue
        body = scope.node.args[-1]
        for name, at in _assignments(inspection, scope):
            inner = [one for one in scopes[name] if one.node.start > scope.node.start]
            if body.start <= at < body.end and not _holds(inner, at):
                inspection.report(
                    WITH_ASSIGNMENT,
                    at,
                    at + len(name),
                    f"{quoted(name)} is a constant of `With`: its value is put in before this is "
                    "evaluated.",
                )


def _assignments(inspection: Inspection, scope: Scope) -> Iterator[tuple[str, int]]:
    for variable in scope.variables:
        initial = variable.initial
        if initial is not None and not any(has_head(initial, head) for head in _KEPT):
            for at in inspection.assigned.get(variable.name, ()):
                yield variable.name, at


def _siblings(inspection: Inspection) -> None:
    scopes = _by_name(inspection)
    for scope in inspection.scopes:
        if scope.kind not in _LISTS or len(scope.variables) < 2:
            continue
        lists = scope.node.args[:-1] if scope.kind == "With" else scope.node.args[:1]
        for listed in lists:
            earlier: list[str] = []
            for variable in scope.variables:
                if listed.start <= variable.start < listed.end:
                    if variable.initial is not None:
                        _sibling(inspection, scope, variable, earlier, scopes)
                    earlier.append(variable.name)


def _sibling(
    inspection: Inspection,
    scope: Scope,
    variable: Variable,
    earlier: list[str],
    scopes: dict[str, list[Scope]],
) -> None:
    initial = variable.initial
    for name in earlier:
        places = inspection.symbols.get(name, [])
        if initial is None or not count_within(places, initial.start, initial.end):
            continue
        if not any(_is_related(other, scope) for other in scopes[name]):
            inspection.report_at(
                SIBLING_INITIAL,
                initial,
                f"{quoted(name)} here is not the variable of this `{scope.kind}`; set "
                f"{quoted(variable.name)} in the body.",
                argument=scope.kind,
            )


def _is_related(other: Scope, scope: Scope) -> bool:
    """Whether another scope is around or within this one, so that a name may be its own."""
    outer, inner = other.node, scope.node
    return other is not scope and outer.start < inner.end and inner.start < outer.end


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
