"""Install links, which open a client application and ask the user to add a server.

`clients.toml` defines each client's link format. A link contains the same entry as the config file
would, so it works only on this machine, unless the entry is a URL.
"""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from paddock.errors import PaddockError
from paddock.installer.apps import find_client, supported_clients
from paddock.installer.entry_builder import (
    PYTHONPATH_VARIABLE,
    adapt_entry,
    build_entry,
    choose_entry_key,
    resolve_installable,
)
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.installer.client_app import Client, InstallLinkFormat
    from paddock.installer.entry_builder import (
        EnvironmentVariables,
        ServerReference,
        ToolOptionValues,
    )
    from paddock.installer.entry_format import ConfigEntry

WEB_URL_PREFIX = "https://"


class LinkError(PaddockError):
    """A client does not have a link format for this server."""

    code = "no-link"


def link(
    client: str | Client,
    server: ServerReference | None = None,
    *,
    web: bool = False,
    name: str | None = None,
    env: EnvironmentVariables | None = None,
    http: str | None = None,
    headers: Mapping[str, str] | None = None,
    options: ToolOptionValues | None = None,
) -> str:
    """Return the link that installs a server into a client.

    Args:
        client: The client, by name or as an object.
        server: A named server, or the path of a file or directory. By default, the built-in server
            for this kind of client.
        web: Return an https link for web pages and chats, which redirects to the other link.
        name: The key of the entry, instead of the server's own.
        env: Environment variables for the server; None makes the client pass on its own value.
        http: The URL of a running server; without it, the client starts the server.
        headers: Headers for requests to that URL.
        options: Option values of tools, by the name of the tool.

    Raises:
        LinkError: The client has no such link.
        UnsupportedClientError: There is no such client.
    """
    client_app = find_client(client) if isinstance(client, str) else client
    target = resolve_installable(server, client_app)
    general_entry = build_entry(target, env=env, http=http, headers=headers, options=options)
    entry = adapt_entry(client_app, general_entry)
    return format_link(client_app, entry, choose_entry_key(client_app, target, name), web=web)


def format_link(client: Client, entry: ConfigEntry, key: str, *, web: bool = False) -> str:
    """Return the URL that installs an entry into a client when the user opens it.

    Args:
        client: The client.
        entry: The entry, adapted to the client.
        key: The key of the entry.
        web: Return an `https` link, which also works in web pages and chats.

    Raises:
        LinkError: The client does not support such links, or the link cannot contain the entry.
    """
    link_format = _select_format(client, web=web)
    if link_format.requires_package_runner and entry.url is None:
        entry = _use_package_runner(entry)
    config = _encode_config(link_format, client, entry, key)
    return link_format.url_template.format(
        name=quote(key, safe=""), config=config, type="stdio" if entry.url is None else "http"
    )


def _select_format(client: Client, *, web: bool) -> InstallLinkFormat:
    for link_format in client.links:
        if link_format.url_template.startswith(WEB_URL_PREFIX) == web:
            return link_format
    others = [other.id for other in supported_clients().values() if other.links]
    kind = "install links for web pages" if web else "install links"
    raise LinkError(
        f"{client.name} has no {kind}",
        hint="leave out --web" if client.links else f"clients with links: {', '.join(others)}",
    )


def _use_package_runner(entry: ConfigEntry) -> ConfigEntry:
    """Return an entry that starts the same server with uvx."""
    # uvx installs Paddock itself, so the import path of this installation would be wrong.
    env = {name: value for name, value in entry.env.items() if name != PYTHONPATH_VARIABLE}
    serve_arguments = entry.args[entry.args.index("serve") :]
    args = ("--from", f"paddock=={__version__}", "paddock", *serve_arguments)
    return replace(entry, command="uvx", args=args, env=env)


def _encode_config(
    link_format: InstallLinkFormat, client: Client, entry: ConfigEntry, key: str
) -> str:
    """Return the part of an install link that contains the entry, in the client's encoding.

    Args:
        link_format: The format of the client's links.
        client: The client.
        entry: The entry.
        key: The key of the entry.

    Raises:
        LinkError: The entry has variables or headers, which links of this client cannot contain.
    """
    if link_format.payload_kind == "parameters":
        if entry.env or entry.headers:
            raise LinkError(
                f"a link for {client.name} cannot carry environment variables or headers",
                hint=f"install into its config file: paddock install {client.id}",
            )
        return urlencode(_list_parameters(entry, key), quote_via=quote)
    data: dict[str, object] = client.shape.render_entry(entry, key)
    if link_format.payload_kind == "named-entry":
        data = {"name": key, **data}
    if link_format.payload_kind == "servers":
        data = {"mcpServers": {key: data}}
    # The JSON text is ASCII, because some applications decode base64 byte by byte.
    encoded_data = json.dumps(data, separators=(",", ":"))
    for encoding in link_format.encoding:
        if encoding == "percent":
            encoded_data = quote(encoded_data, safe="")
        else:
            encoded_data = base64.b64encode(encoded_data.encode()).decode()
    return encoded_data


def _list_parameters(entry: ConfigEntry, key: str) -> list[tuple[str, str]]:
    identity = [("id", key), ("name", key), ("description", entry.description or key)]
    if entry.url is not None:
        return [("url", entry.url), ("type", "streamable_http"), *identity]
    return [("cmd", entry.command or ""), *(("arg", arg) for arg in entry.args), *identity]
