"""WXF, the binary form of expressions: reading and writing it.

Numbers, strings and symbols become atoms, arrays nested lists, so that whatever works on parsed
source works on what was read here too. What the data claims about its size is checked against
what is there, and what it unpacks to is limited.
"""

from __future__ import annotations

import base64
import math
import re
import struct
import zlib
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.wolfram.expressions import Atom, Node, has_head, string, symbol
from paddock.wolfram.literals import parse_number, parse_string, parse_symbol_name
from paddock.wolfram.tokens import NUMBER_PATTERN, is_symbol_name

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression

MAX_UNPACKED_BYTES = 64 * 1024 * 1024
"""Bytes. What is larger is not a definition that somebody wrote."""
MAX_EXPRESSIONS = 4_000_000
"""All together, with the elements of arrays: each takes a hundred times its byte."""
_MAX_RANK = 255
_INTEGER_FORMATS = {ord("C"): "<b", ord("j"): "<h", ord("i"): "<i", ord("L"): "<q"}
_ELEMENT_FORMATS = {
    0x00: "b",
    0x01: "h",
    0x02: "i",
    0x03: "q",
    0x10: "B",
    0x11: "H",
    0x12: "I",
    0x13: "Q",
    0x22: "f",
    0x23: "d",
    0x33: "f",
    0x34: "d",
}
_COMPLEX_ELEMENTS = (0x33, 0x34)
_PACKED_ARRAY, _NUMERIC_ARRAY = 0xC1, 0xC2
_INTEGER_PATTERN = re.compile(r"-?\d+")
_REAL_SYNTAX = re.compile(r"[.`]|\*\^-")
"""What a number has that is not whole."""
_PRECISION_MARK = re.compile(r"``|`[-+.\d]")
"""A mark of precision or accuracy, with its number."""
_MAX_MACHINE_INTEGER_CHARACTERS = 20
_RULE_HEADS = {ord("-"): "Rule", ord(":"): "RuleDelayed"}


class WxfError(PaddockError):
    """Data is not WXF, or not all of it is there."""

    code = "wxf"


def read_wxf(data: bytes, *, where: str | None = None) -> Expression:
    """The expression that WXF data holds.

    Raises:
        WxfError: when it is not WXF, ends too early, or unpacks to more than is sensible.
    """
    try:
        return _WxfReader(_decompress(data)).read_expression()
    except WxfError as error:
        error.where = error.where or where
        raise
    except (struct.error, IndexError):
        raise WxfError("The data ends too early", where=where) from None
    except UnicodeDecodeError as error:
        raise WxfError(f"Text is not UTF-8: {error.reason}", where=where) from None


def write_wxf(expression: Expression, *, compress: bool = False) -> bytes:
    """An expression as WXF data."""
    body = bytearray()
    waiting: list[Expression | bytes] = [expression]
    while waiting:
        item = waiting.pop()
        if isinstance(item, bytes):
            body += item
        elif isinstance(item, Atom):
            body += _encode_atom(item)
        elif _is_association(item):
            _write_association(item, body, waiting)
        else:
            body += b"f" + _encode_size(len(item.args))
            waiting += [*reversed(item.args), item.head]
    return b"8C:" + zlib.compress(bytes(body)) if compress else b"8:" + bytes(body)


def _decompress(data: bytes) -> bytes:
    if data.startswith(b"8:"):
        return data[2:]
    if not data.startswith(b"8C:"):
        raise WxfError(
            f"The data begins with {data[:8]!r}", hint="WXF begins with 8: or, compressed, 8C:"
        )
    unpacking = zlib.decompressobj()
    try:
        unpacked = unpacking.decompress(data[3:], MAX_UNPACKED_BYTES)
    except zlib.error as error:
        raise WxfError(f"The data cannot be unpacked: {error}") from None
    if unpacking.unconsumed_tail:
        raise WxfError(f"The data unpacks to more than {MAX_UNPACKED_BYTES} bytes")
    return unpacked


class _OpenNode:
    """A node whose parts are still to come."""

    __slots__ = ("missing", "parts")

    def __init__(self, missing: int) -> None:
        self.missing = missing
        self.parts: list[Expression] = []


