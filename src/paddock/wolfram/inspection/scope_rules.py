"""Rules about local names: parameters, pattern names, and variables of `Module` and the like.

The walk records the scopes. Afterwards, the positions of all symbols determine which names are
used.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import (
    Atom,
    get_head_name,
    get_list_items,
    has_any_head,
    has_head,
    is_atom,
    walk,
)
from paddock.wolfram.inspection.control_rules import has_patterns
from paddock.wolfram.inspection.inspection import (
    IssueFix,
    LocalScope,
    LocalVariable,
    SpanSet,
    TextSpan,
    count_positions_within,
    format_code,
    get_name_span,
    get_symbol_start,
    iter_pattern_names,
)
from paddock.wolfram.inspection.rule_set import RuleSet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.expressions import Expression, Node
    from paddock.wolfram.inspection.inspection import Inspection

LOCAL_NAMES = RuleSet()


_BLOCK_CONFIDENCE = 0.7
_MAX_SEARCHED_CHARACTERS = 10_000
"""Longer initial values are not searched, because nested ones would take quadratic time."""
_ITERATOR_HEADS = (
    *("Table", "Do", "Sum", "Product", "Plot", "Plot3D", "Manipulate", "Array", "ParallelTable"),
    *("ParallelDo", "ParallelSum", "NSum", "NIntegrate", "Integrate", "ListPlot", "LogPlot"),
)
_SCOPE_HEADS = (
    *("Module", "Block", "With", "DynamicModule", "InheritedBlock", "Internal`InheritedBlock"),
)
_HOLD_HEADS = ("Unevaluated", "Symbol", "ToExpression", "HoldPattern")
_CERTAIN_VALUE_HEADS = (
    *("Equal", "Rule", "RuleDelayed", "List", "Plus", "Times", "Part", "CompoundExpression"),
)
"""Heads of expressions that certainly declare no variable."""


@LOCAL_NAMES.check_nodes(*_SCOPE_HEADS)
def _check_variable_lists(inspection: Inspection, node: Node) -> None:
    """Check the variable list of a scoping construct such as `Module[{x, y}, body]`.

    The scope is recorded for the checks of unused and shadowed names, which run after the walk.
    """
    kind = get_head_name(node)
    # A scoping construct with patterns is itself a pattern, as in `Module[_, _]`.
    if len(node.args) < 2 or has_patterns(node.args):
        return
    # Only `With` can have multiple lists.
    variable_lists = node.args[:-1] if kind == "With" else node.args[:1]
    variables: list[LocalVariable] = []
    for index, variable_list in enumerate(variable_lists):
        if not has_head(variable_list, "List"):
            return
        if not variable_list.args and index == 0:
            place = TextSpan(node.start, variable_list.end)
            description = f"`{kind}` has no variables."
            inspection.report_issue("NoVariables", place, description, argument=kind)
        declared = list(_iter_declarations(inspection, kind, variable_list))
        _check_duplicate_variables(inspection, kind, declared)
        variables += declared
    inspection.scopes.append(LocalScope(kind, node, variables))


def _iter_declarations(
    inspection: Inspection, kind: str, variable_list: Node
) -> Iterator[LocalVariable]:
    """Yield the variables that a list such as `{x, y = 1}` declares, and report invalid elements.

    The assignments in the list are recorded as initial values, so that the `SelfAssignment` rule
    does not report `x = x` there.
    """
    for element in variable_list.args:
        if has_any_head(element, ("Set", "SetDelayed")) and len(element.args) == 2:
            inspection.initial_values.add(id(element))
            name, initial = element.args
            if is_atom(name, "symbol"):
                yield _make_variable(inspection, name, initial)
        elif is_atom(element, "symbol"):
            # The parser inserts a `Null` with no source text for a missing element.
            if element.end > element.start:
                # `With` substitutes values, so each of its variables needs one.
                if kind == "With":
                    _report_variable_error(inspection, kind, element, "has no value")
                yield _make_variable(inspection, element)
        elif (
            is_atom(element, "string")
            or is_atom(element, "number")
            or has_any_head(element, _CERTAIN_VALUE_HEADS)
        ):
            _report_variable_error(inspection, kind, element, "is not a variable")


def _make_variable(
    inspection: Inspection, name: Atom, initial: Expression | None = None
) -> LocalVariable:
    return LocalVariable(name.text, get_symbol_start(name, inspection.text), initial)


def _report_variable_error(
    inspection: Inspection, kind: str, element: Expression, problem: str
) -> None:
    """Report an invalid element of a variable list. `problem` completes the description."""
    description = f"{inspection.quote_code(element)} in the variable list of `{kind}` {problem}."
    inspection.report_issue("VariableError", element, description, argument=kind)


def _check_duplicate_variables(
    inspection: Inspection, kind: str, declared: list[LocalVariable]
) -> None:
    """Report variables that a scoping construct declares twice in a list, as in `{x, x}`."""
    seen_names: set[str] = set()
    for variable in declared:
        if variable.name in seen_names:
            description = f"`{kind}` declares {format_code(variable.name)} twice."
            inspection.report_issue("DuplicateVariables", variable, description, argument=kind)
        seen_names.add(variable.name)


@LOCAL_NAMES.check_nodes("Function")
def _collect_function_scope(inspection: Inspection, node: Node) -> None:
    """Record the named parameters of a `Function` as a scope: `x` in `Function[x, x^2]`."""
    if len(node.args) < 2:
        return
    # `Function[Null, body]` and `Function[None, body]` have no named parameters.
    variables = [
        _make_variable(inspection, name)
        for name in get_list_items(node.args[0])
        if is_atom(name, "symbol") and name.text not in ("Null", "None")
    ]
    if variables:
        inspection.scopes.append(LocalScope("Function", node, variables))


@LOCAL_NAMES.check_nodes("SetDelayed", "Set", "UpSetDelayed", "TagSetDelayed", "RuleDelayed")
def _collect_pattern_scope(inspection: Inspection, node: Node) -> None:
    """Record the pattern names of a definition or rule as a scope: `x` in `f[x_] := x^2`."""
    # The left side of `f /: g[x_] = v` is the second-to-last argument, as in `g[x_] = v`.
    if len(node.args) < 2 or isinstance(node.args[-2], Atom):
        return
    variables = [
        LocalVariable(name.text, name.start)
        for name in iter_pattern_names(node.args[-2])
        if name.kind == "symbol" and name.start >= 0
    ]
    if variables:
        kind = get_head_name(node)
        inspection.scopes.append(LocalScope(kind, node, variables, is_pattern=True))


@LOCAL_NAMES.check_nodes(*_ITERATOR_HEADS)
def _collect_iterator_scope(inspection: Inspection, node: Node) -> None:
    """Record the iterator variables of a call such as `Table`."""
    names = [arg.args[0] for arg in node.args[1:] if has_head(arg, "List") and arg.args]
    variables = [LocalVariable(name.text, name.start) for name in names if is_atom(name, "symbol")]
    if variables:
        inspection.scopes.append(LocalScope("iterator", node, variables))


@LOCAL_NAMES.check_scoping
def _check_unused_variables(inspection: Inspection) -> None:
    """Report variables and parameters that are never used within their scope.

    A name that occurs in boxes, the notebook format for typeset expressions, counts as used,
    because boxes are not parsed.
    """
    for scope in inspection.scopes:
        # Unused iterators are common: `Do[…, {i, 3}]` only repeats.
        if scope.kind == "iterator":
            continue
        declaration_counts = Counter(variable.name for variable in scope.variables)
        variables_by_name = {variable.name: variable for variable in scope.variables}
        unused_variables = [
            variable
            for name, variable in variables_by_name.items()
            if not _is_used(inspection, scope, variable, declaration_counts[name])
        ]
        box_text = _get_box_text(inspection, scope) if unused_variables else ""
        for variable in unused_variables:
            if variable.name not in box_text:
                _report_unused_variable(inspection, scope, variable)


def _is_used(
    inspection: Inspection, scope: LocalScope, variable: LocalVariable, declaration_count: int
) -> bool:
    """Return whether a local name occurs in its scope, other than in its declarations.

    A pattern name that is declared twice, as in `f[x_, x_]`, counts as used, because it requires
    equal arguments.
    """
    positions = inspection.symbol_positions.get(variable.name, [])
    occurrences = count_positions_within(positions, scope.node.start, scope.node.end)
    use_count = occurrences - declaration_count
    # In its own initial value, the name refers to the variable outside the scope.
    initial = variable.initial
    if initial is not None:
        use_count -= count_positions_within(positions, initial.start, initial.end)
    return use_count > 0 or (scope.is_pattern and declaration_count > 1)


def _get_box_text(inspection: Inspection, scope: LocalScope) -> str:
    """Return a scope's text from its first box on, because boxes are not parsed for names."""
    start = inspection.text.find("\\(", scope.node.start, scope.node.end)
    return inspection.text[start : scope.node.end] if start >= 0 else ""


