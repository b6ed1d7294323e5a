"""The options that limit an answer, by their names; loaded to list tools."""

from __future__ import annotations

MAX_ITEMS_OPTION_NAME = "MaxItems"
MAX_CHARACTERS_OPTION_NAME = "MaxCharacterCount"
