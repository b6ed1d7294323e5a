"""Finding out that a server would, through others, be mounted in itself.

In one process the mounts themselves tell. Of programs, each is told by its environment which ones
have started it, so that a circle ends where it closes, instead of in ever more processes. Of what
comes over a network, each entry of a list carries the mounts that it has passed through.
"""

from __future__ import annotations

import json
import os
from typing import Any

from paddock.errors import DefinitionError

MOUNT_CHAIN_VARIABLE = "PADDOCK_MOUNTED_BY"
"""The environment variable with the commands of the mounts that have led to a process."""
META_MOUNT_CHAIN = "paddock/via"
"""The member of an entry's `_meta` with the mounts that it has passed through."""

Json = dict[str, Any]


def build_mount_environment(command: list[str]) -> dict[str, str]:
    """What a mounted program is to be told by its environment.

    Raises:
        DefinitionError: when it is one of those that have led to this process.
    """
    earlier = _read_mount_chain()
    if command in earlier:
        raise DefinitionError(
            f"{' '.join(command)!r} would be mounted in itself",
            hint="leave out the mount that leads back to it",
        )
    return {MOUNT_CHAIN_VARIABLE: json.dumps([*earlier, command])}


def has_visited(entry: Json, mount: str) -> bool:
    """Whether an entry has passed through a mount already."""
    meta = entry.get("_meta")
    via = meta.get(META_MOUNT_CHAIN) if isinstance(meta, dict) else None
    return isinstance(via, list) and mount in via


def add_visited(entry: Json, mount: str) -> Json:
    """An entry that has now passed through a mount."""
    meta = entry.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    via = meta.get(META_MOUNT_CHAIN)
    return {
        **entry,
        "_meta": {**meta, META_MOUNT_CHAIN: [*(via if isinstance(via, list) else []), mount]},
    }


def _read_mount_chain() -> list[object]:
    try:
        found = json.loads(os.environ.get(MOUNT_CHAIN_VARIABLE, "[]"))
    except ValueError:
        return []
    return found if isinstance(found, list) else []