class _WxfReader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0
        self.open_nodes: list[_OpenNode] = []
        self.expression_count = 0

    def read_expression(self) -> Expression:
        while True:
            done = self._read_next()
            while done is not None:
                if not self.open_nodes:
                    self._check_end()
                    return done
                last = self.open_nodes[-1]
                last.parts.append(done)
                last.missing -= 1
                if last.missing:
                    break
                self.open_nodes.pop()
                done = Node(last.parts[0], last.parts[1:])

    def _count_expressions(self, more: int) -> None:
        self.expression_count += more
        if self.expression_count > MAX_EXPRESSIONS:
            raise WxfError(f"There are more than {MAX_EXPRESSIONS:,} expressions")

    def _check_end(self) -> None:
        if self.position < len(self.data):
            raise WxfError(f"{len(self.data) - self.position} bytes follow the expression")

    def _read_next(self) -> Expression | None:
        """The next complete expression, or None where one has only begun."""
        mark = self.data[self.position]
        self.position += 1
        if mark == ord("f"):
            self._begin_node(self._read_length() + 1)
            return None
        if mark == ord("A"):
            self._begin_node(self._read_length() + 1)
            return self._add_known_head("Association")
        if mark in _RULE_HEADS:
            self._begin_node(3)
            return self._add_known_head(_RULE_HEADS[mark])
        return self._read_value(mark)

    def _begin_node(self, parts: int) -> None:
        if parts > len(self.data) - self.position + 1:
            raise WxfError("The data ends too early")
        self._count_expressions(parts)
        self.open_nodes.append(_OpenNode(parts))

    def _add_known_head(self, name: str) -> Expression | None:
        """The head is known already; a node without arguments is then complete."""
        last = self.open_nodes[-1]
        last.parts.append(symbol(name))
        last.missing -= 1
        if last.missing:
            return None
        self.open_nodes.pop()
        return Node(last.parts[0], [])

    def _read_value(self, mark: int) -> Expression:
        if mark in _INTEGER_FORMATS:
            return Atom("number", str(self._read_number(_INTEGER_FORMATS[mark])))
        if mark == ord("r"):
            return _make_real(self._read_number("<d"))
        if mark in b"sSIRB":
            return _make_text_expression(mark, self._read_bytes(self._read_length()))
        if mark in (_PACKED_ARRAY, _NUMERIC_ARRAY):
            return self._read_array(mark)
        raise WxfError(f"Unknown mark {bytes([mark])!r} at byte {self.position - 1}")

    def _read_number(self, form: str) -> int | float:
        (value,) = struct.unpack_from(form, self.data, self.position)
        self.position += struct.calcsize(form)
        number: int | float = value
        return number

    def _read_bytes(self, size: int) -> bytes:
        if size > len(self.data) - self.position:
            raise WxfError("The data ends too early")
        found = self.data[self.position : self.position + size]
        self.position += size
        return found

    def _read_length(self) -> int:
        """A number in groups of seven bits, the lowest first."""
        value = shift = 0
        while True:
            byte = self.data[self.position]
            self.position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift > 63:
                raise WxfError("A length is too great")

    def _read_dimensions(self) -> list[int]:
        rank = self._read_length()
        if not 0 < rank <= _MAX_RANK:
            raise WxfError(f"An array has {rank} dimensions")
        return [self._read_length() for _ in range(rank)]

    def _read_array(self, mark: int) -> Expression:
        kind = self.data[self.position]
        self.position += 1
        if kind not in _ELEMENT_FORMATS:
            raise WxfError(f"Unknown type {kind:#x} of an array")
        sizes = self._read_dimensions()
        rows = list(accumulate(sizes, mul))
        count = rows[-1] * (2 if kind in _COMPLEX_ELEMENTS else 1)
        self._count_expressions(count + sum(rows))
        form = _ELEMENT_FORMATS[kind]
        data = self._read_bytes(count * struct.calcsize(form))
        values: list[Expression] = [
            _make_number(one) for one in struct.unpack(f"<{count}{form}", data)
        ]
        if kind in _COMPLEX_ELEMENTS:
            values = [Node(symbol("Complex"), pair) for pair in _split_rows(values, 2)]
        for size in reversed(sizes[1:]):
            values = [Node(symbol("List"), row) for row in _split_rows(values, size)]
        array = Node(symbol("List"), values)
        return array if mark == _PACKED_ARRAY else Node(symbol("NumericArray"), [array])


