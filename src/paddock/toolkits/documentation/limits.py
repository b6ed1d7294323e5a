"""The options that limit an answer, by their names; loaded to list tools."""

from __future__ import annotations

MAX_ITEMS = "MaxItems"
MAX_CHARACTERS = "MaxCharacterCount"
