"""Routes for client apps, the applications that servers are installed into."""

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
from paddock.zoo.rest.error_responses import declare_route

if TYPE_CHECKING:
    from paddock.installer.client_app import Client
    from paddock.installer.plan import Plan


class ClientInfo(Struct, rename="camel", kw_only=True):
    """A client app that servers can be installed into."""

    name: str
    """The name in commands and URLs."""
    title: str
    detected: bool
    """Whether the app seems to be installed on this machine."""
    installed: list[str]
    """The servers that Paddock has installed into it."""
    path: str | None
    """The configuration file; None if the app has none."""
    takes_urls: bool
    starts_programs: bool


class InstallBody(Struct, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A server, and how a client app connects to it."""

    server: str
    url: str | None = None
    """URL of a running server. By default the client app starts the server."""
    replace: bool = False
    """Replace an entry that Paddock has not written."""


class PlanInfo(Struct, rename="camel", kw_only=True):
    """Planned or completed changes to a client app's configuration."""

    client: str
    server: str
    diff: str
    """Diff of the entry, without secrets; empty if nothing changes."""
    path: str | None
    warnings: list[str] = field(default_factory=list)
    paste: str | None = None
    """Text to paste into the client app, if it has no file."""
    link: str | None = None
    """A link that installs the server, if the client app supports one."""
    is_applied: bool = False


@declare_route(get, "/clients", "List client apps")
def list_clients() -> list[ClientInfo]:
    """Return the client apps, those detected on this machine first."""
    detected_ids = {client.id for client in detected_clients()}
    installations = read_installations()
    clients = sorted(
        supported_clients().values(),
        key=lambda client: (client.id not in detected_ids, client.name.casefold()),
    )
    return [
        _make_client_info(client, installations, is_detected=client.id in detected_ids)
        for client in clients
    ]


@declare_route(
    post,
    "/clients/{client:str}/plan",
    "Preview an installation",
    errors=(400, 404, 409),
    status_code=200,
)
def plan_install(client: FromPath[str], data: JSONBody[InstallBody]) -> PlanInfo:
    """Show the changes without writing them."""
    return _make_plan_info(_run_install(client, data, is_dry=True))


@declare_route(
    post,
    "/clients/{client:str}/install",
    "Install a server",
    errors=(400, 404, 409),
    status_code=200,
)
def install_server(client: FromPath[str], data: JSONBody[InstallBody]) -> PlanInfo:
    """Install a server into a client app.

    The server is first started or called in the way the client app will do it. Nothing is written
    if it does not answer.
    """
    return _make_plan_info(_run_install(client, data, is_dry=False))


@declare_route(
    post,
    "/clients/{client:str}/uninstall",
    "Uninstall a server",
    errors=(400, 404),
    status_code=200,
)
def uninstall_server(client: FromPath[str], data: JSONBody[InstallBody]) -> list[PlanInfo]:
    """Remove a server, and restore the entry that it replaced."""
    find_client(client)
    outcomes = uninstall(client, data.server)
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
    return [_make_plan_info(outcome.plan) for outcome in outcomes if outcome.plan is not None]


@get("/connections", summary="List connected clients")
async def list_connections(
    request: Request[Any, Any, Any], activity_log: NamedDependency[ClientActivityLog]
) -> list[Connection]:
    """Return the clients that called an MCP endpoint of this process, latest first."""
    return activity_log.list_connections(get_request_user(request).owner)


def _run_install(client: str, body: InstallBody, *, is_dry: bool) -> Plan:
    """Install a server into a client app, or only plan the installation in a dry run."""
    find_client(client)  # raises if the name is unknown, before the server is checked
    return install(client, body.server, http=body.url, replace=body.replace, dry_run=is_dry)


def _make_client_info(
    client: Client, installations: list[Installation], *, is_detected: bool
) -> ClientInfo:
    """Return the JSON object for a client app, with the servers that are installed into it."""
    return ClientInfo(
        name=client.id,
        title=client.name,
        detected=is_detected,
        installed=sorted(
            {
                installation.server
                for installation in installations
                if installation.client == client.id
            }
        ),
        path=_find_config_path(client),
        takes_urls=bool(client.supports_http),
        starts_programs=client.starts_programs,
    )


def _find_config_path(client: Client) -> str | None:
    """Return the path of a client app's configuration file on this machine, or None."""
    try:
        files = locate_config_files(client)
    except PaddockError:  # no file on this operating system, or only files in projects
        return None
    return str(files[0]) if files else None


def _make_plan_info(plan: Plan) -> PlanInfo:
    """Return the JSON object for the planned changes to a client app's configuration."""
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
