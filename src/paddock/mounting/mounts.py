"""The servers that one offering has mounted, and what of them it offers.

Nothing is copied: what is offered is looked up in the mounted servers, and looked up again once
one of them says that it has changed.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from paddock.authoring.mounted import Mounted
from paddock.errors import DefinitionError
from paddock.mounting.upstream import close_all, settle_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.authoring.catalogue import Catalogue
    from paddock.authoring.mounted import Living, Source
    from paddock.authoring.offering import Offering
    from paddock.mounting.mount import Mount
    from paddock.mounting.upstream import Upstream

KINDS = ("tools", "prompts", "resources", "templates")
_log = logging.getLogger("paddock")


class Items:
    """What mounted servers add to one catalogue."""

    def __init__(self, mounts: Mounts, kind: str, catalogue: Catalogue[object]) -> None:
        self._mounts = mounts
        self._kind = kind
        self._catalogue = catalogue
        self._revision = (-1, -1)
        self._items: dict[str, Mounted] = {}
        self._reported: set[str] = set()

    def items(self) -> dict[str, Mounted]:
        """All of it, in the order in which the servers were mounted."""
        revision = (self._catalogue.revision, self._mounts.revision)
        if self._revision != revision:
            found: dict[str, Mounted] = {}
            for mount in self._mounts:
                for name in mount.source.keys(self._kind):
                    self._add(found, mount, name)
            self._items, self._revision = found, revision
        return self._items

    def find(self, key: str) -> Mounted | None:
        """One item; of a server that was never reached it may be any with its prefix."""
        found = self.items().get(key)
        if found is not None or self._kind not in ("tools", "prompts"):
            return found
        meant = [mount for mount in self._mounts if self._may_be_of(mount, key)]
        if not meant:
            return None
        mount = max(meant, key=lambda mount: len(mount.naming.before))
        return Mounted(mount.source, self._kind, key.removeprefix(mount.naming.before), key)

    def _may_be_of(self, mount: Mount, key: str) -> bool:
        before = mount.naming.before
        name = key.removeprefix(before)
        return bool(name) and key.startswith(before) and mount.source.may_have(self._kind, name)

    def collisions(self, mount: Mount) -> list[str]:
        """What keeps items of a further server from being offered."""
        found = self.items()
        names = mount.source.keys(self._kind)
        return [fault for name in names if (fault := self._placed(found, mount, name)[1])]

    def _add(self, found: dict[str, Mounted], mount: Mount, name: str) -> None:
        key, fault = self._placed(found, mount, name)
        if fault is None:
            found[key] = Mounted(mount.source, self._kind, name, key)
        elif fault not in self._reported:
            self._reported.add(fault)
            _log.warning("%s of %r is left out: %s", name, mount, fault)

    def _placed(self, found: dict[str, Mounted], mount: Mount, name: str) -> tuple[str, str | None]:
        """The key of an item, and why it cannot have it if it cannot."""
        naming = mount.naming
        keys = (naming.key(self._kind, name), naming.alias(self._kind, name))
        for key in keys:
            if key is not None and key not in self._catalogue and key not in found:
                return key, naming.fault(self._kind, key)
        return keys[0] or name, f"there are {self._kind} called {keys[0]!r} already"


class Mounts:
    """The mounted servers of an offering, in order."""

    def __init__(self, offering: Offering) -> None:
        self._offering = offering
        self._mounts: list[Mount] = []
        self._holders: set[object] = set()
        self._catalogues: dict[str, Catalogue[object]] = {
            "tools": offering.tools,  # type: ignore[dict-item]  # only looked at
            "prompts": offering.prompts,  # type: ignore[dict-item]  # only looked at
            "resources": offering.resources,  # type: ignore[dict-item]  # only looked at
            "templates": offering.templates,  # type: ignore[dict-item]  # only looked at
        }
        self._items = {
            kind: Items(self, kind, catalogue) for kind, catalogue in self._catalogues.items()
        }
        for kind, catalogue in self._catalogues.items():
            catalogue.mounted = self._items[kind]
        offering.use_mounts(self)

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
        if mount.offering is not None:
            self._check(mount)
        taken = [one for one in self._mounts if one.naming.scheme == mount.naming.scheme]
        if mount.naming.scheme is not None and taken:
            raise DefinitionError(
                f"the prefix {mount.naming.prefix!r} is that of {taken[0]!r} already",
                hint="choose one that differs in more than case and punctuation",
            )
        self._mounts.append(mount)
        mount.connect(self._changed)
        for holder in list(self._holders):
            _hold(mount, (self, holder))
        self._announce_all(mount)

    def remove(self, mount: Mount) -> None:
        """Unmount a server, and end the connection to it if there is one."""
        self._mounts.remove(mount)
        mount.disconnect()
        for holder in list(self._holders):
            _release(mount, (self, holder))
        if mount.upstream is not None:
            close_all([mount.upstream])
        self._announce_all(mount)

    def clear(self) -> None:
        """Unmount them all."""
        for mount in self:
            self.remove(mount)

    def move(self, target: Offering) -> None:
        """Have all of them mounted in another offering, in place of what is mounted there.

        A server of this process that takes the place of another is taken over by it, so that what
        its lifespan has yielded stays. A connection to the same server elsewhere is kept.
        """
        theirs = target.mounts if isinstance(target.mounts, Mounts) else Mounts(target)
        earlier = {mount.naming.before: mount for mount in theirs}
        kept: list[Mount] = []
        for mount in self:
            mount.disconnect()
            old = earlier.get(mount.naming.before)
            if old is not None and old.offering is not None and mount.offering is not None:
                old.offering.adopt(mount.offering)
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

    def are_settled(self) -> bool:
        """Whether it is known what all of them offer, or time was up to find out.

        Lists that may be out of date by now are asked for again, for the next time.
        """
        upstreams = list(self._upstreams())
        for upstream in upstreams:
            upstream.freshen()
        return all(upstream.is_settled for upstream in upstreams)

    async def settled(self) -> None:
        """Wait until they are settled, which is never long."""
        await settle_all(list(self._upstreams()))

    def aliased(self, uri: str) -> tuple[Source, str] | None:
        """The server that a URI with a prefix leads to, and the URI without the prefix."""
        scheme, plus, rest = uri.partition("+")
        if not plus:
            return None
        scheme = scheme.lower()
        found = (mount.source for mount in self._mounts if mount.naming.scheme == scheme)
        source = next(found, None)
        return None if source is None else (source, rest)

    def watch(self, uri: str) -> None:
        """A client wants to be told when a resource changes, whosever it is."""
        aliased = self.aliased(uri)
        if aliased is not None:
            aliased[0].watch(aliased[1])
            return
        exact = self._items["resources"].items().get(uri)
        templates = self._items["templates"].items().values()
        found = exact or next((one for one in templates if one.match(uri) is not None), None)
        if found is not None:
            found.source.watch(uri)

    def offerings(self) -> list[Living]:
        """Those of them that are in this process."""
        return [mount.offering for mount in self._mounts if mount.offering is not None]

    def hold(self, holder: object) -> None:
        """Somebody needs the servers: keep those that are elsewhere connected."""
        self._holders.add(holder)
        for mount in self:
            _hold(mount, (self, holder))

    def release(self, holder: object, *, is_patient: bool = False) -> None:
        """Somebody needs them no longer; whoever is patient waits until they are gone."""
        self._holders.discard(holder)
        for mount in self:
            _release(mount, (self, holder))
        if is_patient:
            close_all([upstream for upstream in self._upstreams() if not upstream.is_held])

    def _upstreams(self) -> Iterator[Upstream]:
        for mount in self:
            if mount.upstream is not None:
                yield mount.upstream
            elif mount.offering is not None and isinstance(mount.offering.mounts, Mounts):
                yield from mount.offering.mounts._upstreams()  # noqa: SLF001 - of the same class

    def _check(self, mount: Mount) -> None:
        if mount.offering is not None and self._offering in _inside(mount.offering):
            raise DefinitionError(
                f"{self._offering!r} would be mounted in itself", hint="leave one of the mounts out"
            )
        faults = [fault for kind in KINDS for fault in self._items[kind].collisions(mount)]
        if faults:
            raise DefinitionError(
                f"{mount!r} cannot be mounted: {'; '.join(faults)}", hint="give another prefix"
            )

    def _changed(self, mount: Mount, kind: str, uri: str | None) -> int:
        if kind == "elicitation":
            return self._offering.elicitation_complete(str(uri))
        if uri is not None:
            return self._updated(mount, uri)
        self._touch(kind)
        return self._offering.list_changed(kind)

    def _updated(self, mount: Mount, uri: str) -> int:
        """Tell of a resource, by the names that it has here."""
        told = 0
        alias = mount.naming.alias("resources", uri)
        if alias is not None:
            told += self._offering.resource_updated(alias)
        owner = self._items["resources"].items().get(uri)
        is_own = uri in self._offering.resources
        if not is_own and (owner is None or owner.source is mount.source):
            told += self._offering.resource_updated(uri)
        return told

    def _announce_all(self, mount: Mount) -> None:
        """What a server has is offered from now on, or no longer."""
        kinds = {kind for kind in KINDS if mount.source.keys(kind)}
        if "templates" in kinds:
            kinds = (kinds - {"templates"}) | {"resources"}
        for kind in sorted(kinds):
            self._touch(kind)
            self._offering.list_changed(kind)

    def _touch(self, kind: str) -> None:
        self._catalogues[kind].touch()
        if kind == "resources":
            self._catalogues["templates"].touch()


def _inside(offering: Offering) -> list[object]:
    """A server and everything that is mounted in it."""
    found: list[object] = [offering]
    for one in found:
        mounts = getattr(one, "mounts", None)
        found += [] if mounts is None else [new for new in mounts.offerings() if new not in found]
    return found


def _hold(mount: Mount, holder: object) -> None:
    if mount.upstream is not None:
        mount.upstream.hold(holder)
    elif mount.offering is not None and mount.offering.mounts is not None:
        mount.offering.mounts.hold(holder)


def _release(mount: Mount, holder: object) -> None:
    if mount.upstream is not None:
        mount.upstream.release(holder)
    elif mount.offering is not None and mount.offering.mounts is not None:
        mount.offering.mounts.release(holder)
