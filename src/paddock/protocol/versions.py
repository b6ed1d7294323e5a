"""Protocol versions, their features, and the names of extensions.

There are two eras: versions that open a session with `initialize`, and versions whose requests are
independent of each other. Versions are compared by their position in these tuples, never as text.
This module is loaded before msgspec, so it imports nothing outside the interpreter.
"""

from __future__ import annotations

SESSION_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions with sessions, newest first."""

STATELESS_VERSIONS = ("2026-07-28",)
"""Versions where each request specifies its version, newest first."""

SUPPORTED_VERSIONS = STATELESS_VERSIONS + SESSION_VERSIONS

BATCH_VERSION = "2025-03-26"
"""The only version that allows multiple messages in one array."""

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
"""The first version with each feature."""


def negotiate_version(requested: str) -> str:
    """Return the session version for a client that requests `requested`."""
    return requested if requested in SESSION_VERSIONS else SESSION_VERSIONS[0]


def supports_feature(version: str, feature: str) -> bool:
    """Return whether a version has a feature. Unknown versions and features return False."""
    first_version = FEATURE_VERSIONS.get(feature)
    if first_version is None or version not in SUPPORTED_VERSIONS:
        return False
    return SUPPORTED_VERSIONS.index(version) <= SUPPORTED_VERSIONS.index(first_version)


SKILLS_EXTENSION = "io.modelcontextprotocol/skills"
"""Skills: directories of instructions that clients can list, verify and read."""

SKILL_FILE_NAME = "SKILL.md"
"""The main file of a skill."""

UI_EXTENSION = "io.modelcontextprotocol/ui"
"""Apps: tools whose results a client can show in a page provided by the server."""

APP_MIME_TYPE = "text/html;profile=mcp-app"
"""The media type of such a page."""
