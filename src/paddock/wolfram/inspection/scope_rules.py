"""Rules on local names: of `Module` and the like, of functions, and of patterns.

During the walk the scopes are written down; who uses what is told afterwards, from the places of
all symbols.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head, walk
from paddock.wolfram.inspection.control_rules import has_patterns
from paddock.wolfram.inspection.inspection import (
    InspectionRule,
    IssueFix,
    LocalScope,
    LocalVariable,
    SpanSet,
    count_positions_within,
    format_code,
    get_symbol_start,
    iter_pattern_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection, NodeCheck, SourceCheck

UNUSED_VARIABLE = InspectionRule(
    "UnusedVariable",
    "Scoping",
    0.95,
    "a local variable that is not used; less sure (70%) in `Block`, whose variables others may use",
)
UNUSED_PARAMETER = InspectionRule(
    "UnusedParameter",
    "Scoping",
    0.85,
    "a parameter of a function, or a named pattern of a definition or rule, that is not used",
)
SHADOWED_VARIABLE = InspectionRule(
    "ShadowedVariable", "Scoping", 0.95, "a local variable that hides another local name"
)
SHADOWED_PARAMETER = InspectionRule(
    "ShadowedParameter", "Scoping", 0.95, "a parameter or pattern that hides another local name"
)
LEAKED_VARIABLE = InspectionRule(
    "LeakedVariable",
    "Scoping",
    0.75,
    "an assignment in a `Module` to a symbol that is not local and is used nowhere else",
)
DUPLICATE_VARIABLES = InspectionRule(
    "DuplicateVariables", "Error", 0.95, "the same variable twice in one list"
)
VARIABLE_ERROR = InspectionRule(
    "VariableError",
    "Error",
    0.9,
    "an element of a list of variables that is none, and a variable of `With` without a value",
)
NO_VARIABLES = InspectionRule("NoVariables", "Remark", 0.9, "`Module[{}, …]` and the like")
WITH_ASSIGNMENT = InspectionRule(
    "WithAssignment", "Error", 0.85, "an assignment to a variable of `With`, which is a constant"
)
SIBLING_INITIAL = InspectionRule(
    "SiblingInitial",
    "Warning",
    0.9,
    "an initial value with a variable of the same list, as in `Module[{a = 1, b = a}, …]`: it is "
    "not the local one",
)
SCOPE_RULES = (
    *(UNUSED_VARIABLE, UNUSED_PARAMETER, SHADOWED_VARIABLE, SHADOWED_PARAMETER, LEAKED_VARIABLE),
    *(DUPLICATE_VARIABLES, VARIABLE_ERROR, NO_VARIABLES, WITH_ASSIGNMENT, SIBLING_INITIAL),
)

_BLOCK_CONFIDENCE = 0.7
_MAX_SEARCHED_CHARACTERS = 10_000
"""How many characters of an initial value."""
_ITERATOR_HEADS = (
    *("Table", "Do", "Sum", "Product", "Plot", "Plot3D", "Manipulate", "Array", "ParallelTable"),
    *("ParallelDo", "ParallelSum", "NSum", "NIntegrate", "Integrate", "ListPlot", "LogPlot"),
)
_SCOPE_HEADS = (
    "Module",
    "Block",
    "With",
    "DynamicModule",
    "InheritedBlock",
    "Internal`InheritedBlock",
)
_HOLD_HEADS = ("Unevaluated", "Symbol", "ToExpression", "HoldPattern")


def _check_variables(inspection: Inspection, node: Node) -> None:
    kind = node.head.text if isinstance(node.head, Atom) else ""
    if len(node.args) < 2 or has_patterns(node.args):
        return
    lists = [node.args[0]]
    if kind == "With":
        lists = node.args[:-1]
    found: list[LocalVariable] = []
    for place, listed in enumerate(lists):
        if not isinstance(listed, Node) or not has_head(listed, "List"):
            return
        if not listed.args and place == 0:
            inspection.report_issue(
                NO_VARIABLES, node.start, listed.end, f"`{kind}` has no variables.", argument=kind
            )
        declared = list(_iter_declarations(inspection, kind, listed))
        _check_duplicate_variables(inspection, kind, declared)
        found += declared
    inspection.scopes.append(LocalScope(kind, node, found))


def _iter_declarations(inspection: Inspection, kind: str, listed: Node) -> Iterator[LocalVariable]:
    for element in listed.args:
        if isinstance(element, Node) and _is_assignment(element):
            inspection.initial_values.add(id(element))
            name, initial = element.args[0], element.args[1]
            if isinstance(name, Atom) and name.kind == "symbol":
                yield LocalVariable(name.text, get_symbol_start(name, inspection.text), initial)
        elif isinstance(element, Atom) and element.kind == "symbol" and element.end > element.start:
            if kind == "With":
                _report_variable_error(inspection, kind, element, "has no value")
            yield LocalVariable(element.text, get_symbol_start(element, inspection.text))
        elif _is_not_variable(element):
            _report_variable_error(inspection, kind, element, "is no variable")


def _is_assignment(element: Node) -> bool:
    return isinstance(element.head, Atom) and (
        element.head.text in ("Set", "SetDelayed") and len(element.args) == 2
    )


def _is_not_variable(element: Expression) -> bool:
    if isinstance(element, Atom):
        return element.kind in ("string", "number")
    return isinstance(element.head, Atom) and element.head.text in (
        *("Equal", "Rule", "RuleDelayed", "List", "Plus", "Times", "Part", "CompoundExpression"),
    )


def _report_variable_error(
    inspection: Inspection, kind: str, element: Expression, what: str
) -> None:
    inspection.report_node_issue(
        VARIABLE_ERROR,
        element,
        f"{format_code(inspection.get_code(element))} in the list of `{kind}` {what}.",
        argument=kind,
    )


def _check_duplicate_variables(
    inspection: Inspection, kind: str, declared: list[LocalVariable]
) -> None:
    seen: set[str] = set()
    for variable in declared:
        if variable.name in seen:
            inspection.report_issue(
                DUPLICATE_VARIABLES,
                variable.start,
                variable.end,
                f"`{kind}` has {format_code(variable.name)} twice.",
                argument=kind,
            )
        seen.add(variable.name)


def _collect_function_scope(inspection: Inspection, node: Node) -> None:
    if len(node.args) < 2:
        return
    first = node.args[0]
    listed = first.args if isinstance(first, Node) and has_head(first, "List") else [first]
    names = [
        LocalVariable(name.text, get_symbol_start(name, inspection.text))
        for name in listed
        if isinstance(name, Atom) and name.kind == "symbol" and name.text not in ("Null", "None")
    ]
    if names:
        inspection.scopes.append(LocalScope("Function", node, names))


def _collect_pattern_scope(inspection: Inspection, node: Node) -> None:
    if len(node.args) < 2:
        return
    left = node.args[-2]
    if isinstance(left, Atom):
        return
    head = node.head.text if isinstance(node.head, Atom) else ""
    names = [
        LocalVariable(name.text, name.start)
        for name in iter_pattern_names(left)
        if name.kind == "symbol" and name.start >= 0
    ]
    if names:
        inspection.scopes.append(LocalScope(head, node, names, is_pattern=True))


def _collect_iterator_scope(inspection: Inspection, node: Node) -> None:
    names = [
        LocalVariable(arg.args[0].text, arg.args[0].start)
        for arg in node.args[1:]
        if isinstance(arg, Node) and has_head(arg, "List") and arg.args
        if isinstance(arg.args[0], Atom) and arg.args[0].kind == "symbol"
    ]
    if names:
        inspection.scopes.append(LocalScope("iterator", node, names))


def _check_unused_variables(inspection: Inspection) -> None:
    for scope in inspection.scopes:
        if scope.kind == "iterator":
            continue
        declared = Counter(variable.name for variable in scope.variables)
        unused = [
            variable
            for variable in {variable.name: variable for variable in scope.variables}.values()
            if not _is_used(inspection, scope, variable, declared[variable.name])
        ]
        boxes = _get_box_text(inspection, scope) if unused else ""
        for variable in unused:
            if variable.name not in boxes:
                _report_unused(inspection, scope, variable)


def _is_used(
    inspection: Inspection, scope: LocalScope, variable: LocalVariable, declared: int
) -> bool:
    places = inspection.symbol_positions.get(variable.name, [])
    uses = count_positions_within(places, scope.node.start, scope.node.end) - declared
    if variable.initial is not None:
        uses -= count_positions_within(places, variable.initial.start, variable.initial.end)
    return uses > 0 or (scope.is_pattern and declared > 1)


def _get_box_text(inspection: Inspection, scope: LocalScope) -> str:
    """What follows the first box syntax in a scope: names may stand there, unread."""
    at = inspection.text.find("\\(", scope.node.start, scope.node.end)
    return inspection.text[at : scope.node.end] if at >= 0 else ""


def _report_unused(inspection: Inspection, scope: LocalScope, variable: LocalVariable) -> None:
    is_parameter = scope.is_pattern or scope.kind == "Function"
    rule = UNUSED_PARAMETER if is_parameter else UNUSED_VARIABLE
    what = "parameter" if is_parameter else "variable"
    edits = []
    if scope.is_pattern and inspection.text.startswith("_", variable.end):
        edits.append(
            IssueFix(
                f"Remove the name {format_code(variable.name)}", variable.start, variable.end, ""
            )
        )
    inspection.report_issue(
        rule,
        variable.start,
        variable.end,
        f"The {what} {format_code(variable.name)} of this `{scope.kind}` is not used.",
        argument=scope.kind,
        confidence=_BLOCK_CONFIDENCE if scope.kind.endswith("Block") else None,
        edits=edits,
    )


def _check_shadow_variables(inspection: Inspection) -> None:
    scopes = sorted(inspection.scopes, key=lambda scope: (scope.node.start, -scope.node.end))
    around: list[LocalScope] = []
    names: dict[str, list[LocalScope]] = {}
    for scope in scopes:
        while around and around[-1].node.end <= scope.node.start:
            for name in {variable.name for variable in around.pop().variables}:
                names[name].pop()
        for name, variable in {variable.name: variable for variable in scope.variables}.items():
            outer = names.setdefault(name, [])
            if outer and not _is_intended_shadow(inspection, scope, variable):
                _report_shadow(inspection, scope, variable, outer[-1])
            outer.append(scope)
        around.append(scope)


def _is_intended_shadow(inspection: Inspection, scope: LocalScope, variable: LocalVariable) -> bool:
    """`Module[{x = x}, …]` says that it hides, and an iterator hides for a moment."""
    initial, places = variable.initial, inspection.symbol_positions.get(variable.name, [])
    return scope.kind == "iterator" or (
        initial is not None and count_positions_within(places, initial.start, initial.end) > 0
    )


def _report_shadow(
    inspection: Inspection, scope: LocalScope, variable: LocalVariable, outer: LocalScope
) -> None:
    is_parameter = scope.is_pattern or scope.kind == "Function"
    line, _ = inspection.source.get_position(outer.node.start)
    inspection.report_issue(
        SHADOWED_PARAMETER if is_parameter else SHADOWED_VARIABLE,
        variable.start,
        variable.end,
        f"{format_code(variable.name)} hides the one of the `{outer.kind}` in line {line}.",
        argument=scope.kind,
    )


def _check_leaks(inspection: Inspection) -> None:
    modules = SpanSet()
    for scope in inspection.scopes:
        if scope.kind == "Module":
            modules.add(scope.node.start, scope.node.end)
    scopes = _group_scopes_by_name(inspection)
    tops = sorted((one.start, one.end) for one in inspection.source.expressions)
    starts = [start for start, _ in tops]
    for name, places in inspection.assignment_positions.items():
        if not name[:1].islower() or "`" in name:
            continue
        start, end = tops[max(bisect_right(starts, places[0]) - 1, 0)]
        everywhere = inspection.symbol_positions.get(name, [])
        if count_positions_within(everywhere, start, end) != len(everywhere):
            continue
        for at, around in _iter_innermost_scopes(scopes.get(name, []), places):
            if around is None and modules.covers(at):
                inspection.report_issue(
                    LEAKED_VARIABLE,
                    at,
                    at + len(name),
                    f"{format_code(name)} is not local, and used nowhere else.",
                )
                break


def _group_scopes_by_name(inspection: Inspection) -> dict[str, list[LocalScope]]:
    """The scopes that each name is local to, the outer before the inner."""
    scopes: dict[str, list[LocalScope]] = {}
    for scope in sorted(inspection.scopes, key=lambda scope: (scope.node.start, -scope.node.end)):
        for name in {variable.name for variable in scope.variables}:
            scopes.setdefault(name, []).append(scope)
    return scopes


def _iter_innermost_scopes(
    scopes: list[LocalScope], places: list[int]
) -> Iterator[tuple[int, LocalScope | None]]:
    """For each place the innermost of the scopes that hold it."""
    around: list[LocalScope] = []
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


def _check_constant_assignments(inspection: Inspection) -> None:
    names = {
        variable.name
        for scope in inspection.scopes
        if scope.kind == "With"
        for variable in scope.variables
        if variable.name in inspection.assignment_positions
    }
    scopes = _group_scopes_by_name(inspection) if names else {}
    for name in names:
        for at, scope in _iter_innermost_scopes(
            scopes[name], inspection.assignment_positions[name]
        ):
            if scope is not None and scope.kind == "With" and _is_constant(scope, name, at):
                inspection.report_issue(
                    WITH_ASSIGNMENT,
                    at,
                    at + len(name),
                    f"{format_code(name)} is a constant of `With`: its value is put in before this is "
                    "evaluated.",
                )


def _is_constant(scope: LocalScope, name: str, at: int) -> bool:
    """Whether a name has a value of its own in the body of a `With`, and this is there."""
    body = scope.node.args[-1]
    initial = next(one.initial for one in scope.variables if one.name == name)
    return (
        body.start <= at < body.end
        and initial is not None
        and not any(has_head(initial, head) for head in _HOLD_HEADS)
    )


def _check_sibling_initials(inspection: Inspection) -> None:
    found = [
        (scope, variable, name)
        for scope in inspection.scopes
        if scope.kind in _SCOPE_HEADS and len(scope.variables) > 1
        for listed in scope.node.args[:-1]
        for variable, name in _iter_sibling_uses(scope, listed)
    ]
    scopes = _group_scopes_by_name(inspection) if found else {}
    # A name that is local elsewhere, too, may be meant as that.
    nested = {name: _find_nested_scopes(scopes[name]) for name in {name for _, _, name in found}}
    for scope, variable, name in found:
        if variable.initial is not None and id(scope.node) not in nested[name]:
            inspection.report_node_issue(
                SIBLING_INITIAL,
                variable.initial,
                f"{format_code(name)} here is not the variable of this `{scope.kind}`; set "
                f"{format_code(variable.name)} in the body.",
                argument=scope.kind,
            )


def _iter_sibling_uses(
    scope: LocalScope, listed: Expression
) -> Iterator[tuple[LocalVariable, str]]:
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
    return expression.end - expression.start < _MAX_SEARCHED_CHARACTERS


def _find_nested_scopes(scopes: list[LocalScope]) -> set[int]:
    """The ids of scopes that lie in each other."""
    found: set[int] = set()
    around: list[LocalScope] = []
    for scope in scopes:
        while around and around[-1].node.end <= scope.node.start:
            around.pop()
        if around:
            found |= {id(scope.node), id(around[-1].node)}
        around.append(scope)
    return found


SCOPE_NODE_CHECKS: dict[str, tuple[NodeCheck, ...]] = {
    **dict.fromkeys(_SCOPE_HEADS, (_check_variables,)),
    **dict.fromkeys(
        ("SetDelayed", "Set", "UpSetDelayed", "TagSetDelayed", "RuleDelayed"),
        (_collect_pattern_scope,),
    ),
    **dict.fromkeys(_ITERATOR_HEADS, (_collect_iterator_scope,)),
    "Function": (_collect_function_scope,),
}
SCOPE_SOURCE_CHECKS: tuple[SourceCheck, ...] = (
    _check_constant_assignments,
    _check_sibling_initials,
)
SCOPING_SEVERITY_CHECKS: tuple[SourceCheck, ...] = (
    _check_unused_variables,
    _check_shadow_variables,
    _check_leaks,
)
"""What finds issues of the severity `Scoping` only, which most do not want."""
