"""Rules about symbols (contexts, unknown and obsolete names) and package declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Node, get_head_name, has_head, is_atom
from paddock.wolfram.inspection.inspection import IssueFix, format_code, get_name_span
from paddock.wolfram.inspection.rule_set import RuleSet
from paddock.wolfram.literals import parse_string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.inspection.inspection import Inspection

SYMBOLS = RuleSet()
PACKAGES = RuleSet()


_BAD_SYMBOLS = {
    "AllFalse": "NoneTrue",
    "AnyFalse": "",
    "AssociationKeys": "Keys",
    "AssociationValues": "Values",
    "ElseIf": "Which",
    "Failed": "$Failed",
    "ForEach": "Scan",
    "Foreach": "Scan",
    "KeyExists": "KeyExistsQ",
    "ListLength": "Length",
    "StringConcat": "StringJoin",
    "StringConcatenate": "StringJoin",
    "StringContains": "StringContainsQ",
    "StringEndsWith": "StringEndsQ",
    "StringFormat": "TemplateApply",
    "StringLowerCase": "ToLowerCase",
    "StringMatch": "StringMatchQ",
    "StringStartsWith": "StringStartsQ",
    "StringToLowerCase": "ToLowerCase",
    "StringToUpperCase": "ToUpperCase",
    "StringTrimLeft": "",
    "StringTrimRight": "",
    "StringUpperCase": "ToUpperCase",
}
_OBSOLETE_SYMBOLS = {
    "CreateScheduledTask": "SessionSubmit",
    "FromDate": "AbsoluteTime",
    "GraphicsArray": "GraphicsGrid",
    "LinearProgramming": "LinearOptimization",
    "Random": "RandomReal",
    "RemoveScheduledTask": "TaskRemove",
    "ScheduledTasks": "Tasks",
    "StartScheduledTask": "TaskResume",
    "StopScheduledTask": "TaskSuspend",
    "ToDate": "DateList",
    "ToHeldExpression": "ToExpression",
    "URLFetch": "URLRead",
    "URLFetchAsynchronous": "URLSubmit",
    "URLSave": "URLDownload",
    "URLSaveAsynchronous": "URLDownloadSubmit",
}
_SESSION_SYMBOLS = ("Print", "Echo", "EchoEvaluation", "EchoFunction", "EchoLabel", "EchoTiming")
_PACKAGE_HEADS = ("BeginPackage", "Package")


_BEGIN_HEADS = {"End": "Begin", "EndPackage": "BeginPackage"}
"""The function that begins a context, by the function that ends it."""


@SYMBOLS.check_source
def _check_symbols(inspection: Inspection) -> None:
    """Report symbols that are misspelled, obsolete or meant for debugging.

    Qualified symbols such as `` Global`x `` are reported if their context (namespace) is unusual.
    """
    is_package = any(name in inspection.symbol_positions for name in _PACKAGE_HEADS)
    for name, positions in inspection.symbol_positions.items():
        if "`" in name:
            _check_symbol_context(inspection, name, positions)
        elif name in _BAD_SYMBOLS or name in _OBSOLETE_SYMBOLS:
            if name not in inspection.defined_symbols and not _is_local(inspection, name):
                _report_replaceable_symbol(inspection, name, positions)
        elif is_package and name in _SESSION_SYMBOLS:
            # In notebooks and scripts, printing is normal.
            for start in positions:
                inspection.report_issue(
                    "SuspiciousSessionSymbol",
                    get_name_span(name, start),
                    f"`{name}` is for interactive sessions; was it left over from debugging?",
                    argument=name,
                )


def _is_local(inspection: Inspection, name: str) -> bool:
    return any(variable.name == name for scope in inspection.scopes for variable in scope.variables)


def _check_symbol_context(inspection: Inspection, name: str, positions: list[int]) -> None:
    """Report all uses of a qualified symbol whose context (namespace) is unusual.

    Unusual contexts are those of interactive sessions and the private contexts of packages.
    """
    if name.startswith("Global`"):
        tag, problem = "GlobalSymbol", "refers to the context of interactive sessions"
    elif name.startswith("System`Private`"):
        return
    elif "`Private`" in name or "`PackagePrivate`" in name:
        tag, problem = "PrivateContextSymbol", "is in a private context"
    else:
        return
    for start in positions:
        description = f"{format_code(name)} {problem}."
        inspection.report_issue(tag, get_name_span(name, start), description)


