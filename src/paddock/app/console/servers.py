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

from paddock.app.hosting import Hosting, named, url_name
from paddock.app.visiting import visitor_of
from paddock.errors import PaddockError
from paddock.peer.results import PromptInfo, ResourceInfo, TemplateInfo, ToolInfo
from paddock.servers.api import list_servers
from paddock.servers.lookup import BUILT_IN
from paddock.suggestions import did_you_mean
from paddock.validation.validate import validate
from paddock.zoo.rest.answers import described

if TYPE_CHECKING:
    from paddock.peer.peer import Peer
    from paddock.servers.named_server import NamedServer

CALL_SECONDS = 600.0
"""How long a tool may take that is tried."""
MOST_FINDINGS = 100


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


Name = Annotated[
    str, PathParameter(description="The server; `~` stands for the slash of a qualified name.")
]


@get("/servers", summary="List the named servers", sync_to_thread=True)
def list_all() -> list[ServerSummary]:
    """The user's own first. Nothing is loaded; what cannot be read says why."""
    return [_summary(server) for server in list_servers()]


@get("/servers/{name:str}", summary="Get a server", responses=described(404), sync_to_thread=True)
def get_one(
    request: Request[Any, Any, Any], hosting: NamedDependency[Hosting], name: Name
) -> ServerDetails:
    """Its tools, prompts and resources as clients see them, and what is wrong with it."""
    server = named(name)
    said = _said(server)
    found = ServerDetails(
        **said,
        url=_url(server.name),
        instructions=None,
        findings=_findings(server.name),
    )
    try:
        peer = hosting.peer(visitor_of(request).owner, name)
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
    responses=described(400, 404),
    status_code=200,
    sync_to_thread=True,
)
def call_tool(
    request: Request[Any, Any, Any],
    hosting: NamedDependency[Hosting],
    name: Name,
    tool: FromPath[str],
    data: JSONBody[CallBody],
) -> CallResult:
    """A tool that fails answers with `isError`, and says why in its content."""
    peer = _peer(request, hosting, name)
    _check_known("tool", tool, [one.name for one in peer.tools()])
    started = perf_counter()
    result = peer.within(CALL_SECONDS).call(tool, data.arguments)
    return CallResult(
        content=_plain(result.content),
        structured_content=_plain(result.structured),
        is_error=result.is_error,
        milliseconds=round((perf_counter() - started) * 1000, 1),
    )


@post(
    "/servers/{name:str}/prompts/{prompt:str}",
    summary="Get a prompt",
    responses=described(400, 404),
    status_code=200,
    sync_to_thread=True,
)
def get_prompt(
    request: Request[Any, Any, Any],
    hosting: NamedDependency[Hosting],
    name: Name,
    prompt: FromPath[str],
    data: JSONBody[PromptBody],
) -> PromptAnswer:
    """The messages that a client would give to its model."""
    peer = _peer(request, hosting, name)
    _check_known("prompt", prompt, [one.name for one in peer.prompts()])
    result = peer.prompt(prompt, data.arguments)
    return PromptAnswer(description=result.description, messages=_plain(result.messages))


def _peer(request: Request[Any, Any, Any], hosting: Hosting, name: str) -> Peer:
    named(name)  # says that there is none before anything is loaded
    return hosting.peer(visitor_of(request).owner, name)


def _check_known(kind: str, name: str, known: list[str]) -> None:
    if name not in known:
        near = did_you_mean(name, known) or f"there are: {', '.join(known) or 'none'}"
        raise NotFoundException(f"There is no {kind} {name!r} ({near})")


def _summary(server: NamedServer) -> ServerSummary:
    found = ServerSummary(
        **_said(server), url=_url(server.name), findings=len(_findings(server.name))
    )
    try:
        outline = server.outline
    except PaddockError:
        return found  # `problem` says it
    found.tools = _count(outline.tools)
    found.prompts = _count(outline.prompts)
    found.resources = _count(outline.resources)
    return found


def _count(listed: list[Any] | None) -> int | None:
    return None if listed is None else len(listed)


def _said(server: NamedServer) -> dict[str, Any]:
    """What can be said of a server whatever is wrong with it."""
    location = server.location
    is_extension = isinstance(location, str) and location != BUILT_IN
    found: dict[str, Any] = {
        "name": server.name,
        "source": BUILT_IN if location == BUILT_IN else "extension" if is_extension else "user",
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


def _findings(name: str) -> list[FindingInfo]:
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
        for one in found[:MOST_FINDINGS]
    ]


def _url(name: str) -> str:
    return f"/mcp/{url_name(name)}"


def _plain(value: object) -> Any:
    """A result as JSON has it; pictures and sounds in base64."""
    return msgspec.json.decode(msgspec.json.encode(value))


ROUTES = [list_all, get_one, call_tool, get_prompt]
