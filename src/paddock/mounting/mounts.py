"""The servers mounted on a server, and the items that they contribute.

Items are not copied when a server is mounted. They are looked up in the mounted servers and cached
until one of these servers reports a change.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Unpack

from paddock.authoring.base_server import BaseServer
from paddock.authoring.mounted_items import MountedItem
from paddock.client.connect_options import DEFAULT_TIMEOUT_SECONDS
from paddock.errors import DefinitionError
from paddock.mounting.mount import ItemPrefix, LocalMount, Mount, RemoteMount
from paddock.mounting.upstream import (
    Upstream,
    UpstreamConnector,
    UpstreamTimeouts,
    close_upstreams,
    get_target_label,
    wait_for_upstream_lists,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.authoring.component_registry import ComponentRegistry
    from paddock.authoring.mounted_items import LifespanOwner, MountSource
    from paddock.client.connect import ServerCommand
    from paddock.client.connect_options import ConnectOptions
    from paddock.client.peer import Peer

    MountTarget = BaseServer | Peer | ServerCommand

_log = logging.getLogger("paddock")


class MountedItemLookup:
    """The items that mounted servers contribute to one registry."""

    def __init__(self, mounts: ServerMounts, kind: str, registry: ComponentRegistry[Any]) -> None:
        self._mounts = mounts
        self._kind = kind
        self._registry = registry
        self._revision = (-1, -1)
        self._items: dict[str, MountedItem] = {}
        self._logged_errors: set[str] = set()

    def items(self) -> dict[str, MountedItem]:
        """Return all items by key, in the order in which the servers were mounted."""
        # Own items take precedence over mounted ones. A change of the registry can therefore free
        # or occupy a key, so the cache depends on both revisions.
        revision = (self._registry.revision, self._mounts.revision)
        if self._revision != revision:
            items: dict[str, MountedItem] = {}
            for mount in self._mounts:
                for name in mount.source.list_keys(self._kind):
                    self._add_item(items, mount, name)
            self._items, self._revision = items, revision
        return self._items

    def find(self, key: str) -> MountedItem | None:
        """Return the item with this key, or None.

        If a mounted server has not sent its lists yet, it may have any item. A tool or prompt with
        its prefix then counts as found, and the server itself reports an unknown name.
        """
        item = self.items().get(key)
        # Only prefixed names reveal the server that they belong to. URIs do not.
        if item is not None or self._kind not in ("tools", "prompts"):
            return item
        candidates = [mount for mount in self._mounts if self._can_belong_to(mount, key)]
        if not candidates:
            return None
        # Of the prefixes "a_" and "a_b_", the longer one is the more specific match for "a_b_c".
        mount = max(candidates, key=lambda mount: len(mount.item_prefix.name_prefix))
        name = key.removeprefix(mount.item_prefix.name_prefix)
        return MountedItem(mount.source, self._kind, name, key)

    def _can_belong_to(self, mount: Mount, key: str) -> bool:
        prefix = mount.item_prefix.name_prefix
        name = key.removeprefix(prefix)
        return bool(name) and key.startswith(prefix) and mount.source.can_offer(self._kind, name)

    def find_collisions(self, mount: Mount) -> list[str]:
        """Return messages about the items of a further server that could not be offered."""
        items = self.items()
        names = mount.source.list_keys(self._kind)
        return [error for name in names if (error := self._assign_key(items, mount, name)[1])]

    def _add_item(self, items: dict[str, MountedItem], mount: Mount, name: str) -> None:
        """Add an item of a mounted server to the items, or log why it is left out."""
        key, error = self._assign_key(items, mount, name)
        if error is None:
            items[key] = MountedItem(mount.source, self._kind, name, key)
        # Logged once, because the lists of an upstream are read again and again.
        elif error not in self._logged_errors:
            self._logged_errors.add(error)
            _log.warning("%s of %r is left out: %s", name, mount, error)

    def _assign_key(
        self, items: dict[str, MountedItem], mount: Mount, name: str
    ) -> tuple[str, str | None]:
        """Choose the key under which a mounted item is offered.

        Returns:
            The key, and an error message if the item cannot be offered under any key.
        """
        prefix = mount.item_prefix
        keys = (prefix.get_key(self._kind, name), prefix.get_alias(self._kind, name))
        for key in keys:
            if key is not None and key not in self._registry and key not in items:
                return key, prefix.find_key_error(self._kind, key)
        return keys[0] or name, f"the server already has {self._kind} named {keys[0]!r}"


class ServerMounts:
    """The mounted servers of a server, in order."""

    def __init__(self, server: BaseServer) -> None:
        self._server = server
        self._mounts: list[Mount] = []
        self._holders: set[object] = set()
        self._registries = server.registries
        self._item_lookups = {
            kind: MountedItemLookup(self, kind, registry)
            for kind, registry in server.registries.items()
        }
        for kind, registry in server.registries.items():
            registry.mounted_items = self._item_lookups[kind]
        server.set_mounts(self)

    @property
    def revision(self) -> int:
        """A number that increases whenever items of a mounted server change."""
        return sum(mount.source.revision for mount in self._mounts)

    def __iter__(self) -> Iterator[Mount]:
        return iter(list(self._mounts))

    def add(self, mount: Mount) -> None:
        """Mount a further server.

        Raises:
            DefinitionError: The server would contain itself, or two items would get the same name.
        """
        # The items of a remote server are not known yet. Its collisions are logged when its lists
        # arrive.
        if isinstance(mount, LocalMount):
            self._check_local_mount(mount)
        self._check_scheme(mount.item_prefix)
        self._mounts.append(mount)
        mount.set_change_callback(self._handle_change)
        for holder in list(self._holders):
            mount.add_holder((self, holder))
        self._announce_lists(mount)

    def remove(self, mount: Mount) -> None:
        """Unmount a server, and close the connection to it."""
        self._mounts.remove(mount)
        mount.clear_change_callback()
        for holder in list(self._holders):
            mount.remove_holder((self, holder))
        if isinstance(mount, RemoteMount):
            close_upstreams([mount.upstream])
        self._announce_lists(mount)

    def clear(self) -> None:
        """Unmount all servers."""
        for mount in self:
            self.remove(mount)

    def move_to(self, target: BaseServer) -> None:
        """Move all mounts to another server, replacing those of that server.

        Used when a definition is reloaded. A mount continues if there was one with the same prefix
        and a compatible target: a local server keeps the state of its lifespan, and the connection
        to a remote server stays open.

        Args:
            target: The running server, whose mounts are replaced.
        """
        target_mounts = get_mounts(target)
        earlier_mounts = {mount.item_prefix.name_prefix: mount for mount in target_mounts}
        continued_mounts: list[Mount] = []
        for mount in self:
            mount.clear_change_callback()
            earlier = earlier_mounts.get(mount.item_prefix.name_prefix)
            if earlier is not None and earlier.take_over(mount):
                continued_mounts.append(earlier)
            else:
                continued_mounts.append(mount)
        for earlier in list(target_mounts):
            if earlier not in continued_mounts:
                target_mounts.remove(earlier)
        for mount in continued_mounts:
            # The mounts were created for the reloaded server, which is dropped after the move.
            if isinstance(mount, RemoteMount):
                mount.upstream.owner = target
            if mount not in list(target_mounts):
                target_mounts.add(mount)

    def are_lists_ready(self) -> bool:
        """Return whether the lists of all remote servers are known or have timed out.

        As a side effect, lists that may be out of date are requested again in the background. The
        current request still uses the old ones.
        """
        upstreams = self.list_upstreams()
        for upstream in upstreams:
            upstream.refresh_lists()
        return all(upstream.are_lists_ready for upstream in upstreams)

    async def wait_for_lists(self) -> None:
        """Wait until `are_lists_ready` is true. The list timeouts limit the wait."""
        await wait_for_upstream_lists(self.list_upstreams())

    def resolve_alias(self, uri: str) -> tuple[MountSource, str] | None:
        """Return the server that a URI such as `prefix+scheme://…` refers to, or None.

        Returns:
            The server, and the URI without the prefix.
        """
        scheme, plus, original_uri = uri.partition("+")
        if not plus:
            return None
        scheme = scheme.lower()
        for mount in self._mounts:
            if mount.item_prefix.uri_scheme == scheme:
                return mount.source, original_uri
        return None

    def watch(self, uri: str) -> None:
        """Subscribe to changes of a resource on the server that has it."""
        alias = self.resolve_alias(uri)
        if alias is not None:
            source, original_uri = alias
            source.watch(original_uri)
            return
        item = self._item_lookups["resources"].items().get(uri)
        templates = self._item_lookups["templates"].items().values()
        owner = item or next(
            (template for template in templates if template.match(uri) is not None), None
        )
        if owner is not None:
            owner.source.watch(uri)

    def get_local_servers(self) -> list[LifespanOwner]:
        """Return the mounted servers that run in this process."""
        return [mount.server for mount in self._mounts if isinstance(mount, LocalMount)]

    def add_holder(self, holder: object) -> None:
        """Register an object that uses the mounted servers, such as a client's connection.

        Remote servers stay connected as long as there is at least one holder.
        """
        self._holders.add(holder)
        for mount in self:
            mount.add_holder((self, holder))

    def remove_holder(self, holder: object) -> None:
        """Remove a holder. Connections that are now unused are closed in the background."""
        self._holders.discard(holder)
        for mount in self:
            mount.remove_holder((self, holder))

    def remove_holder_and_wait(self, holder: object) -> None:
        """Remove a holder, and wait until connections that are now unused have been closed."""
        self.remove_holder(holder)
        close_upstreams(
            [upstream for upstream in self.list_upstreams() if not upstream.has_holders]
        )

    def list_upstreams(self) -> list[Upstream]:
        """Return the connections to remote servers, including those of nested mounts."""
        upstreams: list[Upstream] = []
        for mount in self:
            if isinstance(mount, RemoteMount):
                upstreams.append(mount.upstream)
            elif isinstance(mount, LocalMount) and isinstance(mount.server.mounts, ServerMounts):
                upstreams += mount.server.mounts.list_upstreams()
        return upstreams

    def _check_scheme(self, item_prefix: ItemPrefix) -> None:
        """Raise an error if another mount has the same prefix of URIs."""
        scheme = item_prefix.uri_scheme
        for mount in self._mounts if scheme is not None else ():
            if mount.item_prefix.uri_scheme == scheme:
                raise DefinitionError(
                    f"the prefix {item_prefix.prefix!r} is already used by {mount!r}",
                    hint="choose one that differs in more than case and punctuation",
                )

    def _check_local_mount(self, mount: LocalMount) -> None:
        """Check that a server in this process can be mounted.

        Raises:
            DefinitionError: The server would contain itself, or names collide.
        """
        if self._server in _list_mounted_servers(mount.server):
            raise DefinitionError(
                f"{self._server!r} would be mounted in itself", hint="leave one of the mounts out"
            )
        errors = [
            error
            for item_lookup in self._item_lookups.values()
            for error in item_lookup.find_collisions(mount)
        ]
        if errors:
            raise DefinitionError(
                f"{mount!r} cannot be mounted: {'; '.join(errors)}", hint="use another prefix"
            )

    def _handle_change(self, mount: Mount, kind: str, uri: str | None) -> int:
        """Pass a change of a mounted server on to the clients of this server.

        Args:
            mount: The server that reports the change.
            kind: `tools`, `prompts`, `resources`, or `elicitation` for a completed page.
            uri: The changed resource or the completed elicitation. None if a list has changed.

        Returns:
            The number of clients notified.
        """
        if kind == "elicitation":
            return self._server.elicitation_complete(str(uri))
        if uri is not None:
            return self._announce_resource_update(mount, uri)
        self._increment_revision(kind)
        return self._server.list_changed(kind)

    def _announce_resource_update(self, mount: Mount, uri: str) -> int:
        """Notify subscribers of a mounted resource, which has two URIs on this server.

        One is the resource's own URI, the other has the prefix of the mount in its scheme.
        """
        client_count = 0
        alias = mount.item_prefix.get_alias("resources", uri)
        if alias is not None:
            client_count += self._server.resource_updated(alias)
        owner = self._item_lookups["resources"].items().get(uri)
        # An own resource hides the mounted one, whose changes do not concern its subscribers.
        is_own = uri in self._server.resources
        if not is_own and (owner is None or owner.source is mount.source):
            client_count += self._server.resource_updated(uri)
        return client_count

    def _announce_lists(self, mount: Mount) -> None:
        """Notify clients of the lists that change when a server is mounted or unmounted."""
        kinds = {kind for kind in self._registries if mount.source.list_keys(kind)}
        if "templates" in kinds:
            kinds = (kinds - {"templates"}) | {"resources"}
        for kind in sorted(kinds):
            self._increment_revision(kind)
            self._server.list_changed(kind)

    def _increment_revision(self, kind: str) -> None:
        self._registries[kind].increment_revision()
        if kind == "resources":
            self._registries["templates"].increment_revision()


def get_mounts(server: BaseServer) -> ServerMounts:
    """Return the table of a server's mounts, creating it if necessary."""
    return server.mounts if isinstance(server.mounts, ServerMounts) else ServerMounts(server)


