"""The protocol versions we speak, and what came with which.

Two eras: versions that open a session with `initialize`, and versions whose every request stands
alone. Versions are enumerated and compared by position, never as text.

The names of the protocol's extensions that a server can have, and what they fix.

Loaded before msgspec, so it needs nothing but the interpreter.
"""

from __future__ import annotations

SESSION_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions opened by `initialize`, newest first."""

STATELESS_VERSIONS = ("2026-07-28",)
"""Versions in which each request names its own version, newest first."""

SUPPORTED_VERSIONS = STATELESS_VERSIONS + SESSION_VERSIONS

BATCH_VERSION = "2025-03-26"
"""The only version in which a peer may send several messages as one array."""

FEATURE_VERSIONS = {
    "streamable-http": "2025-03-26",
    "audio": "2025-03-26",
    "tool-annotations": "2025-03-26",
    "structured-content": "2025-06-18",
    "resource-links": "2025-06-18",
    "elicitation": "2025-06-18",
    "titles": "2025-06-18",
    "icons": "2025-11-25",
    "url-elicitation": "2025-11-25",
    "sampling-tools": "2025-11-25",
    "sse-priming": "2025-11-25",
    "tasks": "2025-11-25",
}
"""The first version that has a feature."""


def negotiate_version(requested: str) -> str:
    """The session version to answer to a peer that asks for `requested`."""
    return requested if requested in SESSION_VERSIONS else SESSION_VERSIONS[0]


def supports_feature(version: str, feature: str) -> bool:
    """Whether a version we speak has a feature; unknown versions and features have not."""
    first_version = FEATURE_VERSIONS.get(feature)
    if first_version is None or version not in SUPPORTED_VERSIONS:
        return False
    return SUPPORTED_VERSIONS.index(version) <= SUPPORTED_VERSIONS.index(first_version)


SKILLS_EXTENSION = "io.modelcontextprotocol/skills"
"""Skills: directories of instructions that a client can list, check and read."""

SKILL_FILE_NAME = "SKILL.md"
"""The file that every skill has."""

UI_EXTENSION = "io.modelcontextprotocol/ui"
"""Apps: tools whose results a client can show in a page of the server's."""

APP_MIME_TYPE = "text/html;profile=mcp-app"
"""The media type of such a page."""
