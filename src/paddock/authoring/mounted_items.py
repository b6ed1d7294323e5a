"""Interfaces to mounted servers, and the items that they contribute.

`paddock.mounting` implements the interfaces. They are declared here because packages may only
import from lower layers, and mounting is above authoring.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from paddock.authoring.uri_template import UriTemplate
from paddock.errors import DefinitionError
from paddock.protocol.params import CompletionReference

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paddock.protocol.request import Request, Result, SlowHandlerTracker, TaskSupport

Json = dict[str, Any]

KEY_FIELDS = {"tools": "name", "prompts": "name", "resources": "uri", "templates": "uriTemplate"}
"""The field that identifies a list entry, for each kind of item."""


class CallableTool(Protocol):
    """Interface of tools that are ready to be called.

    Implemented by `ToolInvoker`, and by its counterpart for the tools of an upstream (a mounted
    server in another process).
    """

    slow_tracker: SlowHandlerTracker
    is_async: bool
    task_support: TaskSupport
    task_from_handler: bool

    def check_http_request(self, request: Request) -> None:
        """Check the scopes and mirrored headers of an HTTP call before the handler runs."""

    async def run_async(self, request: Request) -> Result:
        """Call the tool on the running event loop."""


class MountSource(Protocol):
    """Interface of a mounted server. The server that mounts it offers its items.

    This interface uses the names and URIs that items have on the mounted server.
    """

    @property
    def revision(self) -> int:
        """A number that increases whenever the server's items change."""

    def list_keys(self, kind: str) -> list[str]:
        """Return the names or URIs of the server's items of a kind, such as `tools`."""

    def can_offer(self, kind: str, key: str) -> bool:
        """Return whether the server has an item, or may have it because its list is unknown."""

    def get_entry(self, kind: str, key: str) -> Json | None:
        """Return the entry of an item in a list such as `tools/list`, or None if not listed."""

    def get_tool(self, name: str) -> CallableTool | None:
        """Return a tool that is ready to be called, or None.

        Raises:
            ProtocolError: The declaration of the tool is invalid.
        """

    def render_prompt(self, request: Request, name: str) -> None:
        """Assign the work of `prompts/get` to a request."""

    def read_uri(self, request: Request, uri: str) -> None:
        """Assign the work of `resources/read` to a request."""

    def complete_reference(self, request: Request, reference: CompletionReference) -> None:
        """Assign the work of `completion/complete` to a request."""

    def watch(self, uri: str) -> None:
        """Subscribe to changes of a resource."""


class MountedItem:
    """A tool, prompt, resource or template of a mounted server, as offered by the mounting server.

    Args:
        source: The mounted server.
        kind: `tools`, `prompts`, `resources` or `templates`.
        name: The name or URI of the item on the mounted server.
        key: The name or URI of the item on the mounting server.
    """

    def __init__(self, source: MountSource, kind: str, name: str, key: str) -> None:
        self.source = source
        self.kind = kind
        self.source_name = name
        """Name or URI on the item's own server."""
        self.key = key
        """Name or URI on the mounting server."""

    def get_entry(self) -> Json | None:
        """Return the item's entry for the mounting server's list, or None if it is not listed."""
        entry = self.source.get_entry(self.kind, self.source_name)
        return None if entry is None else {**entry, KEY_FIELDS[self.kind]: self.key}

    def get_reference(self) -> CompletionReference:
        """Return the reference for completion requests to the item's own server."""
        if self.kind == "prompts":
            return CompletionReference("ref/prompt", name=self.source_name)
        return CompletionReference("ref/resource", uri=self.source_name)

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the template's variables in a URI, or None if the URI does not match."""
        return None if self._uri_template is None else self._uri_template.match(uri)

    @cached_property
    def _uri_template(self) -> UriTemplate | None:
        try:
            return UriTemplate(self.source_name)
        except DefinitionError:  # unsupported RFC 6570 operators, so only the prefix can be matched
            return None

    def __repr__(self) -> str:
        return f"{self.kind} {self.source_name!r} of {self.source!r}"


class MountedItems(Protocol):
    """Interface to the items of one kind that mounted servers contribute to a server's registry."""

    def items(self) -> dict[str, MountedItem]:
        """Return the items by key, except those whose keys are used by the server's own items."""

    def find(self, key: str) -> MountedItem | None:
        """Return the item with this key, or None. The list of its server may still be unknown."""


class MountTable(Protocol):
    """Interface to all servers mounted on a server."""

    @property
    def revision(self) -> int:
        """A number that increases whenever the items of a mounted server change."""

    def are_lists_ready(self) -> bool:
        """Return whether all mounted servers have listed their items, or have timed out."""

    def wait_for_lists(self) -> Awaitable[None]:
        """Wait until `are_lists_ready` is true. The list timeouts limit the wait."""

    def resolve_alias(self, uri: str) -> tuple[MountSource, str] | None:
        """Return the mounted server that a URI's prefix names, and the URI without the prefix.

        The result is None if the URI has no such prefix.
        """

    def watch(self, uri: str) -> None:
        """Subscribe to changes of a resource on the server that owns it."""

    def get_local_servers(self) -> list[LifespanOwner]:
        """Return the mounted servers that run in this process."""

    def add_holder(self, holder: object) -> None:
        """Register an object that uses the servers, which keeps remote servers connected."""

    def remove_holder(self, holder: object) -> None:
        """Remove an object registered with `add_holder`."""

    def remove_holder_and_wait(self, holder: object) -> None:
        """Remove a holder, and wait until connections that are now unused have been closed."""

    def move_to(self, target: Any) -> None:
        """Move all mounts to another server, replacing that server's mounts."""

    def clear(self) -> None:
        """Unmount all servers."""


class LifespanOwner(Protocol):
    """The part of a server that lifespans need."""

    lifespan_function: Callable[[Any], Any] | None
    mounts: MountTable | None


class LifespanStates:
    """The values yielded by the lifespan functions of a server and its mounted servers.

    They belong to one connection. Handlers receive the value of their own server.
    """

    __slots__ = ("_states_by_server",)

    def __init__(self) -> None:
        self._states_by_server: dict[object, object] = {}

    def set_state(self, server: object, state: object) -> None:
        """Store the value that a server's lifespan yielded."""
        self._states_by_server[server] = state

    def get_state(self, server: object) -> object:
        """Return the state of a server, or None if it has none or was mounted later."""
        return self._states_by_server.get(server)
