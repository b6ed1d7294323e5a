"""Routes of the named servers: what they are, and trying them."""

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
from paddock.zoo.rest.error_responses import describe_errors

if TYPE_CHECKING:
    from paddock.client.peer import Peer
    from paddock.named_servers.named_server import NamedServer

CALL_TIMEOUT_SECONDS = 600.0
"""How long a tool may take that is tried."""
MAX_FINDINGS = 100


class ServerSummary(Struct, rename="camel", kw_only=True):
    """A server in a list."""

    name: str
    title: str | None
    description: str | None
    source: str
    """`built-in`, `user` or `extension`."""
    extension: str | None
    """The extension that brings it."""
    version: str | None
    tools: int | None = None
    """How many; None where only running it would tell."""
    prompts: int | None = None
    resources: int | None = None
    findings: int
    url: str
    """The path of its MCP endpoint."""
    problem: str | None = None
    """Why it cannot be used."""


class FindingInfo(Struct, rename="camel", kw_only=True):
    """Something that is wrong with a server."""

    code: str
    severity: str
    place: str
    message: str
    remedy: str


class ServerDetails(Struct, rename="camel", kw_only=True):
    """Everything about one server, as its clients see it."""

    name: str
    title: str | None
    description: str | None
    source: str
    extension: str | None
    version: str | None
    url: str
    instructions: str | None
    tools: list[ToolInfo] = field(default_factory=list)
    prompts: list[PromptInfo] = field(default_factory=list)
    resources: list[ResourceInfo] = field(default_factory=list)
    templates: list[TemplateInfo] = field(default_factory=list)
    findings: list[FindingInfo] = field(default_factory=list)
    configuration: dict[str, Any] = field(default_factory=dict)
    """What most clients want to have in their file, to start it."""
    problem: str | None = None


class CallBody(Struct, forbid_unknown_fields=True):
    """What a tool is called with."""

    arguments: dict[str, Any] = field(default_factory=dict)


class PromptBody(Struct, forbid_unknown_fields=True):
    """What a prompt is asked for with."""

    arguments: dict[str, str] = field(default_factory=dict)


class CallResult(Struct, rename="camel", kw_only=True):
    """What a tool has answered."""

    content: list[Any]
    structured_content: Any
    is_error: bool
    milliseconds: float


class PromptAnswer(Struct, rename="camel", kw_only=True):
    """What a prompt has given."""

    description: str | None
    messages: list[Any]


ServerNamePath = Annotated[
    str, PathParameter(description="The server; `~` stands for the slash of a qualified name.")
]


@get("/servers", summary="List the named servers", sync_to_thread=True)
def list_all() -> list[ServerSummary]:
    """The user's own first. Nothing is loaded; what cannot be read says why."""
    return [_make_summary(server) for server in list_servers()]


@get(
    "/servers/{name:str}",
    summary="Get a server",
    responses=describe_errors(404),
    sync_to_thread=True,
)
def get_one(
    request: Request[Any, Any, Any],
    hosting: NamedDependency[McpEndpointRegistry],
    name: ServerNamePath,
) -> ServerDetails:
    """Its tools, prompts and resources as clients see them, and what is wrong with it."""
    server = get_server_by_url_name(name)
    said = _describe_server(server)
    found = ServerDetails(
        **said,
        url=_make_endpoint_path(server.name),
        instructions=None,
        findings=_list_findings(server.name),
    )
    try:
        peer = hosting.get_trial_client(get_request_user(request).owner, name)
        found.configuration = server.configuration
        found.instructions = peer.instructions
        able = peer.server_capabilities
        if "tools" in able:
            found.tools = peer.tools()
        if "prompts" in able:
            found.prompts = peer.prompts()
        if "resources" in able:
            found.resources, found.templates = peer.resources(), peer.templates()
    except PaddockError as error:
        found.problem = str(error)
    return found


