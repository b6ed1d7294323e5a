"""What the two eras have in common: the operations of a server, and the methods for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from paddock.protocol.request import Operation, OperationResult, Request
    from paddock.protocol.server_metadata import ServerMetadata
    from paddock.protocol.tasks import TaskStore


class ServerOperations(Protocol):
    """What a server answers; implemented by `authoring.operations`."""

    @property
    def metadata(self) -> ServerMetadata:
        """What the server says about itself."""

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
        """A client wants to be told when a resource changes."""

    def list_skills(self, request: Request, /) -> OperationResult:
        """Answer `skills/list`, or begin to."""

    def get_skill(self, request: Request, /) -> OperationResult:
        """Answer `skills/get`, or begin to."""

    def read_directory(self, request: Request, /) -> OperationResult:
        """Answer `resources/directory/read`, or begin to."""

    @property
    def tasks(self) -> TaskStore:
        """The calls that go on after they have been answered."""

    @property
    def state_key(self) -> bytes:
        """The secret that seals what a client keeps for the server between two requests."""


def build_method_table(operations: ServerOperations) -> dict[str, Operation]:
    """The methods that both eras have, as far as the server declares them.

    Those of the skills extension are always among them: a server may get its first skill while
    clients are connected, and until then answers as if the methods did not exist.
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