def _report_unused_variable(
    inspection: Inspection, scope: LocalScope, variable: LocalVariable
) -> None:
    """Report an unused variable or parameter, with a fix for names in patterns."""
    tag, kind = "UnusedVariable", "variable"
    if scope.has_parameters:
        tag, kind = "UnusedParameter", "parameter"
    name = format_code(variable.name)
    fixes = []
    # `x_` can become `_`. Other parameters must stay because their position matters.
    if scope.is_pattern and inspection.text.startswith("_", variable.end):
        fixes.append(IssueFix(f"Remove the name {name}", variable, ""))
    inspection.report_issue(
        tag,
        variable,
        f"The {kind} {name} of this `{scope.kind}` is not used.",
        argument=scope.kind,
        confidence=_BLOCK_CONFIDENCE if scope.kind.endswith("Block") else None,
        fixes=fixes,
    )


@LOCAL_NAMES.check_scoping
def _check_shadowing_variables(inspection: Inspection) -> None:
    """Report local names that shadow a name in an enclosing scope.

    All scopes are visited in order of position, with the enclosing ones on a stack.
    """
    enclosing: list[LocalScope] = []
    enclosing_by_name: dict[str, list[LocalScope]] = {}
    for scope in _sort_scopes(inspection.scopes):
        # Scopes are sorted, so those that end before this scope cannot enclose a later one either.
        while enclosing and enclosing[-1].node.end <= scope.node.start:
            for name in {variable.name for variable in enclosing.pop().variables}:
                enclosing_by_name[name].pop()
        variables_by_name = {variable.name: variable for variable in scope.variables}
        for name, variable in variables_by_name.items():
            outer_scopes = enclosing_by_name.setdefault(name, [])
            if outer_scopes and not _is_intended_shadow(inspection, scope, variable):
                _report_shadowing(inspection, scope, variable, outer_scopes[-1])
            outer_scopes.append(scope)
        enclosing.append(scope)


