"""Whether a text means a path or a server: qualified names look like paths.

Loaded before the first answer, so it needs nothing but the interpreter.
"""

from __future__ import annotations

import os

from paddock.errors import PaddockError
from paddock.named_servers.names import DEFINITION_SUFFIX, ServerDefinitionError, is_path_like


def is_path_target(text: str) -> bool:
    """Whether a text means a file or a directory that is there, and no server of that name.

    A name such as `acme/charts/Charts` looks like a path. Where there is such a path too, the
    server counts: or else whoever makes the working directory could put something in its place.
    """
    places = (text, text.rpartition(":")[0])
    if not is_path_like(text) or not any(map(os.path.exists, places)):
        return False
    return not (can_be_qualified_name(text) and _is_known_server(text))


def can_be_qualified_name(text: str) -> bool:
    """Whether a text can be the qualified name of a server, and is not written as a path."""
    is_path = (
        text.startswith((".", "~")) or text.endswith((".py", DEFINITION_SUFFIX)) or ":" in text
    )
    return not is_path and text.count("/") in (1, 2) and all(text.split("/"))


def _is_known_server(name: str) -> bool:
    """Whether there is a server of a name, be it one that cannot be used."""
    from paddock.named_servers.sources import find_installed_source  # noqa: PLC0415 - only if both may be meant

    try:
        return find_installed_source(name) is not None
    except ServerDefinitionError:
        return False
    except PaddockError:
        return True  # its extension is broken, which is told when it is served