def _split_rows(values: list[Expression], size: int) -> list[list[Expression]]:
    return [values[at : at + size] for at in range(0, len(values), size)] if size else []


def _make_number(value: float) -> Atom:
    return Atom("number", str(value)) if isinstance(value, int) else _make_real(value)


def _make_real(value: float) -> Atom:
    """A machine number as it is written: `1.5`, `2.`, `3.*^20`."""
    if not math.isfinite(value):
        return symbol("Indeterminate")
    digits, _, exponent = repr(value).partition("e")
    digits = digits.removesuffix("0") if digits.endswith(".0") else digits
    digits = digits if "." in digits else f"{digits}."
    return Atom("number", f"{digits}*^{int(exponent)}" if exponent else digits)


def _make_text_expression(mark: int, data: bytes) -> Expression:
    if mark == ord("B"):
        return Node(symbol("ByteArray"), [string(base64.b64encode(data).decode())])
    text = data.decode("utf-8")
    if mark == ord("S"):
        return string(text)
    # They are written into sources as they are, so they must not be able to be anything else.
    is_symbol = mark == ord("s")
    if not (is_symbol_name(text) if is_symbol else NUMBER_PATTERN.fullmatch(text)):
        raise WxfError(f"{text[:40]!r} is no {'symbol' if is_symbol else 'number'}")
    return symbol(text.removeprefix("System`")) if is_symbol else Atom("number", text)


def _is_association(node: Node) -> bool:
    return has_head(node, "Association") and all(
        isinstance(arg, Node) and len(arg.args) == 2 and _get_rule_mark(arg) for arg in node.args
    )


def _get_rule_mark(node: Node) -> bytes | None:
    if has_head(node, "Rule"):
        return b"-"
    return b":" if has_head(node, "RuleDelayed") else None


def _write_association(node: Node, body: bytearray, waiting: list[Expression | bytes]) -> None:
    body += b"A" + _encode_size(len(node.args))
    for arg in reversed(node.args):
        if isinstance(arg, Node):
            waiting += [arg.args[1], arg.args[0], _get_rule_mark(arg) or b"-"]


def _encode_atom(atom: Atom) -> bytes:
    if atom.kind == "string":
        return _encode_with_size(b"S", _encode_text(parse_string(atom.text)))
    if atom.kind == "number":
        return _encode_number(atom.text)
    if atom.kind == "symbol":
        return _encode_with_size(b"s", _encode_text(parse_symbol_name(atom.text)))
    raise WxfError(f"{atom.text[:40]!r} cannot be written")


def _encode_text(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        code = f"{ord(text[error.start]):04x}"
        raise WxfError(f"The character with the code {code} cannot be written") from None


def _encode_number(text: str) -> bytes:
    """A number: whole, a machine number, or one with digits of its own."""
    if _INTEGER_PATTERN.fullmatch(text) and len(text) > _MAX_MACHINE_INTEGER_CHARACTERS:
        return _encode_with_size(b"I", text.encode())
    value = parse_number(text)
    if isinstance(value, int):
        return _encode_integer(value)
    if value is None and not _REAL_SYNTAX.search(text):
        raise WxfError(f"{text[:40]!r} is too long a whole number to be written")
    if value is None or _PRECISION_MARK.search(text):
        return _encode_with_size(b"R", text.encode())
    return b"r" + struct.pack("<d", value)


def _encode_integer(value: int) -> bytes:
    for mark, form in _INTEGER_FORMATS.items():
        try:
            return bytes([mark]) + struct.pack(form, value)
        except struct.error:
            continue
    return _encode_with_size(b"I", str(value).encode())


def _encode_with_size(mark: bytes, data: bytes) -> bytes:
    return mark + _encode_size(len(data)) + data


def _encode_size(number: int) -> bytes:
    groups = bytearray()
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)
