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
from paddock.wolfram.text import number_value, string_value, symbol_name
from paddock.wolfram.tokens import NUMERAL, is_name

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression

MAX_UNPACKED = 64 * 1024 * 1024
"""Bytes. What is larger is not a definition that somebody wrote."""
MAX_EXPRESSIONS = 4_000_000
"""All together, with the elements of arrays: each takes a hundred times its byte."""
_MAX_RANK = 255
_INTEGERS = {ord("C"): "<b", ord("j"): "<h", ord("i"): "<i", ord("L"): "<q"}
_ELEMENTS = {
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
_COMPLEX = (0x33, 0x34)
_PACKED, _NUMERIC = 0xC1, 0xC2
_WHOLE = re.compile(r"-?\d+")
_REAL = re.compile(r"[.`]|\*\^-")
"""What a number has that is not whole."""
_PRECISE = re.compile(r"``|`[-+.\d]")
"""A mark of precision or accuracy, with its number."""
_LONGEST_MACHINE_NUMBER = 20
_RULES = {ord("-"): "Rule", ord(":"): "RuleDelayed"}


class WxfError(PaddockError):
    """Data is not WXF, or not all of it is there."""

    code = "wxf"


def read_wxf(data: bytes, *, where: str | None = None) -> Expression:
    """The expression that WXF data holds.

    Raises:
        WxfError: when it is not WXF, ends too early, or unpacks to more than is sensible.
    """
    try:
        return _Reader(_unpacked(data)).run()
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
            body += _atom(item)
        elif _is_association(item):
            _write_association(item, body, waiting)
        else:
            body += b"f" + _size(len(item.args))
            waiting += [*reversed(item.args), item.head]
    return b"8C:" + zlib.compress(bytes(body)) if compress else b"8:" + bytes(body)


def _unpacked(data: bytes) -> bytes:
    if data.startswith(b"8:"):
        return data[2:]
    if not data.startswith(b"8C:"):
        raise WxfError(
            f"The data begins with {data[:8]!r}", hint="WXF begins with 8: or, compressed, 8C:"
        )
    unpacking = zlib.decompressobj()
    try:
        unpacked = unpacking.decompress(data[3:], MAX_UNPACKED)
    except zlib.error as error:
        raise WxfError(f"The data cannot be unpacked: {error}") from None
    if unpacking.unconsumed_tail:
        raise WxfError(f"The data unpacks to more than {MAX_UNPACKED} bytes")
    return unpacked


class _Open:
    """A node whose parts are still to come."""

    __slots__ = ("missing", "parts")

    def __init__(self, missing: int) -> None:
        self.missing = missing
        self.parts: list[Expression] = []


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0
        self.open: list[_Open] = []
        self.expressions = 0

    def run(self) -> Expression:
        while True:
            done = self._next()
            while done is not None:
                if not self.open:
                    self._check_end()
                    return done
                last = self.open[-1]
                last.parts.append(done)
                last.missing -= 1
                if last.missing:
                    break
                self.open.pop()
                done = Node(last.parts[0], last.parts[1:])

    def _count(self, more: int) -> None:
        self.expressions += more
        if self.expressions > MAX_EXPRESSIONS:
            raise WxfError(f"There are more than {MAX_EXPRESSIONS:,} expressions")

    def _check_end(self) -> None:
        if self.position < len(self.data):
            raise WxfError(f"{len(self.data) - self.position} bytes follow the expression")

    def _next(self) -> Expression | None:
        """The next complete expression, or None where one has only begun."""
        mark = self.data[self.position]
        self.position += 1
        if mark == ord("f"):
            self._begin(self._length() + 1)
            return None
        if mark == ord("A"):
            self._begin(self._length() + 1)
            return self._with_head("Association")
        if mark in _RULES:
            self._begin(3)
            return self._with_head(_RULES[mark])
        return self._value(mark)

    def _begin(self, parts: int) -> None:
        if parts > len(self.data) - self.position + 1:
            raise WxfError("The data ends too early")
        self._count(parts)
        self.open.append(_Open(parts))

    def _with_head(self, name: str) -> Expression | None:
        """The head is known already; a node without arguments is then complete."""
        last = self.open[-1]
        last.parts.append(symbol(name))
        last.missing -= 1
        if last.missing:
            return None
        self.open.pop()
        return Node(last.parts[0], [])

    def _value(self, mark: int) -> Expression:
        if mark in _INTEGERS:
            return Atom("number", str(self._unpack(_INTEGERS[mark])))
        if mark == ord("r"):
            return _real(self._unpack("<d"))
        if mark in b"sSIRB":
            return _texts(mark, self._bytes(self._length()))
        if mark in (_PACKED, _NUMERIC):
            return self._array(mark)
        raise WxfError(f"Unknown mark {bytes([mark])!r} at byte {self.position - 1}")

    def _unpack(self, form: str) -> int | float:
        (value,) = struct.unpack_from(form, self.data, self.position)
        self.position += struct.calcsize(form)
        number: int | float = value
        return number

    def _bytes(self, size: int) -> bytes:
        if size > len(self.data) - self.position:
            raise WxfError("The data ends too early")
        found = self.data[self.position : self.position + size]
        self.position += size
        return found

    def _length(self) -> int:
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

    def _sizes(self) -> list[int]:
        rank = self._length()
        if not 0 < rank <= _MAX_RANK:
            raise WxfError(f"An array has {rank} dimensions")
        return [self._length() for _ in range(rank)]

    def _array(self, mark: int) -> Expression:
        kind = self.data[self.position]
        self.position += 1
        if kind not in _ELEMENTS:
            raise WxfError(f"Unknown type {kind:#x} of an array")
        sizes = self._sizes()
        rows = list(accumulate(sizes, mul))
        count = rows[-1] * (2 if kind in _COMPLEX else 1)
        self._count(count + sum(rows))
        form = _ELEMENTS[kind]
        data = self._bytes(count * struct.calcsize(form))
        values: list[Expression] = [_number(one) for one in struct.unpack(f"<{count}{form}", data)]
        if kind in _COMPLEX:
            values = [Node(symbol("Complex"), pair) for pair in _rows(values, 2)]
        for size in reversed(sizes[1:]):
            values = [Node(symbol("List"), row) for row in _rows(values, size)]
        array = Node(symbol("List"), values)
        return array if mark == _PACKED else Node(symbol("NumericArray"), [array])


def _rows(values: list[Expression], size: int) -> list[list[Expression]]:
    return [values[at : at + size] for at in range(0, len(values), size)] if size else []


def _number(value: float) -> Atom:
    return Atom("number", str(value)) if isinstance(value, int) else _real(value)


def _real(value: float) -> Atom:
    """A machine number as it is written: `1.5`, `2.`, `3.*^20`."""
    if not math.isfinite(value):
        return symbol("Indeterminate")
    digits, _, exponent = repr(value).partition("e")
    digits = digits.removesuffix("0") if digits.endswith(".0") else digits
    digits = digits if "." in digits else f"{digits}."
    return Atom("number", f"{digits}*^{int(exponent)}" if exponent else digits)


def _texts(mark: int, data: bytes) -> Expression:
    if mark == ord("B"):
        return Node(symbol("ByteArray"), [string(base64.b64encode(data).decode())])
    text = data.decode("utf-8")
    if mark == ord("S"):
        return string(text)
    # They are written into sources as they are, so they must not be able to be anything else.
    is_symbol = mark == ord("s")
    if not (is_name(text) if is_symbol else NUMERAL.fullmatch(text)):
        raise WxfError(f"{text[:40]!r} is no {'symbol' if is_symbol else 'number'}")
    return symbol(text.removeprefix("System`")) if is_symbol else Atom("number", text)


def _is_association(node: Node) -> bool:
    return has_head(node, "Association") and all(
        isinstance(arg, Node) and len(arg.args) == 2 and _rule_mark(arg) for arg in node.args
    )


def _rule_mark(node: Node) -> bytes | None:
    if has_head(node, "Rule"):
        return b"-"
    return b":" if has_head(node, "RuleDelayed") else None


def _write_association(node: Node, body: bytearray, waiting: list[Expression | bytes]) -> None:
    body += b"A" + _size(len(node.args))
    for arg in reversed(node.args):
        if isinstance(arg, Node):
            waiting += [arg.args[1], arg.args[0], _rule_mark(arg) or b"-"]


def _atom(atom: Atom) -> bytes:
    if atom.kind == "string":
        return _counted(b"S", _encoded(string_value(atom.text)))
    if atom.kind == "number":
        return _numeral(atom.text)
    if atom.kind == "symbol":
        return _counted(b"s", _encoded(symbol_name(atom.text)))
    raise WxfError(f"{atom.text[:40]!r} cannot be written")


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        code = f"{ord(text[error.start]):04x}"
        raise WxfError(f"The character with the code {code} cannot be written") from None


def _numeral(text: str) -> bytes:
    """A number: whole, a machine number, or one with digits of its own."""
    if _WHOLE.fullmatch(text) and len(text) > _LONGEST_MACHINE_NUMBER:
        return _counted(b"I", text.encode())
    value = number_value(text)
    if isinstance(value, int):
        return _integer(value)
    if value is None and not _REAL.search(text):
        raise WxfError(f"{text[:40]!r} is too long a whole number to be written")
    if value is None or _PRECISE.search(text):
        return _counted(b"R", text.encode())
    return b"r" + struct.pack("<d", value)


def _integer(value: int) -> bytes:
    for mark, form in _INTEGERS.items():
        try:
            return bytes([mark]) + struct.pack(form, value)
        except struct.error:
            continue
    return _counted(b"I", str(value).encode())


def _counted(mark: bytes, data: bytes) -> bytes:
    return mark + _size(len(data)) + data


def _size(number: int) -> bytes:
    groups = bytearray()
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)
