"""How much there may be of everything in a zoo. Texts are measured in characters."""

from __future__ import annotations

NAME = 100
DESCRIPTION = 10_000
SYSTEM_PROMPT = 100_000
SKILL_DESCRIPTION = 50_000
WHEN_TO_USE = 2_000
ENTRY_CONTENT = 100_000
TAG = 50
REFERENCE = 2_000
APPEARANCE_SEED = 200
IDENTIFIER = 100
"""Of skills, categories and entries, which clients may give; ids of agents are slugs."""

SKILLS = 500
CATEGORIES = 100
TAGS = 50
REFERENCES = 200
REQUIREMENTS = 50

EXTRA_BYTES = 200_000
"""Of what a file had that the zoo has no place for, as JSON."""
METADATA_BYTES = 20_000

PAGE = 1_000
"""How many items a page may have."""
BIN_DAYS = 30
"""How long what was deleted can be had back."""
VERSIONS = 200
"""How many versions of an agent are kept; the oldest go first."""
EVENTS = 20_000
"""About how many events are kept for those who were away."""

MEMORY_TOKENS = 2_000
"""How much of the brain is injected when nothing is said about it."""
MEMORY_CANDIDATES = 200
"""How many entries of each kind are looked at for that."""

FILE_BYTES = 100_000_000
"""Of an old file with agents that is to be imported."""
