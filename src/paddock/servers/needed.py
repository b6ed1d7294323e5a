"""What a server needs that is not installed, as far as a catalogue lists it.

Trust level: discovery; what only a definition in Python knows is not found out.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.extensions.names import parse_qualified
from paddock.extensions.registry import find_not_installed
from paddock.servers.file_names import SUFFIX
from paddock.servers.lookup import file_source, find_source

if TYPE_CHECKING:
    from paddock.servers.lookup import Source


def missing_extensions(server: str) -> list[str]:
    """The names of the extensions that a server needs, that catalogues list, and are not here.

    A server that cannot be found or read needs none: that is told when it is served.
    """
    if "/" in server and Path(server).exists() and not server.endswith(SUFFIX):
        return []  # a file or a directory, which needs what it needs
    try:
        source = _source(server)
        if source.is_remote:
            return [source.owner.name] if source.owner else []
        said = source.outline()
    except PaddockError:
        return []
    named = [*(said.tools or ()), *(said.prompts or ()), *(said.resources or ())]
    qualified = [parse_qualified(one) for one in named if isinstance(one, str)]
    packages = dict.fromkeys(one.package_name for one in qualified if one is not None)
    return [name for name in packages if find_not_installed(name) is not None]


def _source(server: str) -> Source:
    if server.endswith(SUFFIX) and Path(server).is_file():
        return file_source(Path(server))
    return find_source(server, include_remote=True)
