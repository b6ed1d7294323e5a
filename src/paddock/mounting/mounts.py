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
        """Return all mounted items of this kind, such as tools, by their names on this server.

        They are in the order in which their servers were mounted. The result is cached until a list
        changes.
        """
        # Items of this server take precedence over mounted ones with the same name, so the cache
        # also depends on the revision of the server's own registry.
        revision = (self._registry.revision, self._mounts.revision)
        if self._revision != revision:
            items: dict[str, MountedItem] = {}
            for mount in self._mounts:
                for name in mount.source.list_keys(self._kind):
                    self._add_item(items, mount, name)
            self._items, self._revision = items, revision
        return self._items

    def find(self, key: str) -> MountedItem | None:
        """Return the mounted item with a name on this server, or None.

        A remote server that has not sent its lists yet may have any item. In that case, a tool or
        prompt with its prefix is returned without a check, and the remote server reports unknown
        names.

        Args:
            key: The prefixed name of a tool or prompt, or the URI of a resource.
        """
        item = self.items().get(key)
        # A prefix identifies the server of a tool or prompt. URIs do not identify their server.
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
        """Return messages about the items of another server that could not be offered."""
        items = self.items()
        names = mount.source.list_keys(self._kind)
        return [error for name in names if (error := self._assign_name(items, mount, name)[1])]

    def _add_item(self, items: dict[str, MountedItem], mount: Mount, name: str) -> None:
        """Add a mounted server's item to a dictionary, or log the reason for omitting it.

        Args:
            items: The mounted items, keyed by their names on this server.
            mount: The mounted server.
            name: The item's name on the mounted server.
        """
        key, error = self._assign_name(items, mount, name)
        if error is None:
            items[key] = MountedItem(mount.source, self._kind, name, key)
        # The lists of an upstream are read repeatedly, so each error is logged only once.
        elif error not in self._logged_errors:
            self._logged_errors.add(error)
            _log.warning("%s of %r is left out: %s", name, mount, error)

    def _assign_name(
        self, items: dict[str, MountedItem], mount: Mount, name: str
    ) -> tuple[str, str | None]:
        """Choose the name that a mounted item has on this server.

        This is its name with the prefix or, if that is in use, its prefixed URI.

        Returns:
            The name, and an error message if the item cannot be offered under any name.
        """
        prefix = mount.item_prefix
        prefixed_name = prefix.get_prefixed_name(self._kind, name)
        for key in (prefixed_name, prefix.get_prefixed_uri(self._kind, name)):
            if key is not None and key not in self._registry and key not in items:
                return key, prefix.find_name_error(self._kind, key)
        return prefixed_name or name, f"the server already has {self._kind} named {prefixed_name!r}"


