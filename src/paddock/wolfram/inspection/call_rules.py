"""Rules on associations and on the arguments of particular functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head, is_symbol
from paddock.wolfram.inspection.inspection import IssueFix, find_text_end, format_code
from paddock.wolfram.inspection.rule_set import RuleSet
from paddock.wolfram.literals import parse_string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection

CALLS = RuleSet("Values and arguments")


NOTHING_VALUE_IN_ASSOCIATION = CALLS.add(
    "NothingValueInAssociation",
    "Warning",
    0.9,
    "`key -> Nothing` in an association, which does not remove the key",
)
DUPLICATE_KEYS = CALLS.add(
    "DuplicateKeys", "Error", 0.95, "a duplicate literal key in an association"
)


@CALLS.check_nodes("Association")
def _check_association(inspection: Inspection, node: Node) -> None:
    """Report duplicate literal keys, and `Nothing` as a value, in an association."""
    start_by_key: dict[str, int] = {}
    for rule in _iter_rules(node):
        if is_symbol(rule.args[1], "Nothing"):
            inspection.report_node_issue(
                NOTHING_VALUE_IN_ASSOCIATION,
                rule,
                "An association keeps `Nothing` as a value.",
            )
        key = _get_literal_key(rule.args[0])
        # A key that must be evaluated can have any value, so it is not compared.
        if key is None:
            continue
        first_start = start_by_key.setdefault(key, rule.start)
        if first_start != rule.start:
            line, _ = inspection.source.get_position(first_start)
            inspection.report_node_issue(
                DUPLICATE_KEYS,
                rule.args[0],
                f"The key {format_code(inspection.get_code(rule.args[0]))} is already in line "
                f"{line}; only the last value is used.",
            )


def _iter_rules(node: Node) -> Iterator[Node]:
    """Yield the rules of an association."""
    args = node.args
    # `Association[{…}]` takes its rules in a list.
    if len(args) == 1 and has_head(args[0], "List"):
        args = args[0].args
    for arg in args:
        is_rule = has_head(arg, "Rule") or has_head(arg, "RuleDelayed")
        if is_rule and isinstance(arg, Node) and len(arg.args) == 2:
            yield arg


def _get_literal_key(key: Expression) -> str | None:
    """Return a text that identifies a literal key, or None for a key that must be evaluated."""
    if not isinstance(key, Atom) or key.kind not in ("string", "number", "symbol"):
        return None
    # The quote distinguishes the string "a" from the symbol a.
    return f'"{parse_string(key.text)}' if key.kind == "string" else key.text


READ_STRING_CHARACTER_ENCODING = CALLS.add(
    "ReadStringCharacterEncoding",
    "Error",
    0.95,
    '`ReadString[…, CharacterEncoding -> "…"]`, which has no such option',
)


@CALLS.check_nodes("ReadString")
def _check_read_string(inspection: Inspection, node: Node) -> None:
    """Report the option `CharacterEncoding` of `ReadString`, which does not exist."""
    for arg in node.args:
        if (
            has_head(arg, "Rule")
            and len(arg.args) == 2
            and is_symbol(arg.args[0], "CharacterEncoding")
            and isinstance(arg.args[1], Atom)
            and arg.args[1].kind == "string"
        ):
            inspection.report_node_issue(
                READ_STRING_CHARACTER_ENCODING,
                arg,
                "`ReadString` has no option `CharacterEncoding`; pass it to `OpenRead`, or use "
                '`ByteArrayToString[ReadByteArray[…], "…"]`.',
            )


KEY_EXISTS_Q_NESTED_KEY_PATH = CALLS.add(
    "KeyExistsQNestedKeyPath",
    "Warning",
    0.9,
    "`KeyExistsQ` with a list, which is a single key, not a path",
)


@CALLS.check_nodes("KeyExistsQ")
def _check_key_exists(inspection: Inspection, node: Node) -> None:
    """Report `KeyExistsQ` with a list, which looks like a path but is a single key."""
    if len(node.args) == 2 and has_head(node.args[1], "List"):
        inspection.report_node_issue(
            KEY_EXISTS_Q_NESTED_KEY_PATH,
            node,
            "`KeyExistsQ` treats a list as a single key; it does not search nested associations.",
        )


COMMA = CALLS.add(
    "Comma",
    "Error",
    0.9,
    "a comma without an expression before or after it, which inserts `Null`; not for the first "
    "branch of an `If`",
)


@CALLS.check_source
def _check_commas(inspection: Inspection) -> None:
    """Report commas where an expression is missing."""
    text = inspection.text
    for position in inspection.symbol_positions.get("Null", ()):
        # The parser inserts `Null` for a missing argument. An explicit `Null` is intended.
        if text.startswith("Null", position) or position in inspection.omitted_arguments:
            continue
        before = find_text_end(text, position)
        if text.startswith(",", before - 1):
            comma = before - 1
        elif text.startswith(",", position) and not text.startswith(";", before - 1):
            comma = position
        else:
            continue
        edit = IssueFix("Remove the `,`", comma, comma + 1, "")
        inspection.report_issue(
            COMMA,
            comma,
            comma + 1,
            "An expression is missing before or after this comma.",
            edits=[edit],
        )
