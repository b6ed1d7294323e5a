"""Shared route parameters, version and page headers, and strict decoding of request bodies."""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.exceptions import ClientException, ValidationException
from litestar.params import HeaderParameter, QueryParameter

from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack
from paddock.zoo.service import Zoo

ZooDependency = NamedDependency[Zoo]
"""The zoo of the user who sent the request."""
ExpectedVersion = NamedDependency[int | None]
"""The version that a change is based on, or None if the client did not send If-Match."""

MAX_PAGE_ITEMS = 500
"""Maximum number of items on a page."""

LimitQuery = Annotated[
    int | None,
    QueryParameter(name="limit", ge=1, le=MAX_PAGE_ITEMS, description="Maximum number of items."),
]
CursorQuery = Annotated[
    str | None,
    QueryParameter(
        name="cursor", max_length=200, description="Cursor from X-Next-Cursor, for the next page."
    ),
]
IfMatchHeader = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match",
        pattern=r'^(\*|(W/)?"[0-9]{1,18}")$',
        description="ETag of the version that the change is based on; 412 if it is outdated.",
    ),
]

_ERROR_LOCATION_PATTERN = re.compile(r"(?P<message>.*?)(?: - at `\$\.?(?P<path>.*)`)?", re.DOTALL)


def parse_if_match(if_match: IfMatchHeader = None) -> int | None:
    """Return the version in an If-Match header, or None."""
    # RFC 9110 section 13.1.1: `*` matches any current version.
    if if_match is None or if_match == "*":
        return None
    # Proxies that compress responses make ETags weak.
    return int(if_match.removeprefix("W/").strip('"'))


async def set_etag_header(response: Response[Any]) -> Response[Any]:
    """Set the ETag header of a response that contains one versioned object.

    Litestar calls this function after every handler of the zoo. The ETag of an agent at version 3
    is `"3"`, which clients send back as If-Match with a change.
    """
    # The event stream is an ASGI application instead of a `Response`.
    content = response.content if isinstance(response, Response) else None
    if isinstance(content, Agent | BrainEntry | LibrarySkill | Pack):
        response.headers.setdefault("ETag", f'"{content.version}"')
    return response


def make_page_headers(next_cursor: str | None) -> dict[str, str]:
    """Return the header with the next page's cursor, if there is one."""
    return {} if next_cursor is None else {"X-Next-Cursor": next_cursor}


class StrictRequest(Request[Any, Any, Any]):
    """A request whose body must match the types that its route declares exactly.

    Litestar decodes bodies as leniently as URL parameters: it would accept "true" for a boolean and
    a number for a string.
    """

    async def json(self) -> Any:
        """Decode the body as the type that the route declares.

        Raises:
            ValidationException: A value has the wrong type. The client gets status 400.
            ClientException: The body is not JSON. The client gets status 400.
        """
        field = self.route_handler.parsed_data_field
        body_type = Any if field is None else field.annotation
        try:
            return msgspec.json.decode(await self.body(), type=body_type)
        except msgspec.ValidationError as error:
            # msgspec's message ends with the location of the value, such as "$.tags[0]".
            match = _ERROR_LOCATION_PATTERN.fullmatch(str(error))
            path, message = (match["path"], match["message"]) if match else ("", str(error))
            raise ValidationException(extra=[{"key": path or "", "message": message}]) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ClientException(f"The request body is not JSON: {error}") from None
