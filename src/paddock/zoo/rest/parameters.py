"""What routes share: the zoo that is meant, the version that a change is of, pages.

Bodies are taken as they are: a text is no number, and "true" is not true.

The framework reads bodies as leniently as it has to read what stands in a URL.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from litestar import Request
from litestar.di import NamedDependency
from litestar.exceptions import ClientException, ValidationException
from litestar.params import HeaderParameter, QueryParameter

from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack
from paddock.zoo.service import Zoo

VersionedObject = Agent | BrainEntry | LibrarySkill | Pack

ZooDependency = NamedDependency[Zoo]
"""The zoo of whoever asks."""
ExpectedVersion = NamedDependency[int | None]
"""The version that a change is of, when the client says it."""

MAX_PAGE_ITEMS = 500
"""Items of one page."""

LimitQuery = Annotated[
    int | None,
    QueryParameter(name="limit", ge=1, le=MAX_PAGE_ITEMS, description="At most so many items."),
]
CursorQuery = Annotated[
    str | None,
    QueryParameter(name="cursor", max_length=200, description="The next page, from X-Next-Cursor."),
]
IfMatchHeader = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match",
        pattern=r'^(\*|(W/)?"[0-9]{1,18}")$',
        description="The ETag of what you have changed; 412 when it is not the current one.",
    ),
]


def parse_if_match(if_match: IfMatchHeader = None) -> int | None:
    """The version that a change is of, when the client says it."""
    if if_match is None or if_match == "*":
        return None
    return int(if_match.removeprefix("W/").strip('"'))


def make_etag_headers(thing: VersionedObject) -> dict[str, str]:
    """The headers of an answer with something that has versions."""
    return {"ETag": f'"{thing.version}"'}


def make_page_headers(next_cursor: str | None) -> dict[str, str]:
    """The headers of an answer with a part of a list."""
    return {} if next_cursor is None else {"X-Next-Cursor": next_cursor}


_ERROR_LOCATION_PATTERN = re.compile(r"(?P<message>.*?)(?: - at `\$\.?(?P<path>.*)`)?", re.DOTALL)


class StrictRequest(Request[Any, Any, Any]):
    """A request whose body has exactly the types that its route says."""

    async def json(self) -> Any:
        """The body, as what the route takes.

        Raises:
            ValidationException: when it is something else.
            ClientException: when it is no JSON.
        """
        field = self.route_handler.parsed_data_field
        kind = Any if field is None else field.annotation
        try:
            return msgspec.json.decode(await self.body(), type=kind)
        except msgspec.ValidationError as error:
            found = _ERROR_LOCATION_PATTERN.fullmatch(str(error))
            path, message = (found["path"], found["message"]) if found else ("", str(error))
            raise ValidationException(extra=[{"key": path or "", "message": message}]) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ClientException(f"The body is no JSON: {error}") from None
