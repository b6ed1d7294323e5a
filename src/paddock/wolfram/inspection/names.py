"""Rules on symbols as such: their contexts, names that do not exist, and old ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.inspection.inspecting import Edit
from paddock.wolfram.inspection.rule import Rule, as_code

if TYPE_CHECKING:
    from paddock.wolfram.inspection.inspecting import Afterwards, Inspection

PRIVATE_CONTEXT_SYMBOL = Rule(
    "PrivateContextSymbol",
    "Warning",
    0.9,
    "a symbol with `` `Private` `` or `` `PackagePrivate` `` in its context, but not "
    "`` System`Private` ``",
)
GLOBAL_SYMBOL = Rule("GlobalSymbol", "Warning", 0.9, "a symbol that is written with `` Global` ``")
BAD_SYMBOL = Rule(
    "BadSymbol",
    "Error",
    0.85,
    "a name that the language does not have, though it looks so, such as `Failed` or `ForEach`; "
    "not when the file defines it",
)
OBSOLETE_SYMBOL = Rule(
    "ObsoleteSymbol", "Warning", 0.8, "a function that another has replaced, such as `URLFetch`"
)
SUSPICIOUS_SESSION_SYMBOL = Rule(
    "SuspiciousSessionSymbol",
    "Remark",
    0.8,
    "`Print`, `Echo` and the like in a package",
)
RULES = (
    *(PRIVATE_CONTEXT_SYMBOL, GLOBAL_SYMBOL, BAD_SYMBOL, OBSOLETE_SYMBOL),
    SUSPICIOUS_SESSION_SYMBOL,
)

_BAD = {
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
_OBSOLETE = {
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
_SESSION = frozenset({"Print", "Echo", "EchoEvaluation", "EchoFunction", "EchoLabel", "EchoTiming"})
_PACKAGES = ("BeginPackage", "Package")


def _names(inspection: Inspection) -> None:
    is_package = any(name in inspection.symbols for name in _PACKAGES)
    local: set[str] | None = None
    for name, places in inspection.symbols.items():
        if "`" in name:
            _contexts(inspection, name, places)
        elif name in _BAD or name in _OBSOLETE:
            if local is None:
                local = {one.name for scope in inspection.scopes for one in scope.variables}
            if name not in local and name not in inspection.defined:
                _unknown(inspection, name, places)
        elif is_package and name in _SESSION:
            for at in places:
                inspection.report(
                    SUSPICIOUS_SESSION_SYMBOL,
                    at,
                    at + len(name),
                    f"`{name}` is for sessions; is it left over?",
                    argument=name,
                )


def _contexts(inspection: Inspection, name: str, places: list[int]) -> None:
    if name.startswith("Global`"):
        rule, what = GLOBAL_SYMBOL, "names the context of sessions"
    elif _is_private(name):
        rule, what = PRIVATE_CONTEXT_SYMBOL, "reaches into a private context"
    else:
        return
    for at in places:
        inspection.report(rule, at, at + len(name), f"{as_code(name)} {what}.")


def _is_private(name: str) -> bool:
    if name.startswith("System`Private`"):
        return False
    return "`Private`" in name or "`PackagePrivate`" in name


def _unknown(inspection: Inspection, name: str, places: list[int]) -> None:
    is_bad = name in _BAD
    better = _BAD[name] if is_bad else _OBSOLETE[name]
    rule = BAD_SYMBOL if is_bad else OBSOLETE_SYMBOL
    what = "is no symbol of the language" if is_bad else f"is obsolete; `{better}` has replaced it"
    for at in places:
        edits = [Edit(f"Replace with `{better}`", at, at + len(name), better)] if better else []
        inspection.report(rule, at, at + len(name), f"`{name}` {what}.", argument=name, edits=edits)


AFTERWARDS: tuple[Afterwards, ...] = (_names,)
