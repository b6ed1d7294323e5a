"""The names of the protocol's extensions that a server can have, and what they fix.

Loaded before msgspec, so it needs nothing but the interpreter.
"""

from __future__ import annotations

SKILLS_EXTENSION = "io.modelcontextprotocol/skills"
"""Skills: directories of instructions that a client can list, check and read."""

SKILL_FILE_NAME = "SKILL.md"
"""The file that every skill has."""

UI_EXTENSION = "io.modelcontextprotocol/ui"
"""Apps: tools whose results a client can show in a page of the server's."""

APP_MIME_TYPE = "text/html;profile=mcp-app"
"""The media type of such a page."""
