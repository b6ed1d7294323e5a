"""An upstream's item lists and their changes, and detection of mount cycles.

Cycles within a process are visible in the mounts. An environment variable lists the commands that
started a mounted program, so a cycle ends before it spawns an unlimited number of processes. Over a
network, each list entry records the mounts that it has passed through.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.client.errors import PeerError
from paddock.errors import ConnectError, DefinitionError, PaddockError
from paddock.protocol.errors import METHOD_NOT_FOUND
from paddock.protocol.versions import STATELESS_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.client.notifications import Subscription
    from paddock.client.peer import Peer


MOUNT_CHAIN_VARIABLE = "PADDOCK_MOUNTED_BY"
"""Environment variable that lists the mount commands that started this process, as JSON."""
META_MOUNT_CHAIN = "paddock/via"
"""Member of an entry's `_meta` that lists the mounts that the entry has passed through."""

Json = dict[str, Any]


def build_mount_environment(command: list[str]) -> dict[str, str]:
    """Return the environment variables for a program that is mounted as a server.

    They list the commands of all mounted programs that lead to it, as a JSON array.

    Args:
        command: The command that starts the program.

    Raises:
        DefinitionError: The command is one of those that led to this process.
    """
    mount_chain = _read_mount_chain()
    # A program that mounts itself would start another process, and so on until memory is exhausted.
    if command in mount_chain:
        raise DefinitionError(
            f"{' '.join(command)!r} would be mounted in itself",
            hint="leave out the mount that leads back to it",
        )
    return {MOUNT_CHAIN_VARIABLE: json.dumps([*mount_chain, command])}


def has_visited(entry: Json, mount: str) -> bool:
    """Return whether an entry has passed through a mount."""
    return mount in _get_visited_mounts(entry)


def add_visited(entry: Json, mount: str) -> Json:
    """Return an entry with a mount added to those that it has passed through."""
    meta = entry.get("_meta")
    own_meta = meta if isinstance(meta, dict) else {}
    mount_chain = [*_get_visited_mounts(entry), mount]
    return {**entry, "_meta": {**own_meta, META_MOUNT_CHAIN: mount_chain}}


def _get_visited_mounts(entry: Json) -> list[object]:
    meta = entry.get("_meta")
    mount_chain = meta.get(META_MOUNT_CHAIN) if isinstance(meta, dict) else None
    return mount_chain if isinstance(mount_chain, list) else []


def _read_mount_chain() -> list[object]:
    try:
        mount_chain = json.loads(os.environ.get(MOUNT_CHAIN_VARIABLE, "[]"))
    except ValueError:
        return []
    return mount_chain if isinstance(mount_chain, list) else []


class ListMethod(NamedTuple):
    """An MCP method that lists items of a server."""

    kind: str
    """The kind of the items, such as `templates`."""
    method: str
    """The name of the method, such as `resources/templates/list`."""
    result_key: str
    """The member of the result that contains the entries."""
    name_key: str
    """The member of an entry that identifies it."""


LIST_METHODS = {
    "tools": (ListMethod("tools", "tools/list", "tools", "name"),),
    "prompts": (ListMethod("prompts", "prompts/list", "prompts", "name"),),
    "resources": (
        ListMethod("resources", "resources/list", "resources", "uri"),
        ListMethod("templates", "resources/templates/list", "resourceTemplates", "uriTemplate"),
    ),
}
"""The lists of each capability."""
_log = logging.getLogger("paddock")


class UpstreamLists:
    """The list entries of one upstream, by kind and name."""

    def __init__(self, mount_id: str, label: str) -> None:
        self._mount_id = mount_id
        self._label = label
        self._entries: dict[str, dict[str, Json]] = {}
        self.revision = 0
        """A number that increases with each fetched list so that caches can be invalidated."""
        self.fetched_at: float | None = None
        """Time at which the lists were last fetched."""

    def get_entries(self, kind: str) -> dict[str, Json]:
        """Return the entries of a kind, keyed by name."""
        return self._entries.get(kind, {})

    @property
    def has_entries(self) -> bool:
        """Whether the lists have ever been fetched."""
        return "tools" in self._entries

    def fetch_lists(self, peer: Peer, capabilities: Iterable[str]) -> set[str]:
        """Fetch the lists for the given capabilities from the upstream, and store them.

        If the upstream cannot return a list, its last known entries are kept.

        Args:
            peer: The connection to the upstream.
            capabilities: The capabilities, among `tools`, `prompts` and `resources`.

        Returns:
            The capabilities whose lists changed.

        Raises:
            ConnectError: The connection has ended.
        """
        changed_capabilities = set()
        for capability in capabilities:
            is_offered = capability in peer.server_capabilities
            for list_method in LIST_METHODS[capability]:
                entries = self._fetch_entries(peer, list_method) if is_offered else {}
                if entries is None:
                    continue
                if entries != self.get_entries(list_method.kind):
                    changed_capabilities.add(capability)
                self._entries[list_method.kind] = entries
                self.revision += 1
        self.fetched_at = monotonic()
        return changed_capabilities

    def _fetch_entries(self, peer: Peer, list_method: ListMethod) -> dict[str, Json] | None:
        """Fetch a list from the upstream and return its entries by name, or None if that fails.

        Entries that have already passed through this mount are omitted, because they appear when
        servers mount each other in a cycle.

        Raises:
            ConnectError: The connection has ended.
        """
        try:
            entries: list[Json] = peer.pages(list_method.method, list_method.result_key)
        except ConnectError:
            raise
        except PaddockError as error:
            # Some servers declare a capability but do not have all of its list methods.
            if isinstance(error, PeerError) and error.rpc_code == METHOD_NOT_FOUND:
                return {}
            _log.warning("The upstream %r: %s: %s", self._label, list_method.method, error)
            return None
        entries_by_name = {}
        for entry in entries:
            name = entry.get(list_method.name_key)
            if isinstance(name, str) and not has_visited(entry, self._mount_id):
                # The member `execution` states that a tool supports tasks. It is removed, because
                # tasks are not forwarded.
                offered_entry = {key: value for key, value in entry.items() if key != "execution"}
                entries_by_name[name] = add_visited(offered_entry, self._mount_id)
        return entries_by_name


