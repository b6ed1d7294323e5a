"""Parses untrusted TOML and JSON, raising `ValueError` for all errors.

The parsers raise various other exceptions, including for deep nesting and long numbers. Callers add
the file name to the message.
"""

from __future__ import annotations

import tomllib
from typing import Any

import msgspec


def parse_toml(data: bytes) -> dict[str, Any]:
    """Parse the contents of a TOML file, which may begin with a byte order mark.

    Raises:
        ValueError: The data is not valid TOML, or is nested too deeply.
    """
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parse_json(data: bytes | str) -> Any:
    """Parse the contents of a JSON file.

    Raises:
        ValueError: The data is not valid JSON, or is nested too deeply.
    """
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
