"""What an upstream offers, as it was last seen."""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Any

from paddock.errors import ConnectError, PaddockError
from paddock.mounting.circle import has_visited, add_visited
from paddock.peer.errors import PeerError
from paddock.protocol.errors import METHOD_NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.peer.peer import Peer

Json = dict[str, Any]

LIST_METHODS = {
    "tools": (("tools", "tools/list", "tools", "name"),),
    "prompts": (("prompts", "prompts/list", "prompts", "name"),),
    "resources": (
        ("resources", "resources/list", "resources", "uri"),
        ("templates", "resources/templates/list", "resourceTemplates", "uriTemplate"),
    ),
}
"""For each capability: the kind of item, the method that lists it, and the members of the answer
and of an entry that count."""
_log = logging.getLogger("paddock")


class UpstreamLists:
    """The entries of one upstream, by kind and name."""

    def __init__(self, mount: str, label: str) -> None:
        self._mount_id = mount
        self._label = label
        self._entries: dict[str, dict[str, Json]] = {}
        self.revision = 0
        """Grows with each change."""
        self.fetched_at: float | None = None
        """When all of them were last asked for."""

    def get_entries(self, kind: str) -> dict[str, Json]:
        """The entries of a kind."""
        return self._entries.get(kind, {})

    @property
    def has_entries(self) -> bool:
        """Whether the upstream has ever said what it offers."""
        return "tools" in self._entries

    def fetch_lists(self, peer: Peer, capabilities: Iterable[str]) -> set[str]:
        """Ask for the lists of these capabilities; which of them are not what they were.

        Raises:
            ConnectError: when the upstream is gone.
        """
        changed = set()
        for capability in capabilities:
            is_offered = capability in peer.server_capabilities
            for kind, method, key, name in LIST_METHODS[capability]:
                found = self._fetch_entries(peer, method, key, name) if is_offered else {}
                if found is None:
                    continue
                if found != self._entries.get(kind, {}):
                    changed.add(capability)
                self._entries[kind] = found
                self.revision += 1
        self.fetched_at = monotonic()
        return changed

    def _fetch_entries(self, peer: Peer, method: str, key: str, name: str) -> dict[str, Json] | None:
        """The entries of one list; None when it is not to be had."""
        try:
            entries: list[Json] = peer.pages(method, key)
        except ConnectError:
            raise
        except PaddockError as error:
            if isinstance(error, PeerError) and error.rpc_code == METHOD_NOT_FOUND:
                return {}
            _log.warning("The upstream %r: %s: %s", self._label, method, error)
            return None
        return {
            str(entry[name]): add_visited(_remove_task_support(entry), self._mount_id)
            for entry in entries
            if isinstance(entry.get(name), str) and not has_visited(entry, self._mount_id)
        }


def _remove_task_support(entry: Json) -> Json:
    """An entry that does not promise that its tool can be a task: tasks do not pass through us."""
    return {key: value for key, value in entry.items() if key != "execution"}
