"""Bodies are taken as they are: a text is no number, and "true" is not true.

The framework reads bodies as leniently as it has to read what stands in a URL.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from litestar import Request
from litestar.exceptions import ClientException, ValidationException

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
