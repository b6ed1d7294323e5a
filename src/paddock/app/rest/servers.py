"""Routes for named servers: descriptions, and trial calls of tools and prompts."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, JSONBody, PathParameter
from msgspec import Struct, field

from paddock.app.authenticators import get_request_user
from paddock.app.mcp_endpoints import McpEndpointRegistry, get_server_by_url_name, make_url_name
from paddock.client.results import (
    PromptInfo,
    ResourceInfo,
    TemplateInfo,
    ToolInfo,
)
from paddock.errors import PaddockError
from paddock.named_servers.api import list_servers
from paddock.named_servers.sources import BUILT_IN_LOCATION
from paddock.suggestions import did_you_mean
from paddock.validation.validate import validate
from paddock.zoo.rest.error_responses import declare_route

if TYPE_CHECKING:
    from paddock.client.peer import Peer
    from paddock.named_servers.named_server import NamedServer

CALL_TIMEOUT_SECONDS = 600.0
"""Time limit of a trial call."""
MAX_FINDINGS = 100


class ServerInfo(Struct, rename="camel", kw_only=True):
    """The facts about a server that are known even if its definition is broken."""

    name: str
    title: str | None
    description: str | None
    source: str
    """`built-in`, `user` or `extension`."""
    extension: str | None
    """The extension that brings it."""
    version: str | None


class ServerSummary(ServerInfo, rename="camel", kw_only=True):
    """A server in the list."""

    tools: int | None = None
    """Number of tools; None if only running the server would show it."""
    prompts: int | None = None
    resources: int | None = None
    findings: int
    url: str
    """The path of its MCP endpoint."""
    problem: str | None = None
    """The error, if the server cannot be used."""


class FindingInfo(Struct, rename="camel", kw_only=True):
    """A validation finding."""

    code: str
    severity: str
    place: str
    message: str
    remedy: str


class ServerDetails(ServerInfo, rename="camel", kw_only=True):
    """A server with its items as clients see them."""

    url: str
    instructions: str | None
    tools: list[ToolInfo] = field(default_factory=list)
    prompts: list[PromptInfo] = field(default_factory=list)
    resources: list[ResourceInfo] = field(default_factory=list)
    templates: list[TemplateInfo] = field(default_factory=list)
    findings: list[FindingInfo] = field(default_factory=list)
    configuration: dict[str, Any] = field(default_factory=dict)
    """The entry that most client apps need in their configuration to start the server."""
    problem: str | None = None


class CallBody(Struct, forbid_unknown_fields=True):
    """The arguments of a tool call."""

    arguments: dict[str, Any] = field(default_factory=dict)


class PromptBody(Struct, forbid_unknown_fields=True):
    """The arguments of a prompt."""

    arguments: dict[str, str] = field(default_factory=dict)


class CallResult(Struct, rename="camel", kw_only=True):
    """The result of a tool call."""

    content: list[Any]
    structured_content: Any
    is_error: bool
    milliseconds: float


class PromptAnswer(Struct, rename="camel", kw_only=True):
    """The messages of a prompt."""

    description: str | None
    messages: list[Any]


ServerNamePath = Annotated[
    str, PathParameter(description="The server; write the slash of a qualified name as `~`.")
]


@declare_route(get, "/servers", "List the named servers")
def list_all() -> list[ServerSummary]:
    """Return all servers, the user's own first, without loading them."""
    return [_make_summary(server) for server in list_servers()]


@declare_route(get, "/servers/{name:str}", "Get a server", errors=(404,))
def get_one(
    request: Request[Any, Any, Any],
    endpoints: NamedDependency[McpEndpointRegistry],
    name: ServerNamePath,
) -> ServerDetails:
    """Return a server with its items and findings. The server is loaded."""
    server = get_server_by_url_name(name)
    details = ServerDetails(
        **_describe_server(server),
        url=_make_endpoint_path(server.name),
        instructions=None,
        findings=_list_findings(server.name),
    )
    try:
        peer = endpoints.get_trial_client(get_request_user(request).owner, name)
        details.configuration = server.configuration
        details.instructions = peer.instructions
        # A client may only use the capabilities that the server has declared.
        capabilities = peer.server_capabilities
        if "tools" in capabilities:
            details.tools = peer.tools()
        if "prompts" in capabilities:
            details.prompts = peer.prompts()
        if "resources" in capabilities:
            details.resources, details.templates = peer.resources(), peer.templates()
    except PaddockError as error:
        details.problem = str(error)
    return details


