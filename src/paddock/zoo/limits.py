"""How much there may be of everything in a zoo. Texts are measured in characters."""

from __future__ import annotations

MAX_NAME_CHARACTERS = 100
MAX_DESCRIPTION_CHARACTERS = 10_000
MAX_SYSTEM_PROMPT_CHARACTERS = 100_000
MAX_SKILL_DESCRIPTION_CHARACTERS = 50_000
MAX_WHEN_TO_USE_CHARACTERS = 2_000
MAX_ENTRY_CHARACTERS = 100_000
MAX_TAG_CHARACTERS = 50
MAX_REFERENCE_CHARACTERS = 2_000
MAX_APPEARANCE_SEED_CHARACTERS = 200
MAX_ID_CHARACTERS = 100
"""Of skills, categories and entries, which clients may give; ids of agents are slugs."""

MAX_SKILLS = 500
MAX_CATEGORIES = 100
MAX_TAGS = 50
MAX_REFERENCES = 200
MAX_REQUIREMENTS = 50

MAX_EXTRA_BYTES = 200_000
"""Of what a file had that the zoo has no place for, as JSON."""
MAX_METADATA_BYTES = 20_000

MAX_PAGE_ITEMS = 1_000
"""How many items a page may have."""
DELETED_RETENTION_DAYS = 30
"""How long what was deleted can be had back."""
MAX_AGENT_VERSIONS = 200
"""How many versions of an agent are kept; the oldest go first."""
MAX_EVENTS = 20_000
"""About how many events are kept for those who were away."""

DEFAULT_MEMORY_TOKENS = 2_000
"""How much of the brain is injected when nothing is said about it."""
MAX_MEMORY_CANDIDATES = 200
"""How many entries of each kind are looked at for that."""

MAX_IMPORT_FILE_BYTES = 100_000_000
"""Of an old file with agents that is to be imported."""
