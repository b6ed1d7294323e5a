"""Headers that repeat what the body says, so that whoever routes requests need not read it.

In the stateless era they must be there and must not differ from the body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.protocol.errors import HeaderMismatchError
from paddock.protocol.header_values import decode_value

if TYPE_CHECKING:
    from paddock.protocol.model.params import Params
    from paddock.transports.http.contract import Head

VERSION, METHOD, NAME = b"mcp-protocol-version", b"mcp-method", b"mcp-name"
NAMED_BY = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "task_id",
    "tasks/update": "task_id",
    "tasks/cancel": "task_id",
}


def check_mirrors(head: Head, method: str, version: str, params: Params) -> None:
    """Refuse a request whose headers do not say what its body says.

    Raises:
        HeaderMismatchError: saying which header, what it holds and what was expected.
    """
    headers = head.headers
    if headers.get(VERSION) != version.encode() or VERSION in head.repeated:
        raise _mismatch("MCP-Protocol-Version", head, VERSION, version)
    if headers.get(METHOD) != method.encode() or METHOD in head.repeated:
        raise _mismatch("Mcp-Method", head, METHOD, method)
    field = NAMED_BY.get(method)
    if field is not None:
        _check_name(head, getattr(params, field, None))


def _check_name(head: Head, name: object) -> None:
    if not isinstance(name, str):  # the parameters are wrong, which is said later
        return
    value = head.headers.get(NAME)
    if value is not None and NAME not in head.repeated and _is_plainly(value, name):
        return
    if value is None or NAME in head.repeated:
        raise _mismatch("Mcp-Name", head, NAME, name)
    if decode_value(value.decode("latin-1"), "Mcp-Name") != name:
        raise _mismatch("Mcp-Name", head, NAME, name)


def _is_plainly(value: bytes, name: str) -> bool:
    """Whether a header is a name as it is: the usual case, found out quickly."""
    is_plain = name.isascii() and name.isprintable() and not name.startswith("=?")
    return is_plain and value == name.encode()


def _mismatch(shown: str, head: Head, key: bytes, expected: str) -> HeaderMismatchError:
    if key in head.repeated:
        return HeaderMismatchError(f"{shown} is there more than once")
    value = head.headers.get(key)
    if value is None:
        return HeaderMismatchError(f"{shown} is missing; the body says {expected!r:.200}")
    found = value.decode("latin-1")
    return HeaderMismatchError(f"{shown} is {found!r:.200}, but the body says {expected!r:.200}")
