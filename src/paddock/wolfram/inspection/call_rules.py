"""Rules on associations and on what particular functions are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head, is_symbol
from paddock.wolfram.inspection.inspection import (
    InspectionRule,
    IssueFix,
    find_text_end,
    format_code,
)
from paddock.wolfram.literals import parse_string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection, NodeCheck, SourceCheck

READ_STRING_CHARACTER_ENCODING = InspectionRule(
    "ReadStringCharacterEncoding",
    "Error",
    0.95,
    '`ReadString[…, CharacterEncoding -> "…"]`, an option that it does not have',
)
NOTHING_VALUE_IN_ASSOCIATION = InspectionRule(
    "NothingValueInAssociation",
    "Warning",
    0.9,
    "`key -> Nothing` in an association, which keeps it as a value",
)
KEY_EXISTS_Q_NESTED_KEY_PATH = InspectionRule(
    "KeyExistsQNestedKeyPath",
    "Warning",
    0.9,
    "`KeyExistsQ` with a list, which is one key and no path",
)
DUPLICATE_KEYS = InspectionRule(
    "DuplicateKeys", "Error", 0.95, "a literal key twice in one association"
)
COMMA = InspectionRule(
    "Comma",
    "Error",
    0.9,
    "a comma with nothing before or after it, which stands for `Null`; the first branch of an `If` "
    "may be left out",
)
CALL_RULES = (
    *(READ_STRING_CHARACTER_ENCODING, NOTHING_VALUE_IN_ASSOCIATION),
    *(KEY_EXISTS_Q_NESTED_KEY_PATH, DUPLICATE_KEYS, COMMA),
)


def _check_association(inspection: Inspection, node: Node) -> None:
    seen: dict[str, int] = {}
    for rule in _iter_rules(node):
        if is_symbol(rule.args[1], "Nothing"):
            inspection.report_node_issue(
                NOTHING_VALUE_IN_ASSOCIATION,
                rule,
                "`Nothing` as a value stays in an association.",
            )
        key = _get_literal_key(rule.args[0])
        if key is None:
            continue
        first = seen.setdefault(key, rule.start)
        if first != rule.start:
            line, _ = inspection.source.get_position(first)
            inspection.report_node_issue(
                DUPLICATE_KEYS,
                rule.args[0],
                f"The key {format_code(inspection.get_code(rule.args[0]))} stands in line {line} already; "
                "only the last value counts.",
            )


def _iter_rules(node: Node) -> Iterator[Node]:
    args = node.args
    if len(args) == 1 and isinstance(args[0], Node) and has_head(args[0], "List"):
        args = args[0].args
    for arg in args:
        is_rule = has_head(arg, "Rule") or has_head(arg, "RuleDelayed")
        if is_rule and isinstance(arg, Node) and len(arg.args) == 2:
            yield arg


def _get_literal_key(key: Expression) -> str | None:
    if not isinstance(key, Atom) or key.kind not in ("string", "number", "symbol"):
        return None
    return f'"{parse_string(key.text)}' if key.kind == "string" else key.text


def _check_read_string(inspection: Inspection, node: Node) -> None:
    for arg in node.args:
        if (
            isinstance(arg, Node)
            and has_head(arg, "Rule")
            and len(arg.args) == 2
            and is_symbol(arg.args[0], "CharacterEncoding")
            and isinstance(arg.args[1], Atom)
            and arg.args[1].kind == "string"
        ):
            inspection.report_node_issue(
                READ_STRING_CHARACTER_ENCODING,
                arg,
                "`ReadString` has no option `CharacterEncoding`; give it to `OpenRead`, or use "
                '`ByteArrayToString[ReadByteArray[…], "…"]`.',
            )


def _check_key_exists(inspection: Inspection, node: Node) -> None:
    if len(node.args) == 2 and isinstance(node.args[1], Node) and has_head(node.args[1], "List"):
        inspection.report_node_issue(
            KEY_EXISTS_Q_NESTED_KEY_PATH,
            node,
            "`KeyExistsQ` takes a list for one key; it does not look into associations within "
            "others.",
        )


def _check_commas(inspection: Inspection) -> None:
    text = inspection.text
    for at in inspection.symbol_positions.get("Null", ()):
        if text.startswith("Null", at) or at in inspection.omitted_arguments:
            continue
        before = find_text_end(text, at)
        if text.startswith(",", before - 1):
            place = before - 1
        elif text.startswith(",", at) and not text.startswith(";", before - 1):
            place = at
        else:
            continue
        edit = IssueFix("Remove the `,`", place, place + 1, "")
        inspection.report_issue(
            COMMA, place, place + 1, "Nothing stands beside this comma.", edits=[edit]
        )


CALL_NODE_CHECKS: dict[str, tuple[NodeCheck, ...]] = {
    "Association": (_check_association,),
    "ReadString": (_check_read_string,),
    "KeyExistsQ": (_check_key_exists,),
}
CALL_SOURCE_CHECKS: tuple[SourceCheck, ...] = (_check_commas,)
