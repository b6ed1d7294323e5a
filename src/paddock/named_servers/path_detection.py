"""Distinction between paths and names of servers: qualified names look like paths.

Imported before the first answer, so it imports nothing slow.
"""

from __future__ import annotations

import os

from paddock.errors import PaddockError
from paddock.named_servers.names import DEFINITION_SUFFIX, ServerDefinitionError, is_path_like


def is_path_target(text: str) -> bool:
    """Return whether a text is the path of an existing file or directory, and not a server's name.

    If `acme/charts/Charts` is both, the server takes precedence: otherwise, the contents of the
    working directory, for example a downloaded project, could replace an installed server.
    """
    paths = (text, text.rpartition(":")[0])
    if not is_path_like(text) or not any(map(os.path.exists, paths)):
        return False
    return not (can_be_qualified_name(text) and _is_known_server(text))


def can_be_qualified_name(text: str) -> bool:
    """Return whether a text can be the qualified name of a server."""
    is_path = (
        text.startswith((".", "~")) or text.endswith((".py", DEFINITION_SUFFIX)) or ":" in text
    )
    return not is_path and text.count("/") in (1, 2) and all(text.split("/"))


def _is_known_server(name: str) -> bool:
    """Return whether there is a server with a name, even if it cannot be loaded."""
    from paddock.named_servers.sources import (
        find_installed_source,
    )  # slow, and only needed for ambiguous texts

    try:
        return find_installed_source(name) is not None
    except ServerDefinitionError:
        return False
    except PaddockError:
        return True  # its extension is broken; serving it reports the reason
