"""Rules on associations and on what particular functions are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head, is_symbol
from paddock.wolfram.inspection.inspecting import Edit, end_before
from paddock.wolfram.inspection.rule import Rule, as_code
from paddock.wolfram.text import string_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspecting import Afterwards, Check, Inspection

READ_STRING_CHARACTER_ENCODING = Rule(
    "ReadStringCharacterEncoding",
    "Error",
    0.95,
    '`ReadString[…, CharacterEncoding -> "…"]`, an option that it does not have',
)
NOTHING_VALUE_IN_ASSOCIATION = Rule(
    "NothingValueInAssociation",
    "Warning",
    0.9,
    "`key -> Nothing` in an association, which keeps it as a value",
)
KEY_EXISTS_Q_NESTED_KEY_PATH = Rule(
    "KeyExistsQNestedKeyPath",
    "Warning",
    0.9,
    "`KeyExistsQ` with a list, which is one key and no path",
)
DUPLICATE_KEYS = Rule("DuplicateKeys", "Error", 0.95, "a literal key twice in one association")
COMMA = Rule(
    "Comma",
    "Error",
    0.9,
    "a comma with nothing before or after it, which stands for `Null`; the first branch of an `If` "
    "may be left out",
)
RULES = (
    *(READ_STRING_CHARACTER_ENCODING, NOTHING_VALUE_IN_ASSOCIATION),
    *(KEY_EXISTS_Q_NESTED_KEY_PATH, DUPLICATE_KEYS, COMMA),
)


def _association(inspection: Inspection, node: Node) -> None:
    seen: dict[str, int] = {}
    for rule in _rules(node):
        if is_symbol(rule.args[1], "Nothing"):
            inspection.report_at(
                NOTHING_VALUE_IN_ASSOCIATION,
                rule,
                "`Nothing` as a value stays in an association.",
            )
        key = _literal(rule.args[0])
        if key is None:
            continue
        first = seen.setdefault(key, rule.start)
        if first != rule.start:
            line, _ = inspection.source.position(first)
            inspection.report_at(
                DUPLICATE_KEYS,
                rule.args[0],
                f"The key {as_code(inspection.code(rule.args[0]))} stands in line {line} already; "
                "only the last value counts.",
            )


def _rules(node: Node) -> Iterator[Node]:
    args = node.args
    if len(args) == 1 and isinstance(args[0], Node) and has_head(args[0], "List"):
        args = args[0].args
    for arg in args:
        is_rule = has_head(arg, "Rule") or has_head(arg, "RuleDelayed")
        if is_rule and isinstance(arg, Node) and len(arg.args) == 2:
            yield arg


def _literal(key: Expression) -> str | None:
    if not isinstance(key, Atom) or key.kind not in ("string", "number", "symbol"):
        return None
    return f'"{string_value(key.text)}' if key.kind == "string" else key.text


def _read_string(inspection: Inspection, node: Node) -> None:
    for arg in node.args:
        if (
            isinstance(arg, Node)
            and has_head(arg, "Rule")
            and len(arg.args) == 2
            and is_symbol(arg.args[0], "CharacterEncoding")
            and isinstance(arg.args[1], Atom)
            and arg.args[1].kind == "string"
        ):
            inspection.report_at(
                READ_STRING_CHARACTER_ENCODING,
                arg,
                "`ReadString` has no option `CharacterEncoding`; give it to `OpenRead`, or use "
                '`ByteArrayToString[ReadByteArray[…], "…"]`.',
            )


def _key_exists(inspection: Inspection, node: Node) -> None:
    if len(node.args) == 2 and isinstance(node.args[1], Node) and has_head(node.args[1], "List"):
        inspection.report_at(
            KEY_EXISTS_Q_NESTED_KEY_PATH,
            node,
            "`KeyExistsQ` takes a list for one key; it does not look into associations within "
            "others.",
        )


def _commas(inspection: Inspection) -> None:
    text = inspection.text
    for at in inspection.symbols.get("Null", ()):
        if text.startswith("Null", at) or at in inspection.left_out:
            continue
        before = end_before(text, at)
        if text.startswith(",", before - 1):
            place = before - 1
        elif text.startswith(",", at) and not text.startswith(";", before - 1):
            place = at
        else:
            continue
        edit = Edit("Remove the `,`", place, place + 1, "")
        inspection.report(
            COMMA, place, place + 1, "Nothing stands beside this comma.", edits=[edit]
        )


CHECKS: dict[str, tuple[Check, ...]] = {
    "Association": (_association,),
    "ReadString": (_read_string,),
    "KeyExistsQ": (_key_exists,),
}
AFTERWARDS: tuple[Afterwards, ...] = (_commas,)