class ServerMounts:
    """The servers mounted on a server, in order."""

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
        """A number that increases whenever a mounted server's items change."""
        return sum(mount.source.revision for mount in self._mounts)

    def __iter__(self) -> Iterator[Mount]:
        return iter(list(self._mounts))

    def add(self, mount: Mount) -> None:
        """Mount another server and notify the clients of the new items.

        Raises:
            DefinitionError: The server would contain itself, or two items would get the same name.
        """
        # A remote server's items are not known yet. Any name collisions are logged when the lists
        # arrive.
        if isinstance(mount, LocalMount):
            self._check_local_mount(mount)
        self._check_uri_scheme(mount.item_prefix)
        self._mounts.append(mount)
        mount.set_change_callback(self._handle_change)
        for holder in list(self._holders):
            mount.add_holder((self, holder))
        self._announce_list_changes(mount)

    def remove(self, mount: Mount) -> None:
        """Unmount a server, close the connection to it, and notify the clients."""
        self._mounts.remove(mount)
        mount.clear_change_callback()
        for holder in list(self._holders):
            mount.remove_holder((self, holder))
        if isinstance(mount, RemoteMount):
            close_upstreams([mount.upstream])
        self._announce_list_changes(mount)

    def clear(self) -> None:
        """Unmount all servers."""
        for mount in self:
            self.remove(mount)

    def move_to(self, target: BaseServer) -> None:
        """Move all mounts of a reloaded server definition to the running server.

        They replace the running server's mounts, except those with the same prefix and a compatible
        target, which continue. For these, a local server keeps the state of its lifespan, and the
        connection to a remote server stays open.

        Args:
            target: The running server.
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
            # The mounts were created for the server of the reloaded definition, which is discarded.
            if isinstance(mount, RemoteMount):
                mount.upstream.owner = target
            if mount not in list(target_mounts):
                target_mounts.add(mount)

    def are_lists_ready(self) -> bool:
        """Return whether the lists of all remote servers have arrived or timed out.

        As a side effect, lists that may be out of date are requested again in the background. The
        current request still uses the old lists.
        """
        upstreams = self.list_upstreams()
        for upstream in upstreams:
            upstream.refresh_lists()
        return all(upstream.are_lists_ready for upstream in upstreams)

    async def wait_for_lists(self) -> None:
        """Wait until `are_lists_ready` is true. The list timeouts limit the wait."""
        await wait_for_upstream_lists(self.list_upstreams())

    def resolve_alias(self, uri: str) -> tuple[MountSource, str] | None:
        """Find the mounted server that a prefixed URI, `prefix+scheme://…`, refers to.

        Returns:
            The server and the URI without the prefix, or None if no server has the prefix.
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
        """Subscribe to changes to a resource on the mounted server that has it.

        Does nothing if no mounted server has a resource or template for the URI.
        """
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
        """Remove a holder and wait until connections that are now unused have been closed."""
        self.remove_holder(holder)
        close_upstreams(
            [upstream for upstream in self.list_upstreams() if not upstream.has_holders]
        )

    def list_upstreams(self) -> list[Upstream]:
        """Return all remote servers that are mounted on this server, directly or indirectly."""
        upstreams: list[Upstream] = []
        for mount in self:
            if isinstance(mount, RemoteMount):
                upstreams.append(mount.upstream)
            elif isinstance(mount, LocalMount) and isinstance(mount.server.mounts, ServerMounts):
                upstreams += mount.server.mounts.list_upstreams()
        return upstreams

    def _check_uri_scheme(self, item_prefix: ItemPrefix) -> None:
        """Check that no other mount uses the same prefix for URIs.

        Raises:
            DefinitionError: The prefix is in use.
        """
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
        """Notify this server's clients of a change reported by a mounted server.

        Args:
            mount: The mounted server.
            kind: The list that changed (`tools`, `prompts` or `resources`), or `elicitation` if the
                user has completed a page opened by an elicitation.
            uri: The changed resource or the completed elicitation. None if a list changed.

        Returns:
            The number of clients that were notified.
        """
        if kind == "elicitation":
            return self._server.elicitation_complete(str(uri))
        if uri is not None:
            return self._announce_resource_update(mount, uri)
        self._increment_revision(kind)
        return self._server.list_changed(kind)

    def _announce_resource_update(self, mount: Mount, uri: str) -> int:
        """Notify the subscribers of a mounted resource that it has changed.

        The resource has two URIs on this server: its original URI, and one with the mount's prefix
        before the scheme. Clients may have subscribed to either of them.

        Args:
            mount: The mounted server that has the resource.
            uri: The original URI.

        Returns:
            The number of clients that were notified.
        """
        client_count = 0
        alias = mount.item_prefix.get_prefixed_uri("resources", uri)
        if alias is not None:
            client_count += self._server.resource_updated(alias)
        owner = self._item_lookups["resources"].items().get(uri)
        # If this server or another mounted server has a resource with the original URI, the
        # subscribers to that URI do not see the changed resource.
        is_hidden = uri in self._server.resources
        if not is_hidden and (owner is None or owner.source is mount.source):
            client_count += self._server.resource_updated(uri)
        return client_count

    def _announce_list_changes(self, mount: Mount) -> None:
        """Notify this server's clients of the lists that a mounted server changes.

        Called after the server is mounted or unmounted.
        """
        kinds = {kind for kind in self._registries if mount.source.list_keys(kind)}
        # The protocol has no notification for resource templates.
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
    """Mount another server on a server; see `Server.mount` for the parameters.

    Raises:
        DefinitionError: The server or one of the options is not suitable.
    """
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
    """Unmount a server; see `Server.unmount`.

    Args:
        server: The mounting server.
        mounted: The prefix or the target of the mounted server.

    Raises:
        DefinitionError: No such server is mounted.
    """
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