def _list_mounted_servers(server: BaseServer) -> list[object]:
    """Return a server and all local servers mounted in it, directly or indirectly."""
    servers: list[object] = [server]
    for mounting_server in servers:  # grows during the loop
        mounts = getattr(mounting_server, "mounts", None)
        if mounts is not None:
            servers += [inner for inner in mounts.get_local_servers() if inner not in servers]
    return servers


def mount_server(
    server: BaseServer,
    target: MountTarget,
    prefix: str | None = None,
    *,
    separator: str = "_",
    list_timeout: float = 2.0,
    call_timeout: float = 300.0,
    **options: Unpack[ConnectOptions],
) -> None:
    """Mount another server; see `Server.mount`."""
    item_prefix = ItemPrefix(prefix, separator)
    mount: Mount
    if isinstance(target, BaseServer):
        if options:
            raise DefinitionError(
                f"a server in this process takes no {', '.join(sorted(options))}",
                hint="connection options are for remote servers",
            )
        mount = LocalMount(target, item_prefix)
    else:
        timeouts = UpstreamTimeouts(
            list_timeout, call_timeout, options.get("timeout", DEFAULT_TIMEOUT_SECONDS)
        )
        info: dict[str, object] = {"name": server.name, "version": server.metadata.version}
        connect_options: ConnectOptions = {"client_info": info, **options}
        label = item_prefix.prefix or get_target_label(target)
        connector = UpstreamConnector(target, connect_options)
        mount = RemoteMount(target, item_prefix, Upstream(label, connector, timeouts, server))
    get_mounts(server).add(mount)


def unmount_server(server: BaseServer, mounted: str | MountTarget) -> None:
    """Unmount a server; see `Server.unmount`."""
    mounts = get_mounts(server)
    for mount in mounts:
        is_target = mount.target is mounted or mount.target == mounted
        if is_target or (isinstance(mounted, str) and mount.item_prefix.prefix == mounted):
            mounts.remove(mount)
            return
    mounted_names = (
        ", ".join(repr(mount.item_prefix.prefix or mount.target) for mount in mounts) or "nothing"
    )
    raise DefinitionError(f"{mounted!r} is not mounted", hint=f"mounted: {mounted_names}")