MAX_WATCHED_RESOURCES = 10_000
"""Maximum number of one upstream's resources that clients can subscribe to."""


class UpstreamChangeTracker:
    """Record of the lists to fetch again and the resources to subscribe to on one upstream.

    Only the connection thread may call `update_subscriptions` and `take_due_lists`. Any thread may
    call the other methods.
    """

    def __init__(self, *, receives_notifications: bool) -> None:
        self._receives_notifications = receives_notifications
        self._lock = threading.Lock()
        self._due_lists: set[str] = set()
        self._watched_uris: set[str] = set()
        self._subscribed_uris: set[str] = set()
        self._subscription: Subscription | None = None
        self._is_new_connection = False

    def reset(self, peer: Peer) -> None:
        """Mark all lists as due and forget all subscriptions, for a new connection."""
        with self._lock:
            self._due_lists = set(LIST_METHODS)
            self._subscribed_uris = set()
            self._is_new_connection = (
                self._receives_notifications and peer.protocol_version in STATELESS_VERSIONS
            )

    @property
    def has_pending_changes(self) -> bool:
        """Whether there are lists to fetch or subscriptions to update."""
        return (
            bool(self._due_lists)
            or self._is_new_connection
            or self._watched_uris != self._subscribed_uris
        )

    def mark_list_due(self, kind: str) -> None:
        """Mark a list as due, because the upstream reported a change."""
        with self._lock:
            self._due_lists.add(kind)

    def mark_unannounced_lists_due(self, peer: Peer) -> bool:
        """Mark as due all lists whose changes the upstream does not announce.

        Returns:
            Whether such lists exist.
        """
        with self._lock:
            unannounced_lists = {
                kind for kind in LIST_METHODS if not self._is_announced(peer, kind)
            }
            self._due_lists |= unannounced_lists
            return bool(unannounced_lists)

    def watch_resource(self, uri: str) -> bool:
        """Add a resource to those whose changes the upstream should announce.

        Returns:
            Whether it was added. False means that it was already present, or that its changes
            cannot be watched.
        """
        with self._lock:
            is_full = len(self._watched_uris) >= MAX_WATCHED_RESOURCES
            if not self._receives_notifications or is_full or uri in self._watched_uris:
                return False
            # The set is replaced and never modified, because other threads compare it without the
            # lock.
            self._watched_uris = {*self._watched_uris, uri}
            return True

    def unwatch_resource(self, uri: str) -> None:
        """Remove a resource from the subscriptions."""
        with self._lock:
            self._watched_uris = self._watched_uris - {uri}

    def take_due_lists(self) -> set[str]:
        """Return the lists to fetch, and mark them as fetched."""
        with self._lock:
            due_lists, self._due_lists = self._due_lists, set()
            return due_lists

    def update_subscriptions(self, peer: Peer) -> None:
        """Subscribe to the watched resources, and unsubscribe from those no longer watched.

        Does nothing if the upstream does not support subscriptions.

        Raises:
            ConnectError: The connection has ended.
        """
        with self._lock:
            watched_uris, subscribed_uris = self._watched_uris, self._subscribed_uris
            self._subscribed_uris = watched_uris
            is_new, self._is_new_connection = self._is_new_connection, False
        try:
            if peer.protocol_version in STATELESS_VERSIONS:
                if is_new or watched_uris != subscribed_uris:
                    self._open_subscription(peer, watched_uris)
                return
            for uri in watched_uris - subscribed_uris:
                peer.subscribe(uri)
            for uri in subscribed_uris - watched_uris:
                peer.unsubscribe(uri)
        except ConnectError:
            raise
        except PaddockError:  # the upstream does not support subscriptions; its lists are polled
            return

    def _open_subscription(self, peer: Peer, uris: set[str]) -> None:
        """Subscribe to all lists and some resources of a stateless upstream.

        One subscription covers all of them, so it replaces the previous one.
        """
        previous_subscription, self._subscription = self._subscription, None
        # The new subscription is opened before the earlier one is closed, so no change is missed in
        # between.
        self._subscription = peer.listen(
            tools=True, prompts=True, resources=True, uris=sorted(uris) or None
        )
        if previous_subscription is not None:
            previous_subscription.close()

    def _is_announced(self, peer: Peer, kind: str) -> bool:
        """Return whether this object receives notifications about changes to a list.

        In a session, the upstream declares them in its capabilities. A stateless upstream
        acknowledges them for the open subscription.

        Args:
            peer: The connection to the upstream.
            kind: The list, such as `tools`.
        """
        if not self._receives_notifications:
            return False
        if peer.protocol_version in STATELESS_VERSIONS:
            subscription = self._subscription
            if subscription is None or not subscription.is_open:
                return False
            return bool((subscription.acknowledged_filter or {}).get(f"{kind}ListChanged"))
        declared = peer.server_capabilities.get(kind)
        return not isinstance(declared, dict) or bool(declared.get("listChanged"))
