"""Items of other servers that an offering passes on, and what it needs to know of them.

How servers are mounted is `paddock.mounting`; this is as much of it as the operations see.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from paddock.authoring.uri_template import UriTemplate
from paddock.errors import DefinitionError
from paddock.protocol.model.params import Reference

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paddock.protocol.request import Request

Json = dict[str, Any]

NAMED_BY = {"tools": "name", "prompts": "name", "resources": "uri", "templates": "uriTemplate"}
"""The member of an entry, for each kind of item, that says what it is called."""


class Source(Protocol):
    """A server whose items another one offers; they have the names here that it gave them."""

    @property
    def revision(self) -> int:
        """A number that grows with each change of what it offers."""

    def keys(self, kind: str) -> list[str]:
        """The names of its items of a kind."""

    def may_have(self, kind: str, key: str) -> bool:
        """Whether it has an item, or has not yet said what it offers."""

    def entry(self, kind: str, key: str) -> Json | None:
        """How lists show an item; None where they do not."""

    def tool(self, name: str) -> Any:
        """A tool, ready to be called: an `Invocation`, or what behaves like one; None if unknown.

        Raises:
            ProtocolError: when it is declared wrongly.
        """

    def render(self, request: Request, name: str) -> None:
        """Begin `prompts/get`."""

    def read(self, request: Request, uri: str) -> None:
        """Begin `resources/read`."""

    def suggest(self, request: Request, reference: Reference) -> None:
        """Begin `completion/complete`."""

    def watch(self, uri: str) -> None:
        """A client wants to be told when a resource changes."""


class Mounted:
    """One item of a mounted server."""

    def __init__(self, source: Source, kind: str, name: str, key: str) -> None:
        self.source = source
        self.kind = kind
        self.name = name
        """What its own server calls it."""
        self.key = key
        """What it is called here."""

    def entry(self) -> Json | None:
        """How lists show it here; None where they do not."""
        found = self.source.entry(self.kind, self.name)
        return None if found is None else {**found, NAMED_BY[self.kind]: self.key}

    def reference(self) -> Reference:
        """What its own server is to complete the arguments of."""
        if self.kind == "prompts":
            return Reference("ref/prompt", name=self.name)
        return Reference("ref/resource", uri=self.name)

    def match(self, uri: str) -> dict[str, str] | None:
        """The variables of a URI that belongs to this template; None if it does not."""
        return None if self._template is None else self._template.match(uri)

    @cached_property
    def _template(self) -> UriTemplate | None:
        try:
            return UriTemplate(self.name)
        except DefinitionError:  # more of RFC 6570 than we know: its prefix still leads to it
            return None

    def __repr__(self) -> str:
        return f"{self.kind} {self.name!r} of {self.source!r}"


class MountedItems(Protocol):
    """What mounted servers add to one catalogue."""

    def items(self) -> dict[str, Mounted]:
        """All of it, by the keys that it has here; nothing that the catalogue has itself."""

    def find(self, key: str) -> Mounted | None:
        """One item; also of a server that has not yet said what it offers."""


class Mounting(Protocol):
    """The servers that an offering has mounted."""

    @property
    def revision(self) -> int:
        """A number that grows with each change of what they offer."""

    def are_settled(self) -> bool:
        """Whether it is known what they offer, or time was up to find out."""

    def settled(self) -> Awaitable[None]:
        """Wait until they are settled, which is never long."""

    def aliased(self, uri: str) -> tuple[Source, str] | None:
        """The server that a URI with a prefix leads to, and the URI without the prefix."""

    def watch(self, uri: str) -> None:
        """A client wants to be told when a resource changes, whosever it is."""

    def offerings(self) -> list[Living]:
        """Those of them that are in this process."""

    def hold(self, holder: object) -> None:
        """Somebody needs the servers: keep those that are elsewhere connected."""

    def release(self, holder: object, *, is_patient: bool = False) -> None:
        """Somebody needs them no longer; whoever is patient waits until they are gone."""

    def move(self, target: Any) -> None:
        """Have them mounted in another offering, in place of what is mounted there."""

    def clear(self) -> None:
        """Unmount them all."""


class Living(Protocol):
    """As much of an offering as its lifespan needs."""

    own_lifespan: Callable[[Any], Any] | None
    mounts: Mounting | None


class States:
    """What the lifespans of a connection have yielded, each for its own server."""

    __slots__ = ("_by_server",)

    def __init__(self) -> None:
        self._by_server: dict[object, object] = {}

    def put(self, server: object, state: object) -> None:
        """A server's lifespan has been entered."""
        self._by_server[server] = state

    def of(self, server: object) -> object:
        """The state of a server; None of one that has none, or was mounted later."""
        return self._by_server.get(server)
