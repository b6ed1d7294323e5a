"""Reading TOML and JSON that somebody else has written, whatever it is.

The parsers complain in several ways, about numbers that are too long and about depth as well. Here
it is one, and whoever reads a file says which file it is.
"""

from __future__ import annotations

import tomllib
from typing import Any

import msgspec


def parse_toml(data: bytes) -> dict[str, Any]:
    """The table that the bytes of a TOML file hold.

    Raises:
        ValueError: when they hold none, with the reason.
    """
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parse_json(data: bytes | str) -> Any:
    """The value that the text of a JSON file is.

    Raises:
        ValueError: when it is none, with the reason.
    """
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
