"""Reader and writer for WXF, the binary expression format.

Numbers, strings and symbols become atoms and arrays become nested lists, so code for parsed sources
also works on WXF data. Input is untrusted: claimed sizes are checked against the data, and the
decompressed size and the number of expressions are limited.
"""

from __future__ import annotations

import base64
import math
import re
import struct
import zlib
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import PaddockError
from paddock.wolfram.expressions import (
    Atom,
    Node,
    get_head_name,
    has_any_head,
    has_head,
    string,
    symbol,
)
from paddock.wolfram.literals import parse_number, parse_string, parse_symbol_name
from paddock.wolfram.tokens import NUMBER_PATTERN, is_symbol_name

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression

MAX_UNPACKED_BYTES = 64 * 1024 * 1024
"""Maximum size of the decompressed data, as a protection against compression bombs."""
MAX_EXPRESSIONS = 4_000_000
"""Maximum number of expressions, including array elements.

Each byte of an array becomes an object of about a hundred bytes.
"""
_MAX_RANK = 255
_INTEGER_FORMATS = {ord("C"): "<b", ord("j"): "<h", ord("i"): "<i", ord("L"): "<q"}
_ELEMENT_FORMATS = {
    **dict(enumerate("bhiq")),
    **dict(enumerate("BHIQ", 0x10)),
    0x22: "f",
    0x23: "d",
    0x33: "f",
    0x34: "d",
}
"""Formats of array elements for `struct`: signed and unsigned integers, reals, complex numbers."""
_COMPLEX_ELEMENTS = (0x33, 0x34)
_PACKED_ARRAY, _NUMERIC_ARRAY = 0xC1, 0xC2
_INTEGER_PATTERN = re.compile(r"-?\d+")
_REAL_SYNTAX = re.compile(r"[.`]|\*\^-")
"""Characters that occur only in reals."""
_PRECISION_MARK = re.compile(r"``|`[-+.\d]")
"""A precision or accuracy mark with its number."""
_MAX_MACHINE_INTEGER_CHARACTERS = 20
_RULE_MARKS = {"Rule": b"-", "RuleDelayed": b":"}
_RULE_HEADS = {mark[0]: head for head, mark in _RULE_MARKS.items()}


class WxfError(PaddockError):
    """Invalid or incomplete WXF data, or an expression that WXF cannot represent."""

    code = "wxf"


def read_wxf(data: bytes, *, where: str | None = None) -> Expression:
    """Parse WXF data, the binary serialization of Wolfram Language expressions.

    The data may come from an untrusted source, so its size and the number of expressions are
    limited (`MAX_UNPACKED_BYTES`, `MAX_EXPRESSIONS`).

    Args:
        data: The data with its header, compressed or not.
        where: The source name to show in errors.

    Raises:
        WxfError: The data is invalid, incomplete or exceeds the size limits.
    """
    try:
        return _WxfReader(_decompress(data)).read_expression()
    except WxfError as error:
        error.where = error.where or where
        raise
    except (struct.error, IndexError):
        raise WxfError("The data ends too early", where=where) from None
    except UnicodeDecodeError as error:
        raise WxfError(f"A string or symbol is not UTF-8: {error.reason}", where=where) from None


def write_wxf(expression: Expression, *, compress: bool = False) -> bytes:
    """Serialize an expression as WXF, the binary format of Wolfram Language expressions.

    Args:
        expression: The expression.
        compress: Compress the data with zlib.

    Raises:
        WxfError: WXF cannot represent the expression.
    """
    body = bytearray()
    # A stack of items to write, so that recursion does not limit the nesting depth.
    pending: list[Expression | bytes] = [expression]
    while pending:
        item = pending.pop()
        if isinstance(item, bytes):
            body += item
        elif isinstance(item, Atom):
            body += _encode_atom(item)
        elif _is_association(item):
            _write_association(item, body, pending)
        else:
            body += b"f" + _encode_varint(len(item.args))
            pending += [*reversed(item.args), item.head]
    return b"8C:" + zlib.compress(bytes(body)) if compress else b"8:" + bytes(body)


def _decompress(data: bytes) -> bytes:
    """Return the body of WXF data: the bytes after the header, decompressed if necessary.

    Raises:
        WxfError: The header is unknown, or the decompressed body exceeds `MAX_UNPACKED_BYTES`.
    """
    if data.startswith(b"8:"):
        return data[2:]
    if not data.startswith(b"8C:"):
        raise WxfError(
            f"The data begins with {data[:8]!r}, which is not a WXF header",
            hint="WXF data begins with 8: or, if compressed, with 8C:",
        )
    decompressor = zlib.decompressobj()
    try:
        unpacked = decompressor.decompress(data[3:], MAX_UNPACKED_BYTES)
    except zlib.error as error:
        raise WxfError(f"The data cannot be decompressed: {error}") from None
    # Data only remains if the limit was reached.
    if decompressor.unconsumed_tail:
        raise WxfError(f"The decompressed data exceeds {MAX_UNPACKED_BYTES:,} bytes")
    return unpacked


class _OpenNode(NamedTuple):
    """A node whose parts have not all been read. The first part is its head."""

    part_count: int
    parts: list[Expression]