def _sort_scopes(scopes: list[LocalScope]) -> list[LocalScope]:
    """Sort scopes by position, outer scopes before the ones nested in them."""
    return sorted(scopes, key=lambda scope: (scope.node.start, -scope.node.end))


def _is_intended_shadow(inspection: Inspection, scope: LocalScope, variable: LocalVariable) -> bool:
    """Return whether shadowing is deliberate: `Module[{x = x}, ...]`, or an iterator."""
    initial, positions = variable.initial, inspection.symbol_positions.get(variable.name, [])
    return scope.kind == "iterator" or (
        initial is not None and count_positions_within(positions, initial.start, initial.end) > 0
    )


def _report_shadowing(
    inspection: Inspection, scope: LocalScope, variable: LocalVariable, outer_scope: LocalScope
) -> None:
    """Report a variable that shadows one of the same name in an outer scope."""
    line, _ = inspection.source.get_position(outer_scope.node.start)
    inspection.report_issue(
        "ShadowedParameter" if scope.has_parameters else "ShadowedVariable",
        variable,
        f"{format_code(variable.name)} shadows the one of the `{outer_scope.kind}` in line {line}.",
        argument=scope.kind,
    )


@LOCAL_NAMES.check_scoping
def _check_leaked_variables(inspection: Inspection) -> None:
    """Report assignments in a `Module` to a symbol that is neither local nor used elsewhere.

    Such a symbol was probably meant to be local. A symbol that is also used in other top-level
    expressions may be shared state, so it is not reported.
    """
    module_spans = SpanSet()
    for scope in inspection.scopes:
        if scope.kind == "Module":
            module_spans.add(scope.node.start, scope.node.end)
    scopes_by_name = _group_scopes_by_name(inspection)
    for name, positions in inspection.assignment_positions.items():
        # By convention, local names are lowercase. Capitalized ones are probably deliberate
        # globals.
        if not name[:1].islower() or "`" in name:
            continue
        if not _is_used_in_one_expression(inspection, name, positions[0]):
            continue
        scopes = scopes_by_name.get(name, [])
        for position, innermost_scope in _iter_innermost_scopes(scopes, positions):
            if innermost_scope is None and module_spans.covers(position):
                inspection.report_issue(
                    "LeakedVariable",
                    get_name_span(name, position),
                    f"{format_code(name)} is not local and not used elsewhere.",
                )
                break