@post(
    "/servers/{name:str}/tools/{tool:str}/call",
    summary="Call a tool",
    responses=describe_errors(400, 404),
    status_code=200,
    sync_to_thread=True,
)
def call_tool(
    request: Request[Any, Any, Any],
    hosting: NamedDependency[McpEndpointRegistry],
    name: ServerNamePath,
    tool: FromPath[str],
    data: JSONBody[CallBody],
) -> CallResult:
    """A tool that fails answers with `isError`, and says why in its content."""
    peer = _get_client(request, hosting, name)
    _require_known_name("tool", tool, [one.name for one in peer.tools()])
    started = perf_counter()
    result = peer.within(CALL_TIMEOUT_SECONDS).call(tool, data.arguments)
    return CallResult(
        content=_to_json_data(result.content),
        structured_content=_to_json_data(result.structured),
        is_error=result.is_error,
        milliseconds=round((perf_counter() - started) * 1000, 1),
    )


@post(
    "/servers/{name:str}/prompts/{prompt:str}",
    summary="Get a prompt",
    responses=describe_errors(400, 404),
    status_code=200,
    sync_to_thread=True,
)
def get_prompt(
    request: Request[Any, Any, Any],
    hosting: NamedDependency[McpEndpointRegistry],
    name: ServerNamePath,
    prompt: FromPath[str],
    data: JSONBody[PromptBody],
) -> PromptAnswer:
    """The messages that a client would give to its model."""
    peer = _get_client(request, hosting, name)
    _require_known_name("prompt", prompt, [one.name for one in peer.prompts()])
    result = peer.prompt(prompt, data.arguments)
    return PromptAnswer(description=result.description, messages=_to_json_data(result.messages))


def _get_client(request: Request[Any, Any, Any], hosting: McpEndpointRegistry, name: str) -> Peer:
    get_server_by_url_name(name)  # says that there is none before anything is loaded
    return hosting.get_trial_client(get_request_user(request).owner, name)


def _require_known_name(kind: str, name: str, known: list[str]) -> None:
    if name not in known:
        near = did_you_mean(name, known) or f"there are: {', '.join(known) or 'none'}"
        raise NotFoundException(f"There is no {kind} {name!r} ({near})")


def _make_summary(server: NamedServer) -> ServerSummary:
    found = ServerSummary(
        **_describe_server(server),
        url=_make_endpoint_path(server.name),
        findings=len(_list_findings(server.name)),
    )
    try:
        outline = server.outline
    except PaddockError:
        return found  # `problem` says it
    found.tools = _count_items(outline.tools)
    found.prompts = _count_items(outline.prompts)
    found.resources = _count_items(outline.resources)
    return found


def _count_items(listed: list[Any] | None) -> int | None:
    return None if listed is None else len(listed)


def _describe_server(server: NamedServer) -> dict[str, Any]:
    """What can be said of a server whatever is wrong with it."""
    location = server.location
    is_extension = isinstance(location, str) and location != BUILT_IN_LOCATION
    found: dict[str, Any] = {
        "name": server.name,
        "source": BUILT_IN_LOCATION
        if location == BUILT_IN_LOCATION
        else "extension"
        if is_extension
        else "user",
        "extension": location if is_extension else None,
        "title": None,
        "description": None,
        "version": None,
        "problem": None,
    }
    try:
        outline = server.outline
    except PaddockError as error:
        return found | {"problem": str(error)}
    return found | {
        "title": outline.title,
        "description": outline.description,
        "version": outline.version,
    }


def _list_findings(name: str) -> list[FindingInfo]:
    """What is wrong with a server, as far as it shows without running anything."""
    try:
        found = validate(name, static=True).findings
    except PaddockError:
        return []  # `problem` says it
    return [
        FindingInfo(
            code=one.code,
            severity=one.severity,
            place=str(one.place),
            message=one.message,
            remedy=one.remedy,
        )
        for one in found[:MAX_FINDINGS]
    ]


def _make_endpoint_path(name: str) -> str:
    return f"/mcp/{make_url_name(name)}"


def _to_json_data(value: object) -> Any:
    """A result as JSON has it; pictures and sounds in base64."""
    return msgspec.json.decode(msgspec.json.encode(value))


SERVER_ROUTES = [list_all, get_one, call_tool, get_prompt]
