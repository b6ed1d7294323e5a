"""Server operations, and the methods common to both eras."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.protocol.request import Operation
    from paddock.protocol.server_metadata import ServerMetadata
    from paddock.protocol.tasks import TaskStore

METHODS_BY_CAPABILITY = {
    "tools": ("tools/list", "tools/call"),
    "prompts": ("prompts/list", "prompts/get"),
    "resources": (
        *("resources/list", "resources/templates/list", "resources/read"),
        *("resources/directory/read", "skills/list", "skills/get"),
    ),
    "completions": ("completion/complete",),
}
"""The methods of each capability.

Those of the skills extension belong to `resources`, because a server may get its first skill while
clients are connected. Until then, its operations report an unknown method.
"""
METHODS_OF_AUTHOR_CODE = frozenset(
    {
        *("completion/complete", "prompts/get", "resources/directory/read", "resources/read"),
        *("skills/get", "tools/call"),
    }
)
"""The methods that may run the author's code, and therefore wait for the server's lifespan."""


class ServerOperations(Protocol):
    """The operations of a server, which `authoring.methods.ServerMethods` implements.

    The protocol package must not import the authoring package, so it depends on this interface.
    """

    @property
    def metadata(self) -> ServerMetadata:
        """The name, version and capabilities of the server."""

    @property
    def methods(self) -> Mapping[str, Operation]:
        """The operation that answers each method, such as `tools/call`."""

    def watch(self, uri: str, /) -> None:
        """Report changes to a resource from now on, because a client has subscribed to it."""

    @property
    def tasks(self) -> TaskStore:
        """The store for calls that continue as tasks after they have been answered."""

    @property
    def state_key(self) -> bytes:
        """The secret key for signing the state that clients send back with a repeated request."""


def build_method_table(operations: ServerOperations) -> dict[str, Operation]:
    """Return the operation for each method, except those of undeclared capabilities."""
    return {
        method: operations.methods[method]
        for capability, methods in METHODS_BY_CAPABILITY.items()
        if operations.metadata.has_capability(capability)
        for method in methods
    }
