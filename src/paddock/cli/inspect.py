"""`paddock inspect`: what a server says about itself and offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paddock.cli import completion, text_layout
from paddock.cli.target_options import (
    TargetCommand,
    build_connect_options,
    resolve_target,
    server_options,
)
from paddock.client.connect import connect
from paddock.client.errors import PeerError
from paddock.protocol.errors import METHOD_NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.client.peer import Peer

Json = dict[str, object]

LIST_METHODS = {
    "tools": ("tools", "tools/list"),
    "prompts": ("prompts", "prompts/list"),
    "resources": ("resources", "resources/list"),
    "resourceTemplates": ("resources", "resources/templates/list"),
}
"""For each list: the capability it belongs to, and the method that gives it."""


@click.command(cls=TargetCommand)
@click.argument("target", shell_complete=completion.complete_servers)
@server_options
@click.pass_context
def inspect(
    ctx: click.Context,
    target: str,
    *,
    era: str | None,
    timeout: float,
    headers: tuple[str, ...],
    token_env: str | None,
    allow_plain_http: bool,
    as_json: bool,
) -> None:
    """Show what a server offers: its tools, prompts and resources.

    TARGET is a named server, a Python file (server.py), an object in one (server.py:server), a
    directory, a URL, or a command line in quotes. A command can also stand at the end, after --, in
    place of TARGET.
    """
    options = build_connect_options(
        era, timeout, headers, token_env, allow_plain_http=allow_plain_http
    )
    with connect(resolve_target(ctx, target), **options) as peer:
        found = describe_server(peer)
    if as_json:
        click.echo(text_layout.format_json(found))
    else:
        click.echo(text_layout.replace_control_characters("\n\n".join(format_sections(found))))


def describe_server(peer: Peer) -> Json:
    """All that a server tells, as it tells it."""
    found: Json = {
        "protocolVersion": peer.protocol_version,
        "serverInfo": peer.server_info,
        "capabilities": peer.server_capabilities,
    }
    if peer.instructions is not None:
        found["instructions"] = peer.instructions
    for key, (capability, method) in LIST_METHODS.items():
        has_it = peer.server_capabilities.get(capability) is not None
        found[key] = _list_items(peer, method, key) if has_it else []
    return found


def format_sections(found: Json) -> Iterator[str]:
    """The same for people to read."""
    yield _format_heading(found)
    described = {
        "tools": ("Tools", _format_tool),
        "prompts": ("Prompts", _format_prompt),
        "resources": ("Resources", _format_resource),
        "resourceTemplates": ("Resource templates", _format_resource),
    }
    for key, (title, describe) in described.items():
        items = found[key]
        if isinstance(items, list) and items:
            listed = "\n".join(describe(item) for item in items)
            yield f"{title} ({len(items)})\n{listed}"


def _list_items(peer: Peer, method: str, key: str) -> list[Json]:
    try:
        return peer.pages(method, key)
    except PeerError as error:
        # Servers that have resources often have no templates, and do not know the method.
        if error.rpc_code == METHOD_NOT_FOUND:
            return []
        raise


def _format_heading(found: Json) -> str:
    info = _to_json_object(found["serverInfo"])
    name = " ".join(str(info[key]) for key in ("name", "version") if info.get(key))
    title = f" - {info['title']}" if info.get("title") else ""
    capabilities = _to_json_object(found["capabilities"])
    rows = [
        ("protocol", str(found["protocolVersion"])),
        ("capabilities", ", ".join(map(_format_capability, capabilities.items())) or "none"),
    ]
    text = f"{name or '(a server without a name)'}{title}\n{text_layout.align_columns(rows, 2)}"
    if "instructions" in found:
        text += f"\n\n{text_layout.wrap_paragraph(str(found['instructions']), 2)}"
    return text


def _format_capability(item: tuple[str, object]) -> str:
    name, details = item
    flags = [
        key.removeprefix("io.modelcontextprotocol/")
        for key, value in _to_json_object(details).items()
        if value or isinstance(value, dict)
    ]
    return f"{name} ({', '.join(flags)})" if flags else name


def _format_tool(tool: Json) -> str:
    rows = text_layout.iterate_parameters(_to_json_object(tool.get("inputSchema")))
    return _format_item(str(tool.get("name")), tool, text_layout.align_columns(rows, 6))


def _format_prompt(prompt: Json) -> str:
    arguments = prompt.get("arguments")
    rows = [
        (
            str(argument.get("name")),
            "required" if argument.get("required") else "optional",
            text_layout.to_single_line(argument.get("description")),
        )
        for argument in map(_to_json_object, arguments if isinstance(arguments, list) else [])
    ]
    return _format_item(str(prompt.get("name")), prompt, text_layout.align_columns(rows, 6))


def _format_resource(resource: Json) -> str:
    uri = resource.get("uri", resource.get("uriTemplate"))
    kind = f"  [{resource['mimeType']}]" if resource.get("mimeType") else ""
    return _format_item(f"{uri}{kind}", resource, "")


def _format_item(head: str, item: Json, details: str) -> str:
    summary = item.get("description") or item.get("title")
    parts = [f"  {head}"]
    if summary:
        parts.append(text_layout.wrap_paragraph(str(summary), 4))
    if details:
        parts.append(details)
    return "\n".join(parts)


def _to_json_object(value: object) -> Json:
    return value if isinstance(value, dict) else {}