class _WxfReader:
    """Reader for the body of WXF data.

    WXF is a prefix notation: each node announces its number of parts, and the parts follow.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0
        self.expression_count = 0

    def read_expression(self) -> Expression:
        """Read the only expression in the data.

        Raises:
            WxfError: The data is invalid, or more bytes follow the expression.
        """
        # An artificial node that is complete when it contains the expression as its only part.
        root = _OpenNode(1, [])
        # A stack, so that recursion does not limit the nesting depth.
        open_nodes = [root]
        while True:
            node = open_nodes[-1]
            if len(node.parts) < node.part_count:
                part = self._read_next()
                if isinstance(part, _OpenNode):
                    open_nodes.append(part)
                else:
                    node.parts.append(part)
            elif node is root:
                break
            else:
                open_nodes.pop()
                open_nodes[-1].parts.append(Node(node.parts[0], node.parts[1:]))
        extra = len(self.data) - self.position
        if extra:
            raise WxfError(f"{extra} extra bytes follow the expression")
        return root.parts[0]

    def _count_expressions(self, count: int) -> None:
        """Count expressions, and raise an error if the data contains too many."""
        self.expression_count += count
        if self.expression_count > MAX_EXPRESSIONS:
            raise WxfError(f"The data contains more than {MAX_EXPRESSIONS:,} expressions")

    def _read_next(self) -> Expression | _OpenNode:
        """Read the next token byte and its data.

        Returns:
            The expression of an atom or array, or a node whose parts follow in the data.
        """
        token = self.data[self.position]
        self.position += 1
        if token == ord("f"):
            return self._open_node(self._read_varint() + 1)
        # WXF does not store the heads of associations and rules.
        if token == ord("A"):
            return self._open_node(self._read_varint() + 1, symbol("Association"))
        if token in _RULE_HEADS:
            return self._open_node(3, symbol(_RULE_HEADS[token]))
        return self._read_value(token)

    def _open_node(self, part_count: int, *parts: Expression) -> _OpenNode:
        """Return a node with `part_count` parts, including its head. Some may be known."""
        # Each part takes at least one byte, so larger counts are rejected before allocating.
        if part_count > len(self.data) - self.position + 1:
            raise WxfError("The data ends too early")
        self._count_expressions(part_count)
        return _OpenNode(part_count, list(parts))

    def _read_value(self, token: int) -> Expression:
        """Read the value that follows a token byte: a number, text, byte array or array."""
        if token in _INTEGER_FORMATS:
            return Atom("number", str(self._read_number(_INTEGER_FORMATS[token])))
        if token == ord("r"):
            return _make_real(self._read_number("<d"))
        if token in b"sSIRB":
            return _make_text_expression(token, self._read_bytes(self._read_varint()))
        if token in (_PACKED_ARRAY, _NUMERIC_ARRAY):
            return self._read_array(token)
        raise WxfError(f"Unknown token {bytes([token])!r} at byte {self.position - 1}")

    def _read_number(self, form: str) -> int | float:
        number: int | float = struct.unpack_from(form, self.data, self.position)[0]
        self.position += struct.calcsize(form)
        return number

    def _read_bytes(self, size: int) -> bytes:
        if size > len(self.data) - self.position:
            raise WxfError("The data ends too early")
        data = self.data[self.position : self.position + size]
        self.position += size
        return data

    def _read_varint(self) -> int:
        """Read a length as a varint: groups of seven bits, least significant first.

        The high bit of each byte shows whether another byte follows.
        """
        value = shift = 0
        while True:
            byte = self.data[self.position]
            self.position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            # Without a limit, a long varint would build an arbitrarily large integer.
            if shift > 63:
                raise WxfError("A length has more than 63 bits")

    def _read_dimensions(self) -> list[int]:
        """Read the number of dimensions and the size of each dimension."""
        rank = self._read_varint()
        if not 0 < rank <= _MAX_RANK:
            raise WxfError(f"An array has {rank} dimensions; expected 1 to {_MAX_RANK}")
        return [self._read_varint() for _ in range(rank)]

    def _read_array(self, token: int) -> Expression:
        """Read a packed or numeric array as nested lists.

        The sizes in the data are not trusted. They are checked before any memory is allocated for
        elements.
        """
        element_type = self.data[self.position]
        self.position += 1
        if element_type not in _ELEMENT_FORMATS:
            raise WxfError(f"Unknown array element type {element_type:#x}")
        is_complex = element_type in _COMPLEX_ELEMENTS
        sizes = self._read_dimensions()
        # The number of nodes at each nesting level: 2, 6 and 24 for the dimensions 2, 3 and 4.
        level_sizes = list(accumulate(sizes, mul))
        number_count = level_sizes[-1] * (2 if is_complex else 1)
        # Count before unpacking, since small data can declare huge arrays.
        self._count_expressions(number_count + sum(level_sizes))
        number_format = _ELEMENT_FORMATS[element_type]
        data = self._read_bytes(number_count * struct.calcsize(number_format))
        values: list[Expression] = [
            _make_number(number)
            for number in struct.unpack(f"<{number_count}{number_format}", data)
        ]
        if is_complex:
            values = [Node(symbol("Complex"), pair) for pair in _split_rows(values, 2)]
        for size in reversed(sizes[1:]):
            values = [Node(symbol("List"), row) for row in _split_rows(values, size)]
        array = Node(symbol("List"), values)
        return array if token == _PACKED_ARRAY else Node(symbol("NumericArray"), [array])


def _split_rows(values: list[Expression], size: int) -> list[list[Expression]]:
    """Split values into rows of equal size. Returns an empty list if the size is 0."""
    return [values[start : start + size] for start in range(0, len(values), size)] if size else []


def _make_number(value: float) -> Atom:
    return Atom("number", str(value)) if isinstance(value, int) else _make_real(value)


def _make_real(value: float) -> Atom:
    """Return a machine-precision real as a number in Wolfram notation: `1.5`, `2.`, `3.*^20`."""
    # The language has no literal for infinite or undefined machine numbers.
    if not math.isfinite(value):
        return symbol("Indeterminate")
    digits, _, exponent = repr(value).partition("e")
    digits = digits.removesuffix("0") if digits.endswith(".0") else digits
    digits = digits if "." in digits else f"{digits}."
    return Atom("number", f"{digits}*^{int(exponent)}" if exponent else digits)


def _make_text_expression(token: int, data: bytes) -> Expression:
    """Return the string, symbol, number or byte array that a token byte and its data describe.

    Raises:
        WxfError: The text is not a valid symbol or number.
        UnicodeDecodeError: The text is not UTF-8.
    """
    if token == ord("B"):
        return Node(symbol("ByteArray"), [string(base64.b64encode(data).decode())])
    text = data.decode("utf-8")
    if token == ord("S"):
        return string(text)
    # Validate the text: printers write it into source code, where other text could inject code.
    if token == ord("s"):
        if not is_symbol_name(text):
            raise WxfError(f"{text[:40]!r} is not a symbol")
        # Source code omits this context, and `is_symbol` compares names without it.
        return symbol(text.removeprefix("System`"))
    if not NUMBER_PATTERN.fullmatch(text):
        raise WxfError(f"{text[:40]!r} is not a number")
    return Atom("number", text)


def _is_association(node: Node) -> bool:
    """Return whether WXF can store the node as an association, which contains only rules."""
    return has_head(node, "Association") and all(
        has_any_head(arg, _RULE_MARKS) and len(arg.args) == 2 for arg in node.args
    )


def _write_association(node: Node, body: bytearray, pending: list[Expression | bytes]) -> None:
    """Append the header of an association to `body`, and push its rules to `pending`.

    Called by `write_wxf`, which writes the pushed keys and values next.

    Args:
        node: The association, whose arguments are all rules.
        body: The data written so far.
        pending: The stack of items to write. The last one is written first.
    """
    body += b"A" + _encode_varint(len(node.args))
    for arg in reversed(node.args):
        if isinstance(arg, Node):
            key, value = arg.args
            pending += [value, key, _RULE_MARKS[get_head_name(arg)]]


def _encode_atom(atom: Atom) -> bytes:
    """Encode a string, number or symbol as WXF: a token byte and its data.

    Raises:
        WxfError: The atom is a box expression or a syntax error.
    """
    if atom.kind == "string":
        return _encode_with_size(b"S", _encode_text(parse_string(atom.text)))
    if atom.kind == "number":
        return _encode_number(atom.text)
    if atom.kind == "symbol":
        return _encode_with_size(b"s", _encode_text(parse_symbol_name(atom.text)))
    raise WxfError(f"{atom.text[:40]!r} cannot be written as WXF")


def _encode_text(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        code = f"{ord(text[error.start]):04x}"
        raise WxfError(f"The character with the code {code} cannot be written as WXF") from None


def _encode_number(text: str) -> bytes:
    """Encode a number as an integer, a machine real, or a big real with its precision."""
    # Big integers are stored as text, so their digits need not be converted.
    if _INTEGER_PATTERN.fullmatch(text) and len(text) > _MAX_MACHINE_INTEGER_CHARACTERS:
        return _encode_with_size(b"I", text.encode())
    value = parse_number(text)
    if isinstance(value, int):
        return _encode_integer(value)
    if value is None and not _REAL_SYNTAX.search(text):
        raise WxfError(f"The number {text[:40]!r} has too many digits to be written as WXF")
    if value is None or _PRECISION_MARK.search(text):
        return _encode_with_size(b"R", text.encode())
    return b"r" + struct.pack("<d", value)


def _encode_integer(value: int) -> bytes:
    """Encode an integer in the smallest format that can hold it."""
    for token, form in _INTEGER_FORMATS.items():
        try:
            return bytes([token]) + struct.pack(form, value)
        except struct.error:
            continue
    return _encode_with_size(b"I", str(value).encode())


def _encode_with_size(token: bytes, data: bytes) -> bytes:
    return token + _encode_varint(len(data)) + data


def _encode_varint(number: int) -> bytes:
    """Encode a size as a varint, the format that `_WxfReader._read_varint` reads."""
    groups = bytearray()
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)
