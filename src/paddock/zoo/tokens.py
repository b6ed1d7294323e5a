"""How many tokens a text is to a model, roughly.

Every model counts otherwise, and its own tokenizer would be megabytes to load. The bytes of a text
in UTF-8, four to a token, are near enough for a budget: four letters of English are a token, two of
Russian, and four characters of Chinese are three.
"""

from __future__ import annotations

BYTES_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """The number of tokens, rounded up."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)
