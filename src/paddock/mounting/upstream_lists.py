"""Finding out that a server would, through others, be mounted in itself.

In one process the mounts themselves tell. Of programs, each is told by its environment which ones
have started it, so that a circle ends where it closes, instead of in ever more processes. Of what
comes over a network, each entry of a list carries the mounts that it has passed through.

What an upstream offers, as it was last seen.

What is to be asked of an upstream again, and of what it is to tell us.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any

from paddock.client.errors import PeerError
from paddock.errors import ConnectError, DefinitionError, PaddockError
from paddock.protocol.errors import METHOD_NOT_FOUND
from paddock.protocol.versions import STATELESS_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.client.notifications import Subscription
    from paddock.client.peer import Peer


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

    def _fetch_entries(
        self, peer: Peer, method: str, key: str, name: str
    ) -> dict[str, Json] | None:
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


MAX_WATCHED_RESOURCES = 10_000
"""Resources of one upstream that clients can want to hear of at once."""


class UpstreamChangeTracker:
    """The changes of one upstream.

    `subscribe` and `taken` belong to the thread that keeps the connection, the others may
    be called by any.
    """

    def __init__(self, *, are_heard: bool) -> None:
        self._receives_notifications = are_heard
        self._lock = threading.Lock()
        self._due_lists: set[str] = set()
        self._watched_uris: set[str] = set()
        self._subscribed_uris: set[str] = set()
        self._subscription: Subscription | None = None
        self._is_new_connection = False

    def reset(self, peer: Peer) -> None:
        """A connection has been opened, or has to be looked at anew: nothing is known of it."""
        with self._lock:
            self._due_lists = set(LIST_METHODS)
            self._subscribed_uris = set()
            self._is_new_connection = (
                self._receives_notifications and peer.protocol_version in STATELESS_VERSIONS
            )

    @property
    def has_pending_changes(self) -> bool:
        """Whether there is something to ask."""
        return (
            bool(self._due_lists)
            or self._is_new_connection
            or self._watched_uris != self._subscribed_uris
        )

    def add_list(self, kind: str) -> None:
        """The upstream has said that a list has changed."""
        with self._lock:
            self._due_lists.add(kind)

    def add_unannounced_lists(self, peer: Peer) -> bool:
        """Ask again for lists whose changes the upstream does not tell; whether there are any."""
        with self._lock:
            untold = {kind for kind in LIST_METHODS if not self._is_announced(peer, kind)}
            self._due_lists |= untold
            return bool(untold)

    def watch_resource(self, uri: str) -> bool:
        """A client wants to hear of a resource; whether that is new."""
        with self._lock:
            if (
                not self._receives_notifications
                or uri in self._watched_uris
                or len(self._watched_uris) >= MAX_WATCHED_RESOURCES
            ):
                return False
            self._watched_uris = {*self._watched_uris, uri}
            return True

    def unwatch_resource(self, uri: str) -> None:
        """Nobody wants to hear of a resource any more."""
        with self._lock:
            self._watched_uris = self._watched_uris - {uri}

    def take_due_lists(self) -> set[str]:
        """What is to be asked for now."""
        with self._lock:
            due, self._due_lists = self._due_lists, set()
            return due

    def update_subscriptions(self, peer: Peer) -> None:
        """Have the upstream tell of what is wanted, as far as it can.

        Raises:
            ConnectError: when it is gone.
        """
        with self._lock:
            wanted, subscribed = self._watched_uris, self._subscribed_uris
            self._subscribed_uris = wanted
            is_new, self._is_new_connection = self._is_new_connection, False
        try:
            if peer.protocol_version in STATELESS_VERSIONS:
                if is_new or wanted != subscribed:
                    self._open_subscription(peer, wanted)
                return
            for uri in wanted - subscribed:
                peer.subscribe(uri)
            for uri in subscribed - wanted:
                peer.unsubscribe(uri)
        except ConnectError:
            raise
        except PaddockError:  # it cannot tell, so lists are asked for again now and then
            return

    def _open_subscription(self, peer: Peer, uris: set[str]) -> None:
        earlier, self._subscription = self._subscription, None
        self._subscription = peer.listen(
            tools=True, prompts=True, resources=True, uris=sorted(uris) or None
        )
        if earlier is not None:
            earlier.close()

    def _is_announced(self, peer: Peer, kind: str) -> bool:
        if not self._receives_notifications:
            return False
        if peer.protocol_version in STATELESS_VERSIONS:
            listening = self._subscription
            honoured = (
                listening.acknowledged_filter
                if listening is not None and listening.is_open
                else None
            )
            return bool(honoured and honoured.get(f"{kind}ListChanged"))
        declared = peer.server_capabilities.get(kind)
        return not isinstance(declared, dict) or bool(declared.get("listChanged"))
