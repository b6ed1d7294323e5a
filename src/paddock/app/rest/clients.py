"""Routes of the applications that servers are installed into."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import Struct, field

from paddock.app.authenticators import get_request_user
from paddock.app.mcp_endpoints import ClientActivityLog, Connection
from paddock.errors import PaddockError
from paddock.installer.apps import find_client, supported_clients
from paddock.installer.detection import detected_clients
from paddock.installer.install import install
from paddock.installer.locations import locate_config_files
from paddock.installer.uninstall import uninstall
from paddock.named_servers.installations import Installation, read_installations
from paddock.zoo.rest.error_responses import describe_errors

if TYPE_CHECKING:
    from paddock.installer.client_app import Client
    from paddock.installer.plan import Plan


class ClientInfo(Struct, rename="camel", kw_only=True):
    """An application that servers can be installed into."""

    name: str
    """What it is called in commands and URLs."""
    title: str
    detected: bool
    """Whether it seems to be on this machine."""
    installed: list[str]
    """The servers that Paddock has installed into it."""
    path: str | None
    """The file that would be changed; None where it has none."""
    takes_urls: bool
    starts_programs: bool


class InstallBody(Struct, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A server, and how a client is to reach it."""

    server: str
    url: str | None = None
    """Where it runs; left out, the client starts it."""
    replace: bool = False
    """Put the entry in the place of one that is not Paddock's."""


class PlanInfo(Struct, rename="camel", kw_only=True):
    """What becomes of a client's files, or has become."""

    client: str
    server: str
    diff: str
    """Of the entry alone, without secrets; empty when nothing changes."""
    path: str | None
    warnings: list[str] = field(default_factory=list)
    paste: str | None = None
    """What to paste into the client, where it has no file."""
    link: str | None = None
    """A link that does the same as pasting."""
    is_applied: bool = False


@get("/clients", summary="List the clients", sync_to_thread=True)
def list_clients() -> list[ClientInfo]:
    """Those that are on this machine first."""
    here = {client.id for client in detected_clients()}
    recorded = read_installations()
    ordered = sorted(
        supported_clients().values(), key=lambda one: (one.id not in here, one.name.casefold())
    )
    return [_make_client_info(one, recorded, is_here=one.id in here) for one in ordered]


@post(
    "/clients/{client:str}/plan",
    summary="See what installing would change",
    responses=describe_errors(400, 404, 409),
    status_code=200,
    sync_to_thread=True,
)
def plan_install(client: FromPath[str], data: JSONBody[InstallBody]) -> PlanInfo:
    """Nothing is written."""
    return _make_plan_info(_run_install(client, data, is_dry=True))


@post(
    "/clients/{client:str}/install",
    summary="Install a server",
    responses=describe_errors(400, 404, 409),
    status_code=200,
    sync_to_thread=True,
)
def install_server(client: FromPath[str], data: JSONBody[InstallBody]) -> PlanInfo:
    """It is started first as the client will start it, and written only if it answers."""
    return _make_plan_info(_run_install(client, data, is_dry=False))


@post(
    "/clients/{client:str}/uninstall",
    summary="Take a server out",
    responses=describe_errors(400, 404),
    status_code=200,
    sync_to_thread=True,
)
def uninstall_server(client: FromPath[str], data: JSONBody[InstallBody]) -> list[PlanInfo]:
    """What stood there before is restored."""
    find_client(client)
    outcomes = uninstall(client, data.server)
    for one in outcomes:
        if one.error is not None:
            raise one.error
    return [_make_plan_info(one.plan) for one in outcomes if one.plan is not None]


@get("/connections", summary="List who is connected")
async def list_connections(
    request: Request[Any, Any, Any], connections: NamedDependency[ClientActivityLog]
) -> list[Connection]:
    """Who has called an MCP endpoint of this process lately, the latest first."""
    return connections.list_connections(get_request_user(request).owner)


def _run_install(client: str, body: InstallBody, *, is_dry: bool) -> Plan:
    find_client(client)
    return install(client, body.server, http=body.url, replace=body.replace, dry_run=is_dry)


def _make_client_info(client: Client, recorded: list[Installation], *, is_here: bool) -> ClientInfo:
    return ClientInfo(
        name=client.id,
        title=client.name,
        detected=is_here,
        installed=sorted({one.server for one in recorded if one.client == client.id}),
        path=_find_config_path(client),
        takes_urls=bool(client.supports_http),
        starts_programs=client.starts_programs,
    )


def _find_config_path(client: Client) -> str | None:
    try:
        files = locate_config_files(client)
    except PaddockError:  # it has no file on this system, or none but in projects
        return None
    return str(files[0]) if files else None


def _make_plan_info(plan: Plan) -> PlanInfo:
    return PlanInfo(
        client=plan.client.id,
        server=plan.server,
        diff=plan.diff(),
        path=str(plan.changes[0].file) if plan.changes else None,
        warnings=list(plan.notes),
        paste=plan.paste,
        link=plan.link,
        is_applied=plan.is_applied,
    )


CLIENT_ROUTES = [list_clients, plan_install, install_server, uninstall_server, list_connections]
