"""The environment variables that say what is served, and how."""

from __future__ import annotations

SERVER_VARIABLE = "PADDOCK_SERVER"
"""The server that is served when none is named."""
OPTIONS_VARIABLE = "PADDOCK_TOOL_OPTIONS"
"""Values for options of tools, as a JSON object of objects."""
