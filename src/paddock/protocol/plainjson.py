"""JSON with nothing imported but the interpreter's own C scanner.

Only for the first answer on a connection (`protocol.opening`), which must not wait for msgspec
or the `json` package to load. Everything else uses msgspec.
"""

from __future__ import annotations

try:
    from _json import encode_basestring_ascii, make_scanner
except ImportError:  # an interpreter without the accelerator: correct, only slower
    from json.encoder import encode_basestring_ascii
    from json.scanner import make_scanner


def _reject_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


class _ScannerOptions:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_reject_constant)
    memo: dict[str, str] = {}  # noqa: RUF012 - the shape that the scanner reads


_scan_json = make_scanner(_ScannerOptions())  # type: ignore[arg-type]  # the stub asks for itself


def parse_json(line: bytes) -> object:
    """The value of one JSON text.

    Raises:
        ValueError: when it is not exactly one JSON value in UTF-8.
    """
    text = line.strip(b" \t\r\n").decode()
    try:
        value, end = _scan_json(text, 0)
    except (StopIteration, RecursionError) as error:
        raise ValueError("not JSON") from error
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def dump_json(value: object) -> str:
    """The JSON text of dictionaries, lists, strings, numbers, booleans and None."""
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{dump_json(str(k))}:{dump_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(dump_json, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)