@declare_route(
    post,
    "/servers/{name:str}/tools/{tool:str}/call",
    "Call a tool",
    errors=(400, 404),
    status_code=200,
)
def call_tool(
    request: Request[Any, Any, Any],
    endpoints: NamedDependency[McpEndpointRegistry],
    name: ServerNamePath,
    tool: FromPath[str],
    data: JSONBody[CallBody],
) -> CallResult:
    """Call a tool. If the tool fails, the result has `isError` and the error as content."""
    peer = _get_client(request, endpoints, name)
    _require_known_name("tool", tool, [item.name for item in peer.tools()])
    started = perf_counter()
    result = peer.within(CALL_TIMEOUT_SECONDS).call(tool, data.arguments)
    return CallResult(
        content=_to_json_data(result.content),
        structured_content=_to_json_data(result.structured),
        is_error=result.is_error,
        milliseconds=round((perf_counter() - started) * 1000, 1),
    )


@declare_route(
    post,
    "/servers/{name:str}/prompts/{prompt:str}",
    "Get a prompt",
    errors=(400, 404),
    status_code=200,
)
def get_prompt(
    request: Request[Any, Any, Any],
    endpoints: NamedDependency[McpEndpointRegistry],
    name: ServerNamePath,
    prompt: FromPath[str],
    data: JSONBody[PromptBody],
) -> PromptAnswer:
    """Return the messages that a client would give to its model."""
    peer = _get_client(request, endpoints, name)
    _require_known_name("prompt", prompt, [item.name for item in peer.prompts()])
    result = peer.prompt(prompt, data.arguments)
    return PromptAnswer(description=result.description, messages=_to_json_data(result.messages))


def _get_client(request: Request[Any, Any, Any], endpoints: McpEndpointRegistry, name: str) -> Peer:
    get_server_by_url_name(name)  # raises if the server does not exist, before anything is loaded
    return endpoints.get_trial_client(get_request_user(request).owner, name)


def _require_known_name(kind: str, name: str, known_names: list[str]) -> None:
    """Raise an error unless the server has a tool or prompt with this name.

    Args:
        kind: `tool` or `prompt`, for the message.
        name: The name in the request URL.
        known_names: The names of all tools or prompts of the server.

    Raises:
        NotFoundException: The name is unknown. The message suggests similar names.
    """
    if name not in known_names:
        hint = did_you_mean(name, known_names) or f"there are: {', '.join(known_names) or 'none'}"
        raise NotFoundException(f"The server has no {kind} {name!r} ({hint})")


def _make_summary(server: NamedServer) -> ServerSummary:
    """Return a server's entry in the list of servers, without loading the server."""
    summary = ServerSummary(
        **_describe_server(server),
        url=_make_endpoint_path(server.name),
        findings=len(_list_findings(server.name)),
    )
    if summary.problem is None:
        for kind in ("tools", "prompts", "resources"):
            items = getattr(server.outline, kind)
            # None means that only running the server would show its items.
            setattr(summary, kind, None if items is None else len(items))
    return summary


def _describe_server(server: NamedServer) -> dict[str, Any]:
    """Return the fields of `ServerInfo`, and the error if the server's definition is broken.

    They come from the server's outline, which is read from its definition without running it.
    """
    location = server.location
    is_built_in = location == BUILT_IN_LOCATION
    is_extension = isinstance(location, str) and not is_built_in
    source = "extension" if is_extension else "user"
    outline, problem = None, None
    try:
        outline = server.outline
    except PaddockError as error:
        problem = str(error)
    return {
        "name": server.name,
        "source": BUILT_IN_LOCATION if is_built_in else source,
        "extension": location if is_extension else None,
        "title": outline and outline.title,
        "description": outline and outline.description,
        "version": outline and outline.version,
        "problem": problem,
    }


def _list_findings(name: str) -> list[FindingInfo]:
    """Validate a server without running its code, and return the findings."""
    try:
        findings = validate(name, static=True).findings
    except PaddockError:
        # The server cannot be read at all. Callers report this error as the server's `problem`.
        return []
    return [
        FindingInfo(
            code=finding.code,
            severity=finding.severity,
            place=str(finding.place),
            message=finding.message,
            remedy=finding.remedy,
        )
        for finding in findings[:MAX_FINDINGS]
    ]


def _make_endpoint_path(name: str) -> str:
    return f"/mcp/{make_url_name(name)}"


def _to_json_data(value: object) -> Any:
    """Convert a result to JSON data, with images and audio in base64."""
    return msgspec.json.decode(msgspec.json.encode(value))


SERVER_ROUTES = [list_all, get_one, call_tool, get_prompt]
