"""The servers that one offering has mounted, and what of them it offers.

Nothing is copied: what is offered is looked up in the mounted servers, and looked up again once
one of them says that it has changed.

Mounting a server in another, and taking it out again.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Unpack

from paddock.authoring.base_server import BaseServer
from paddock.authoring.mounted_items import MountedItem
from paddock.client.connect_options import DEFAULT_TIMEOUT_SECONDS
from paddock.errors import DefinitionError
from paddock.mounting.mount import ItemPrefix, Mount
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


ITEM_KINDS = ("tools", "prompts", "resources", "templates")
_log = logging.getLogger("paddock")


class MountedItemLookup:
    """What mounted servers add to one catalogue."""

    def __init__(
        self, mounts: ServerMounts, kind: str, catalogue: ComponentRegistry[object]
    ) -> None:
        self._mounts = mounts
        self._kind = kind
        self._registry = catalogue
        self._revision = (-1, -1)
        self._items: dict[str, MountedItem] = {}
        self._logged_errors: set[str] = set()

    def items(self) -> dict[str, MountedItem]:
        """All of it, in the order in which the servers were mounted."""
        revision = (self._registry.revision, self._mounts.revision)
        if self._revision != revision:
            found: dict[str, MountedItem] = {}
            for mount in self._mounts:
                for name in mount.source.list_keys(self._kind):
                    self._add_item(found, mount, name)
            self._items, self._revision = found, revision
        return self._items

    def find(self, key: str) -> MountedItem | None:
        """One item; of a server that was never reached it may be any with its prefix."""
        found = self.items().get(key)
        if found is not None or self._kind not in ("tools", "prompts"):
            return found
        meant = [mount for mount in self._mounts if self._can_belong_to(mount, key)]
        if not meant:
            return None
        mount = max(meant, key=lambda mount: len(mount.item_prefix.name_prefix))
        return MountedItem(
            mount.source, self._kind, key.removeprefix(mount.item_prefix.name_prefix), key
        )

    def _can_belong_to(self, mount: Mount, key: str) -> bool:
        before = mount.item_prefix.name_prefix
        name = key.removeprefix(before)
        return bool(name) and key.startswith(before) and mount.source.can_offer(self._kind, name)

    def find_collisions(self, mount: Mount) -> list[str]:
        """What keeps items of a further server from being offered."""
        found = self.items()
        names = mount.source.list_keys(self._kind)
        return [fault for name in names if (fault := self._assign_key(found, mount, name)[1])]

    def _add_item(self, found: dict[str, MountedItem], mount: Mount, name: str) -> None:
        key, fault = self._assign_key(found, mount, name)
        if fault is None:
            found[key] = MountedItem(mount.source, self._kind, name, key)
        elif fault not in self._logged_errors:
            self._logged_errors.add(fault)
            _log.warning("%s of %r is left out: %s", name, mount, fault)

    def _assign_key(
        self, found: dict[str, MountedItem], mount: Mount, name: str
    ) -> tuple[str, str | None]:
        """The key of an item, and why it cannot have it if it cannot."""
        naming = mount.item_prefix
        keys = (naming.get_key(self._kind, name), naming.get_alias(self._kind, name))
        for key in keys:
            if key is not None and key not in self._registry and key not in found:
                return key, naming.find_key_error(self._kind, key)
        return keys[0] or name, f"there are {self._kind} called {keys[0]!r} already"


class ServerMounts:
    """The mounted servers of an offering, in order."""

    def __init__(self, offering: BaseServer) -> None:
        self._server = offering
        self._mounts: list[Mount] = []
        self._holders: set[object] = set()
        self._registries: dict[str, ComponentRegistry[object]] = {
            "tools": offering.tools,  # type: ignore[dict-item]  # only looked at
            "prompts": offering.prompts,  # type: ignore[dict-item]  # only looked at
            "resources": offering.resources,  # type: ignore[dict-item]  # only looked at
            "templates": offering.templates,  # type: ignore[dict-item]  # only looked at
        }
        self._item_lookups = {
            kind: MountedItemLookup(self, kind, catalogue)
            for kind, catalogue in self._registries.items()
        }
        for kind, catalogue in self._registries.items():
            catalogue.mounted_items = self._item_lookups[kind]
        offering.set_mounts(self)

    @property
    def revision(self) -> int:
        """A number that grows with each change of what they offer."""
        return sum(mount.source.revision for mount in self._mounts)

    def __iter__(self) -> Iterator[Mount]:
        return iter(list(self._mounts))

    def add(self, mount: Mount) -> None:
        """Mount a further server.

        Raises:
            DefinitionError: when that would be a circle, or names would collide.
        """
        if mount.local_server is not None:
            self._check_mount(mount)
        taken = [
            one
            for one in self._mounts
            if one.item_prefix.uri_scheme == mount.item_prefix.uri_scheme
        ]
        if mount.item_prefix.uri_scheme is not None and taken:
            raise DefinitionError(
                f"the prefix {mount.item_prefix.prefix!r} is that of {taken[0]!r} already",
                hint="choose one that differs in more than case and punctuation",
            )
        self._mounts.append(mount)
        mount.set_change_callback(self._handle_change)
        for holder in list(self._holders):
            _add_holder(mount, (self, holder))
        self._announce_lists(mount)

    def remove(self, mount: Mount) -> None:
        """Unmount a server, and end the connection to it if there is one."""
        self._mounts.remove(mount)
        mount.clear_change_callback()
        for holder in list(self._holders):
            _remove_holder(mount, (self, holder))
        if mount.upstream is not None:
            close_upstreams([mount.upstream])
        self._announce_lists(mount)

    def clear(self) -> None:
        """Unmount them all."""
        for mount in self:
            self.remove(mount)

    def move_to(self, target: BaseServer) -> None:
        """Have all of them mounted in another offering, in place of what is mounted there.

        A server of this process that takes the place of another is taken over by it, so that what
        its lifespan has yielded stays. A connection to the same server elsewhere is kept.
        """
        theirs = target.mounts if isinstance(target.mounts, ServerMounts) else ServerMounts(target)
        earlier = {mount.item_prefix.name_prefix: mount for mount in theirs}
        kept: list[Mount] = []
        for mount in self:
            mount.clear_change_callback()
            old = earlier.get(mount.item_prefix.name_prefix)
            if old is not None and old.local_server is not None and mount.local_server is not None:
                old.local_server.update_from(mount.local_server)
                kept.append(old)
            elif old is not None and old.upstream is not None and old.target == mount.target:
                kept.append(old)
            else:
                kept.append(mount)
        for old in theirs:
            if old not in kept:
                theirs.remove(old)
        for mount in kept:
            if mount.upstream is not None:
                mount.upstream.owner = target
            if mount not in theirs._mounts:  # noqa: SLF001 - another of the same class
                theirs.add(mount)

    def are_lists_ready(self) -> bool:
        """Whether it is known what all of them offer, or time was up to find out.

        Lists that may be out of date by now are asked for again, for the next time.
        """
        upstreams = list(self._iter_upstreams())
        for upstream in upstreams:
            upstream.refresh_lists()
        return all(upstream.are_lists_ready for upstream in upstreams)

    async def wait_for_lists(self) -> None:
        """Wait until they are settled, which is never long."""
        await wait_for_upstream_lists(list(self._iter_upstreams()))

    def resolve_alias(self, uri: str) -> tuple[MountSource, str] | None:
        """The server that a URI with a prefix leads to, and the URI without the prefix."""
        scheme, plus, rest = uri.partition("+")
        if not plus:
            return None
        scheme = scheme.lower()
        found = (mount.source for mount in self._mounts if mount.item_prefix.uri_scheme == scheme)
        source = next(found, None)
        return None if source is None else (source, rest)

    def watch(self, uri: str) -> None:
        """A client wants to be told when a resource changes, whosever it is."""
        aliased = self.resolve_alias(uri)
        if aliased is not None:
            aliased[0].watch(aliased[1])
            return
        exact = self._item_lookups["resources"].items().get(uri)
        templates = self._item_lookups["templates"].items().values()
        found = exact or next((one for one in templates if one.match(uri) is not None), None)
        if found is not None:
            found.source.watch(uri)

    def get_local_servers(self) -> list[LifespanOwner]:
        """Those of them that are in this process."""
        return [mount.local_server for mount in self._mounts if mount.local_server is not None]

    def add_holder(self, holder: object) -> None:
        """Somebody needs the servers: keep those that are elsewhere connected."""
        self._holders.add(holder)
        for mount in self:
            _add_holder(mount, (self, holder))

    def remove_holder(self, holder: object, *, is_patient: bool = False) -> None:
        """Somebody needs them no longer; whoever is patient waits until they are gone."""
        self._holders.discard(holder)
        for mount in self:
            _remove_holder(mount, (self, holder))
        if is_patient:
            close_upstreams(
                [upstream for upstream in self._iter_upstreams() if not upstream.has_holders]
            )

    def _iter_upstreams(self) -> Iterator[Upstream]:
        for mount in self:
            if mount.upstream is not None:
                yield mount.upstream
            elif mount.local_server is not None and isinstance(
                mount.local_server.mounts, ServerMounts
            ):
                yield from mount.local_server.mounts._iter_upstreams()  # noqa: SLF001 - of the same class

    def _check_mount(self, mount: Mount) -> None:
        if mount.local_server is not None and self._server in _list_mounted_servers(
            mount.local_server
        ):
            raise DefinitionError(
                f"{self._server!r} would be mounted in itself", hint="leave one of the mounts out"
            )
        faults = [
            fault
            for kind in ITEM_KINDS
            for fault in self._item_lookups[kind].find_collisions(mount)
        ]
        if faults:
            raise DefinitionError(
                f"{mount!r} cannot be mounted: {'; '.join(faults)}", hint="give another prefix"
            )

    def _handle_change(self, mount: Mount, kind: str, uri: str | None) -> int:
        if kind == "elicitation":
            return self._server.elicitation_complete(str(uri))
        if uri is not None:
            return self._announce_resource_update(mount, uri)
        self._increment_revision(kind)
        return self._server.list_changed(kind)

    def _announce_resource_update(self, mount: Mount, uri: str) -> int:
        """Tell of a resource, by the names that it has here."""
        told = 0
        alias = mount.item_prefix.get_alias("resources", uri)
        if alias is not None:
            told += self._server.resource_updated(alias)
        owner = self._item_lookups["resources"].items().get(uri)
        is_own = uri in self._server.resources
        if not is_own and (owner is None or owner.source is mount.source):
            told += self._server.resource_updated(uri)
        return told

    def _announce_lists(self, mount: Mount) -> None:
        """What a server has is offered from now on, or no longer."""
        kinds = {kind for kind in ITEM_KINDS if mount.source.list_keys(kind)}
        if "templates" in kinds:
            kinds = (kinds - {"templates"}) | {"resources"}
        for kind in sorted(kinds):
            self._increment_revision(kind)
            self._server.list_changed(kind)

    def _increment_revision(self, kind: str) -> None:
        self._registries[kind].increment_revision()
        if kind == "resources":
            self._registries["templates"].increment_revision()


def _list_mounted_servers(offering: BaseServer) -> list[object]:
    """A server and everything that is mounted in it."""
    found: list[object] = [offering]
    for one in found:
        mounts = getattr(one, "mounts", None)
        found += [] if mounts is None else [new for new in mounts.get_local_servers() if new not in found]
    return found


def _add_holder(mount: Mount, holder: object) -> None:
    if mount.upstream is not None:
        mount.upstream.add_holder(holder)
    elif mount.local_server is not None and mount.local_server.mounts is not None:
        mount.local_server.mounts.add_holder(holder)


def _remove_holder(mount: Mount, holder: object) -> None:
    if mount.upstream is not None:
        mount.upstream.remove_holder(holder)
    elif mount.local_server is not None and mount.local_server.mounts is not None:
        mount.local_server.mounts.remove_holder(holder)


if TYPE_CHECKING:
    from paddock.client.connect import ServerCommand
    from paddock.client.connect_options import ConnectOptions
    from paddock.client.peer import Peer

    MountTarget = BaseServer | Peer | ServerCommand


def mount_server(
    offering: BaseServer,
    target: MountTarget,
    prefix: str | None = None,
    *,
    separator: str = "_",
    list_timeout: float = 2.0,
    call_timeout: float = 300.0,
    **options: Unpack[ConnectOptions],
) -> None:
    """Offer what another server has; see `Server.mount`."""
    naming = ItemPrefix(prefix, separator)
    if isinstance(target, BaseServer):
        if options:
            raise DefinitionError(
                f"a server in this process takes no {', '.join(sorted(options))}",
                hint="options of connect are for servers elsewhere",
            )
        made = Mount(target, naming, offering=target, upstream=None)
    else:
        limits = UpstreamTimeouts(
            list_timeout, call_timeout, options.get("timeout", DEFAULT_TIMEOUT_SECONDS)
        )
        upstream = _create_upstream(offering, target, naming, limits, options)
        made = Mount(target, naming, offering=None, upstream=upstream)
    mounts = (
        offering.mounts if isinstance(offering.mounts, ServerMounts) else ServerMounts(offering)
    )
    mounts.add(made)


def unmount_server(offering: BaseServer, mounted: str | MountTarget) -> None:
    """Offer no longer what another server has; see `Server.unmount`."""
    mounts = (
        offering.mounts if isinstance(offering.mounts, ServerMounts) else ServerMounts(offering)
    )
    for one in mounts:
        is_meant = one.target is mounted or one.target == mounted
        if is_meant or (isinstance(mounted, str) and one.item_prefix.prefix == mounted):
            mounts.remove(one)
            return
    known = ", ".join(repr(one.item_prefix.prefix or one.target) for one in mounts) or "nothing"
    raise DefinitionError(f"{mounted!r} is not mounted", hint=f"mounted: {known}")


def _create_upstream(
    offering: BaseServer,
    target: Peer | ServerCommand,
    naming: ItemPrefix,
    limits: UpstreamTimeouts,
    options: ConnectOptions,
) -> Upstream:
    info: dict[str, object] = {"name": offering.name, "version": offering.metadata.version}
    given: ConnectOptions = {"client_info": info, **options}
    label = naming.prefix or get_target_label(target)
    return Upstream(label, UpstreamConnector(target, given), limits, offering)
