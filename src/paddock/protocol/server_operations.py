"""The operations of a server, and the methods that both eras have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from paddock.protocol.request import Operation, OperationResult, Request
    from paddock.protocol.server_metadata import ServerMetadata
    from paddock.protocol.tasks import TaskStore


class ServerOperations(Protocol):
    """The operations of a server, which `authoring.methods.ServerMethods` implements.

    The protocol package must not import the authoring package, so it depends on this interface.
    """

    @property
    def metadata(self) -> ServerMetadata:
        """Name, version and capabilities of the server."""

    def list_tools(self, request: Request, /) -> OperationResult:
        """Answer `tools/list`, or begin to."""

    def begin_tool_call(self, request: Request, /) -> OperationResult:
        """Answer `tools/call`, or begin to."""

    def list_prompts(self, request: Request, /) -> OperationResult:
        """Answer `prompts/list`, or begin to."""

    def begin_get_prompt(self, request: Request, /) -> OperationResult:
        """Answer `prompts/get`, or begin to."""

    def list_resources(self, request: Request, /) -> OperationResult:
        """Answer `resources/list`, or begin to."""

    def list_templates(self, request: Request, /) -> OperationResult:
        """Answer `resources/templates/list`, or begin to."""

    def begin_read_resource(self, request: Request, /) -> OperationResult:
        """Answer `resources/read`, or begin to."""

    def complete(self, request: Request, /) -> OperationResult:
        """Answer `completion/complete`, or begin to."""

    def watch(self, uri: str, /) -> None:
        """Report changes of a resource from now on, because a client has subscribed to it."""

    def list_skills(self, request: Request, /) -> OperationResult:
        """Answer `skills/list`, or begin to."""

    def get_skill(self, request: Request, /) -> OperationResult:
        """Answer `skills/get`, or begin to."""

    def read_directory(self, request: Request, /) -> OperationResult:
        """Answer `resources/directory/read`, or begin to."""

    @property
    def tasks(self) -> TaskStore:
        """The calls that continue as tasks."""

    @property
    def state_key(self) -> bytes:
        """The secret that signs the state a client returns with a repeated request."""


def build_method_table(operations: ServerOperations) -> dict[str, Operation]:
    """Return the operations of the declared capabilities by method.

    The methods of the skills extension are always included: a server may get its first skill while
    clients are connected. Until then its operations report an unknown method.
    """
    methods_by_capability: dict[str, dict[str, Operation]] = {
        "tools": {"tools/list": operations.list_tools, "tools/call": operations.begin_tool_call},
        "prompts": {
            "prompts/list": operations.list_prompts,
            "prompts/get": operations.begin_get_prompt,
        },
        "resources": {
            "resources/list": operations.list_resources,
            "resources/templates/list": operations.list_templates,
            "resources/read": operations.begin_read_resource,
            "resources/directory/read": operations.read_directory,
            "skills/list": operations.list_skills,
            "skills/get": operations.get_skill,
        },
        "completions": {"completion/complete": operations.complete},
    }
    declared_methods = (
        methods
        for name, methods in methods_by_capability.items()
        if operations.metadata.has_capability(name)
    )
    return {
        method: operation for methods in declared_methods for method, operation in methods.items()
    }