def _is_used_in_one_expression(inspection: Inspection, name: str, position: int) -> bool:
    """Return whether the name is only used in the top-level expression at `position`."""
    expressions = inspection.source.expressions
    index = bisect_right(expressions, position, key=lambda expression: expression.start) - 1
    expression = expressions[max(index, 0)]
    positions = inspection.symbol_positions.get(name, [])
    return count_positions_within(positions, expression.start, expression.end) == len(positions)


def _group_scopes_by_name(inspection: Inspection) -> dict[str, list[LocalScope]]:
    """Return the scopes of each local name, outer scopes first."""
    scopes: dict[str, list[LocalScope]] = {}
    for scope in _sort_scopes(inspection.scopes):
        for name in {variable.name for variable in scope.variables}:
            scopes.setdefault(name, []).append(scope)
    return scopes


def _iter_innermost_scopes(
    scopes: list[LocalScope], positions: list[int]
) -> Iterator[tuple[int, LocalScope | None]]:
    """Yield each position with the innermost scope that contains it, or None if no scope does.

    Positions and scopes are visited in source order in a single pass, because a separate search for
    each position would take quadratic time.

    Args:
        scopes: The scopes in which one name is local, outer scopes first.
        positions: The positions of this name, in any order.
    """
    enclosing: list[LocalScope] = []
    remaining_scopes = iter(scopes)
    next_scope = next(remaining_scopes, None)
    for position in sorted(positions):
        while next_scope is not None and next_scope.node.start <= position:
            while enclosing and enclosing[-1].node.end <= next_scope.node.start:
                enclosing.pop()
            enclosing.append(next_scope)
            next_scope = next(remaining_scopes, None)
        while enclosing and enclosing[-1].node.end <= position:
            enclosing.pop()
        yield position, enclosing[-1] if enclosing else None


