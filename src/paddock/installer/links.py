"""Links that install a server: the user clicks, the application asks, and the server is in.

How each application wants its link written is in its row of the table. A link holds the same entry
as the file would, so that it works on this machine; with a URL it works on any.
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
    """A client has no link that could install this server."""

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
    """The link that installs a server into a client.

    Args:
        client: The client, by name or as it is.
        server: A named server, or the path of a file or directory; what suits the client if not
            given.
        web: A link that a web page or a chat may show, which leads to the other one.
        name: What the server is to be called in the client.
        env: Environment variables for the server; None as a value has the client pass its own on.
        http: The URL of a server that runs already; it is not started by the client then.
        headers: Headers to send to that URL.
        options: Options of its tools.

    Raises:
        LinkError: when the client has no such link.
        UnsupportedClientError: when there is no such client.
    """
    found = find_client(client) if isinstance(client, str) else client
    chosen = resolve_installable(server, found)
    given = build_entry(chosen, env=env, http=http, headers=headers, options=options)
    entry = adapt_entry(found, given)
    return format_link(found, entry, choose_entry_key(found, chosen, name), web=web)


def format_link(client: Client, entry: ConfigEntry, key: str, *, web: bool = False) -> str:
    """The link for an entry.

    Raises:
        LinkError: when the client has none.
    """
    form = _select_format(client, web=web)
    if form.requires_package_runner and entry.url is None:
        entry = _use_package_runner(entry)
    config = _encode_config(form, client, entry, key)
    return form.url_template.format(
        name=quote(key, safe=""), config=config, type="stdio" if entry.url is None else "http"
    )


def _select_format(client: Client, *, web: bool) -> InstallLinkFormat:
    for form in client.links:
        if form.url_template.startswith(WEB_URL_PREFIX) == web:
            return form
    others = [other.id for other in supported_clients().values() if other.links]
    kind = "link for web pages" if web else "link"
    raise LinkError(
        f"{client.name} has no {kind}",
        hint="leave out --web" if client.links else f"these have links: {', '.join(others)}",
    )


def _use_package_runner(entry: ConfigEntry) -> ConfigEntry:
    """The same server, started by uvx: some applications start nothing else from a link."""
    # Where Paddock is to be found is no question then.
    env = {name: value for name, value in entry.env.items() if name != PYTHONPATH_VARIABLE}
    serving = entry.args[entry.args.index("serve") :]
    args = ("--from", f"paddock=={__version__}", "paddock", *serving)
    return replace(entry, command="uvx", args=args, env=env)


def _encode_config(form: InstallLinkFormat, client: Client, entry: ConfigEntry, key: str) -> str:
    if form.payload_kind == "parameters":
        if entry.env or entry.headers:
            raise LinkError(
                f"a link for {client.name} cannot carry environment variables or headers",
                hint=f"install into its file: paddock install {client.id}",
            )
        return urlencode(_list_parameters(entry, key), quote_via=quote)
    data: dict[str, object] = client.shape.render_entry(entry, key)
    if form.payload_kind == "named-entry":
        data = {"name": key, **data}
    if form.payload_kind == "servers":
        data = {"mcpServers": {key: data}}
    # All in ASCII: some applications decode base64 byte by byte.
    text = json.dumps(data, separators=(",", ":"))
    for encoding in form.encoding:
        text = _encode_text(text, encoding)
    return text


def _encode_text(text: str, encoding: str) -> str:
    if encoding == "percent":
        return quote(text, safe="")
    return base64.b64encode(text.encode()).decode()


def _list_parameters(entry: ConfigEntry, key: str) -> list[tuple[str, str]]:
    known = [("id", key), ("name", key), ("description", entry.description or key)]
    if entry.url is not None:
        return [("url", entry.url), ("type", "streamable_http"), *known]
    return [("cmd", entry.command or ""), *(("arg", arg) for arg in entry.args), *known]
