"""Headers that repeat what the body says, so that whoever routes requests need not read it.

In the stateless era they must be there and must not differ from the body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.protocol import http_headers
from paddock.protocol.errors import HeaderMismatchError
from paddock.protocol.header_values import decode_header_value

if TYPE_CHECKING:
    from paddock.protocol.model.params import RequestParams
    from paddock.transports.http.contract import RequestHead

VERSION_FIELD = http_headers.to_asgi_name(http_headers.VERSION_HEADER)
METHOD_FIELD = http_headers.to_asgi_name(http_headers.METHOD_HEADER)
NAME_FIELD = http_headers.to_asgi_name(http_headers.NAME_HEADER)


def check_mirrored_headers(head: RequestHead, method: str, version: str, params: RequestParams) -> None:
    """Refuse a request whose headers do not say what its body says.

    Raises:
        HeaderMismatchError: saying which header, what it holds and what was expected.
    """
    headers = head.headers
    if headers.get(VERSION_FIELD) != version.encode() or VERSION_FIELD in head.repeated:
        raise _make_mismatch_error(http_headers.VERSION_HEADER, head, VERSION_FIELD, version)
    if headers.get(METHOD_FIELD) != method.encode() or METHOD_FIELD in head.repeated:
        raise _make_mismatch_error(http_headers.METHOD_HEADER, head, METHOD_FIELD, method)
    named_by = http_headers.NAME_PARAMETERS.get(method)
    if named_by is not None:
        _check_name_header(head, getattr(params, named_by, None))


def _check_name_header(head: RequestHead, name: object) -> None:
    if not isinstance(name, str):  # the parameters are wrong, which is said later
        return
    value = head.headers.get(NAME_FIELD)
    if value is not None and NAME_FIELD not in head.repeated and _is_literal_name(value, name):
        return
    if value is None or NAME_FIELD in head.repeated:
        raise _make_mismatch_error(http_headers.NAME_HEADER, head, NAME_FIELD, name)
    if decode_header_value(value.decode("latin-1"), http_headers.NAME_HEADER) != name:
        raise _make_mismatch_error(http_headers.NAME_HEADER, head, NAME_FIELD, name)


def _is_literal_name(value: bytes, name: str) -> bool:
    """Whether a header is a name as it is: the usual case, found out quickly."""
    is_plain = name.isascii() and name.isprintable() and not name.startswith("=?")
    return is_plain and value == name.encode()


def _make_mismatch_error(shown: str, head: RequestHead, key: bytes, expected: str) -> HeaderMismatchError:
    if key in head.repeated:
        return HeaderMismatchError(f"{shown} is there more than once")
    value = head.headers.get(key)
    if value is None:
        return HeaderMismatchError(f"{shown} is missing; the body says {expected!r:.200}")
    found = value.decode("latin-1")
    return HeaderMismatchError(f"{shown} is {found!r:.200}, but the body says {expected!r:.200}")