@LOCAL_NAMES.check_source
def _check_constant_assignments(inspection: Inspection) -> None:
    """Report assignments to `With` variables, as in `With[{x = 1}, x = 2]`.

    `With` replaces its variables with their values before it evaluates the body.
    """
    assigned_names = {
        variable.name
        for scope in inspection.scopes
        if scope.kind == "With"
        for variable in scope.variables
        if variable.name in inspection.assignment_positions
    }
    scopes_by_name = _group_scopes_by_name(inspection) if assigned_names else {}
    for name in assigned_names:
        positions = inspection.assignment_positions[name]
        # An inner scope can have a variable of the same name, so the innermost scope decides.
        for position, scope in _iter_innermost_scopes(scopes_by_name[name], positions):
            if scope is None or scope.kind != "With":
                continue
            if _is_replaced_constant(scope, name, position):
                inspection.report_issue(
                    "WithAssignment",
                    get_name_span(name, position),
                    f"{format_code(name)} is a constant of `With`, which replaces it by its value "
                    "before the assignment is evaluated.",
                )


def _is_replaced_constant(scope: LocalScope, name: str, position: int) -> bool:
    """Return whether a `With` replaces a name at a position in its body with a constant value."""
    body = scope.node.args[-1]
    initial = next(variable.initial for variable in scope.variables if variable.name == name)
    return (
        body.start <= position < body.end
        and initial is not None
        # `With[{x = Symbol["y"]}, x = 1]` assigns to the symbol on purpose.
        and not has_any_head(initial, _HOLD_HEADS)
    )


@LOCAL_NAMES.check_source
def _check_initial_values(inspection: Inspection) -> None:
    """Report initial values that use an earlier variable from the same list: `{x = 1, y = x}`.

    The name refers to the variable outside the scope, because initial values are evaluated before
    the scope exists.
    """
    sibling_uses = [
        (scope, variable, name)
        for scope in inspection.scopes
        if scope.kind in _SCOPE_HEADS and len(scope.variables) > 1
        for variable_list in scope.node.args[:-1]
        for variable, name in _iter_sibling_uses(scope, variable_list)
    ]
    scopes_by_name = _group_scopes_by_name(inspection) if sibling_uses else {}
    nested_scope_ids = {
        name: _find_nested_scopes(scopes_by_name[name])
        for name in {name for _, _, name in sibling_uses}
    }
    for scope, variable, name in sibling_uses:
        # A name that is also local to an enclosing scope may deliberately refer to that scope.
        if variable.initial is not None and id(scope.node) not in nested_scope_ids[name]:
            inspection.report_issue(
                "SiblingInitial",
                variable.initial,
                f"{format_code(name)} is not the variable of this `{scope.kind}` here; assign "
                f"{format_code(variable.name)} in the body instead.",
                argument=scope.kind,
            )


def _iter_sibling_uses(
    scope: LocalScope, variable_list: Expression
) -> Iterator[tuple[LocalVariable, str]]:
    """Yield each variable whose initial value uses an earlier name from its list, with that name.

    For the list `{x = 1, y = x}`, this is the variable `y` with the name `x`.
    """
    earlier_names: set[str] = set()
    for variable in scope.variables:
        if not variable_list.start <= variable.start < variable_list.end:
            continue
        # Later names are not searched, because their use clearly refers to an outer variable.
        initial = variable.initial
        if earlier_names and initial and initial.end - initial.start < _MAX_SEARCHED_CHARACTERS:
            used_names = {part.text for part in walk(initial) if isinstance(part, Atom)}
            for name in sorted(used_names & earlier_names):
                yield variable, name
        earlier_names.add(variable.name)


def _find_nested_scopes(scopes: list[LocalScope]) -> set[int]:
    """Return the ids of nodes whose scopes are nested in another scope or directly enclose one.

    Args:
        scopes: The scopes in which one name is local, outer scopes first.
    """
    nested_ids: set[int] = set()
    enclosing: list[LocalScope] = []
    for scope in scopes:
        while enclosing and enclosing[-1].node.end <= scope.node.start:
            enclosing.pop()
        if enclosing:
            nested_ids |= {id(scope.node), id(enclosing[-1].node)}
        enclosing.append(scope)
    return nested_ids
