"""Items of other servers that an offering passes on, and what it needs to know of them.

How servers are mounted is `paddock.mounting`; this is as much of it as the operations see.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from paddock.authoring.uri_template import UriTemplate
from paddock.errors import DefinitionError
from paddock.protocol.params import CompletionReference

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paddock.protocol.request import Request

Json = dict[str, Any]

KEY_FIELDS = {"tools": "name", "prompts": "name", "resources": "uri", "templates": "uriTemplate"}
"""The member of an entry, for each kind of item, that says what it is called."""


class MountSource(Protocol):
    """A server whose items another one offers; they have the names here that it gave them."""

    @property
    def revision(self) -> int:
        """A number that grows with each change of what it offers."""

    def list_keys(self, kind: str) -> list[str]:
        """The names of its items of a kind."""

    def can_offer(self, kind: str, key: str) -> bool:
        """Whether it has an item, or has not yet said what it offers."""

    def get_entry(self, kind: str, key: str) -> Json | None:
        """How lists show an item; None where they do not."""

    def get_tool(self, name: str) -> Any:
        """A tool, ready to be called: an `Invocation`, or what behaves like one; None if unknown.

        Raises:
            ProtocolError: when it is declared wrongly.
        """

    def render_prompt(self, request: Request, name: str) -> None:
        """Begin `prompts/get`."""

    def read_uri(self, request: Request, uri: str) -> None:
        """Begin `resources/read`."""

    def complete_reference(self, request: Request, reference: CompletionReference) -> None:
        """Begin `completion/complete`."""

    def watch(self, uri: str) -> None:
        """A client wants to be told when a resource changes."""


class MountedItem:
    """One item of a mounted server."""

    def __init__(self, source: MountSource, kind: str, name: str, key: str) -> None:
        self.source = source
        self.kind = kind
        self.source_name = name
        """What its own server calls it."""
        self.key = key
        """What it is called here."""

    def get_entry(self) -> Json | None:
        """How lists show it here; None where they do not."""
        found = self.source.get_entry(self.kind, self.source_name)
        return None if found is None else {**found, KEY_FIELDS[self.kind]: self.key}

    def get_reference(self) -> CompletionReference:
        """What its own server is to complete the arguments of."""
        if self.kind == "prompts":
            return CompletionReference("ref/prompt", name=self.source_name)
        return CompletionReference("ref/resource", uri=self.source_name)

    def match(self, uri: str) -> dict[str, str] | None:
        """The variables of a URI that belongs to this template; None if it does not."""
        return None if self._uri_template is None else self._uri_template.match(uri)

    @cached_property
    def _uri_template(self) -> UriTemplate | None:
        try:
            return UriTemplate(self.source_name)
        except DefinitionError:  # more of RFC 6570 than we know: its prefix still leads to it
            return None

    def __repr__(self) -> str:
        return f"{self.kind} {self.source_name!r} of {self.source!r}"


class MountedItems(Protocol):
    """What mounted servers add to one catalogue."""

    def items(self) -> dict[str, MountedItem]:
        """All of it, by the keys that it has here; nothing that the catalogue has itself."""

    def find(self, key: str) -> MountedItem | None:
        """One item; also of a server that has not yet said what it offers."""


class MountTable(Protocol):
    """The servers that an offering has mounted."""

    @property
    def revision(self) -> int:
        """A number that grows with each change of what they offer."""

    def are_lists_ready(self) -> bool:
        """Whether it is known what they offer, or time was up to find out."""

    def wait_for_lists(self) -> Awaitable[None]:
        """Wait until they are settled, which is never long."""

    def resolve_alias(self, uri: str) -> tuple[MountSource, str] | None:
        """The server that a URI with a prefix leads to, and the URI without the prefix."""

    def watch(self, uri: str) -> None:
        """A client wants to be told when a resource changes, whosever it is."""

    def get_local_servers(self) -> list[LifespanOwner]:
        """Those of them that are in this process."""

    def add_holder(self, holder: object) -> None:
        """Somebody needs the servers: keep those that are elsewhere connected."""

    def remove_holder(self, holder: object, *, is_patient: bool = False) -> None:
        """Somebody needs them no longer; whoever is patient waits until they are gone."""

    def move_to(self, target: Any) -> None:
        """Have them mounted in another offering, in place of what is mounted there."""

    def clear(self) -> None:
        """Unmount them all."""


class LifespanOwner(Protocol):
    """As much of an offering as its lifespan needs."""

    lifespan_function: Callable[[Any], Any] | None
    mounts: MountTable | None


class LifespanStates:
    """What the lifespans of a connection have yielded, each for its own server."""

    __slots__ = ("_states_by_server",)

    def __init__(self) -> None:
        self._states_by_server: dict[object, object] = {}

    def set_state(self, server: object, state: object) -> None:
        """A server's lifespan has been entered."""
        self._states_by_server[server] = state

    def get_state(self, server: object) -> object:
        """The state of a server; None of one that has none, or was mounted later."""
        return self._states_by_server.get(server)