def _report_replaceable_symbol(inspection: Inspection, name: str, positions: list[int]) -> None:
    """Report all uses of a misspelled or obsolete built-in symbol, with a fix if one is known."""
    if name in _BAD_SYMBOLS:
        tag, replacement = "BadSymbol", _BAD_SYMBOLS[name]
        description = f"`{name}` is not a built-in symbol."
    else:
        tag, replacement = "ObsoleteSymbol", _OBSOLETE_SYMBOLS[name]
        description = f"`{name}` is obsolete; use `{replacement}`."
    for start in positions:
        place = get_name_span(name, start)
        fix = IssueFix(f"Replace with `{replacement}`", place, replacement)
        fixes = [fix] if replacement else []
        inspection.report_issue(tag, place, description, argument=name, fixes=fixes)


@PACKAGES.check_source
def _check_packages(inspection: Inspection) -> None:
    """Report mistakes in the context declarations of a package, from `BeginPackage` to `End`.

    The mistakes are unbalanced declarations, suspicious private contexts, and symbols used before
    the `Needs` that loads their context.
    """
    # After a syntax error, an `End[]` may have been swallowed by an unclosed bracket.
    if inspection.source.problems:
        return
    open_contexts: list[Node] = []
    needs_positions: dict[str, int] = {}
    for node in _iter_top_level_calls(inspection):
        head = get_head_name(node)
        if head in _BEGIN_HEADS.values():
            open_contexts.append(node)
            _check_private_context(inspection, node)
        elif head in _BEGIN_HEADS:
            _close_context(inspection, node, open_contexts)
        elif head == "Needs" and (context := _get_context(node)) is not None:
            needs_positions.setdefault(context, node.start)
    for node in open_contexts:
        _report_unclosed_context(inspection, node)
    if needs_positions:
        _check_use_before_needs(inspection, needs_positions)


def _iter_top_level_calls(inspection: Inspection) -> Iterator[Node]:
    """Yield the calls at the top level."""
    for expression in inspection.source.expressions:
        parts = expression.args if has_head(expression, "CompoundExpression") else [expression]
        yield from (part for part in parts if isinstance(part, Node))


def _close_context(inspection: Inspection, node: Node, open_contexts: list[Node]) -> None:
    """Close the open context that an `End` or `EndPackage` ends, and report unbalanced calls.

    Args:
        inspection: The inspection that collects the issues.
        node: The `End[]` or `EndPackage[]`.
        open_contexts: The calls that began the open contexts, the outermost first. Closed ones are
            removed.
    """
    end_head = get_head_name(node)
    begin_head = _BEGIN_HEADS[end_head]
    if not any(has_head(begin_node, begin_head) for begin_node in open_contexts):
        description = f"`{end_head}` has no matching `{begin_head}`."
        inspection.report_issue("UnbalancedContext", node, description, argument=end_head)
        return
    # Inner contexts that were not closed are reported, like unclosed brackets.
    while not has_head(begin_node := open_contexts.pop(), begin_head):
        _report_unclosed_context(inspection, begin_node)


def _report_unclosed_context(inspection: Inspection, node: Node) -> None:
    """Report a `Begin` or `BeginPackage` without a matching end."""
    head = get_head_name(node)
    description = f"`{head}` has no matching `{head.replace('Begin', 'End')}[]`."
    inspection.report_issue("UnbalancedContext", node, description, argument=head)


def _get_context(node: Node) -> str | None:
    context = node.args[0] if node.args else None
    return parse_string(context.text) if is_atom(context, "string") else None


def _check_private_context(inspection: Inspection, node: Node) -> None:
    """Report ``Begin["Private`"]``, which lacks the backtick of a context within the package."""
    if has_head(node, "Begin") and _get_context(node) == "Private`":
        fix = IssueFix('Replace with `` "`Private`" ``', node.args[0], '"`Private`"')
        inspection.report_issue(
            "SuspiciousPrivateContext",
            node.args[0],
            "A context relative to the package starts with a backtick.",
            fixes=[fix],
        )


def _check_use_before_needs(inspection: Inspection, needs_positions: dict[str, int]) -> None:
    """Report qualified symbols that occur before the `Needs` that loads their context.

    Args:
        inspection: The inspection that collects the issues.
        needs_positions: The position of the first `Needs` of each context.
    """
    for name, positions in inspection.symbol_positions.items():
        context, backtick, _ = name.rpartition("`")
        needs_position = needs_positions.get(context + backtick) if backtick else None
        if needs_position is not None and positions[0] < needs_position:
            line, _ = inspection.source.get_position(needs_position)
            inspection.report_issue(
                "NeedsAfterUse",
                get_name_span(name, positions[0]),
                f"{format_code(name)} is used before `Needs` loads its context in line {line}.",
            )
