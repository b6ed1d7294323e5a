"""The command `paddock inspect`, which shows a server's metadata and the items it lists."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING, Unpack

import click

from paddock.cli import completion, text_layout
from paddock.cli.target_options import (
    TargetCommand,
    connection_options,
    resolve_target,
    select_given_options,
)
from paddock.client.connect import connect
from paddock.client.errors import PeerError
from paddock.protocol.errors import METHOD_NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paddock.client.connect_options import ConnectOptions
    from paddock.client.peer import Peer

Json = dict[str, object]

LIST_METHODS = {
    "tools": ("tools", "tools/list"),
    "prompts": ("prompts", "prompts/list"),
    "resources": ("resources", "resources/list"),
    "resourceTemplates": ("resources", "resources/templates/list"),
}
"""The capability that announces each list, and the method that returns it."""


@click.command(cls=TargetCommand)
@click.argument("target", shell_complete=completion.complete_servers)
@connection_options
@click.pass_context
def inspect(
    ctx: click.Context,
    target: str,
    *,
    as_json: bool,
    **connect_options: Unpack[ConnectOptions],
) -> None:
    """Show the metadata, tools, prompts and resources of a server.

    TARGET is a named server, a Python file (server.py), an object in a file (server.py:server), a
    directory, a URL, or a command line in quotes. Instead of TARGET, a command line can follow --
    at the end.
    """
    with connect(resolve_target(ctx, target), **select_given_options(connect_options)) as peer:
        description = describe_server(peer)
    if as_json:
        click.echo(text_layout.format_json(description))
    else:
        click.echo(
            text_layout.replace_control_characters("\n\n".join(format_sections(description)))
        )


def describe_server(peer: Peer) -> Json:
    """Return the server's metadata and lists as one JSON object.

    All values are as received from the server. If a list's capability is not announced, the list
    is empty.
    """
    description: Json = {
        "protocolVersion": peer.protocol_version,
        "serverInfo": peer.server_info,
        "capabilities": peer.server_capabilities,
    }
    if peer.instructions is not None:
        description["instructions"] = peer.instructions
    for key, (capability, method) in LIST_METHODS.items():
        is_supported = peer.server_capabilities.get(capability) is not None
        description[key] = _list_items(peer, method, key) if is_supported else []
    return description


def format_sections(description: Json) -> Iterator[str]:
    """Yield the text sections about a server: a heading, its tools, prompts and resources.

    Empty lists have no section.

    Args:
        description: The JSON object that `describe_server` returns.
    """
    yield _format_heading(description)
    sections = {
        "tools": ("Tools", _format_tool),
        "prompts": ("Prompts", _format_prompt),
        "resources": ("Resources", _format_resource),
        "resourceTemplates": ("Resource templates", _format_resource),
    }
    for key, (title, format_item) in sections.items():
        items = description[key]
        if isinstance(items, list) and items:
            formatted_items = "\n".join(format_item(item) for item in items)
            yield f"{title} ({len(items)})\n{formatted_items}"


def _list_items(peer: Peer, method: str, key: str) -> list[Json]:
    """Return all pages of a list, or an empty list if the server does not implement the method."""
    try:
        return peer.pages(method, key)
    except PeerError as error:
        # Servers with the resources capability often do not implement resources/templates/list.
        if error.rpc_code == METHOD_NOT_FOUND:
            return []
        raise


def _format_heading(description: Json) -> str:
    """Format a server's name, protocol version, capabilities and instructions."""
    info = _to_json_object(description["serverInfo"])
    name = " ".join(str(info[key]) for key in ("name", "version") if info.get(key))
    title = f" - {info['title']}" if info.get("title") else ""
    capabilities = _to_json_object(description["capabilities"])
    rows = [
        ("protocol", str(description["protocolVersion"])),
        ("capabilities", ", ".join(starmap(_format_capability, capabilities.items())) or "none"),
    ]
    text = f"{name or '(a server without a name)'}{title}\n{text_layout.align_columns(rows, 2)}"
    if "instructions" in description:
        text += f"\n\n{text_layout.wrap_paragraph(str(description['instructions']), 2)}"
    return text


def _format_capability(name: str, details: object) -> str:
    """Format an MCP capability with its enabled features, such as `tools (listChanged)`."""
    features = [
        key.removeprefix("io.modelcontextprotocol/")
        for key, value in _to_json_object(details).items()
        # An empty object also enables a feature, unlike false.
        if value or isinstance(value, dict)
    ]
    return f"{name} ({', '.join(features)})" if features else name


def _format_tool(tool: Json) -> str:
    rows = _iterate_parameters(_to_json_object(tool.get("inputSchema")))
    return _format_item(str(tool.get("name")), tool, text_layout.align_columns(rows, 6))


def _format_prompt(prompt: Json) -> str:
    """Format a prompt with its arguments in columns."""
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


def _format_item(heading: str, item: Json, details: str) -> str:
    """Format the heading and description of an item, followed by its details."""
    summary = item.get("description") or item.get("title")
    parts = [f"  {heading}"]
    if summary:
        parts.append(text_layout.wrap_paragraph(str(summary), 4))
    if details:
        parts.append(details)
    return "\n".join(parts)


def _to_json_object(value: object) -> Json:
    """Return the value if it is an object, or an empty object otherwise.

    Servers can send values of any type, and these must not make the output fail.
    """
    return value if isinstance(value, dict) else {}


def _describe_schema_type(schema: object) -> str:
    """Return a short description of a JSON Schema's type, such as `array of string`.

    Keywords that do not describe the type are ignored.
    """
    if not isinstance(schema, dict):
        return "any"
    if "enum" in schema and isinstance(schema["enum"], list):
        return " | ".join(text_layout.format_literal(value) for value in schema["enum"])
    if "const" in schema:
        return text_layout.format_literal(schema["const"])
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return " | ".join(
                dict.fromkeys(_describe_schema_type(option) for option in schema[key])
            )
    if isinstance(schema.get("$ref"), str):
        return str(schema["$ref"]).rpartition("/")[2]
    declared_type = schema.get("type", "any")
    if isinstance(declared_type, list):
        return " | ".join(map(str, declared_type))
    if declared_type == "array" and "items" in schema:
        return f"array of {_describe_schema_type(schema['items'])}"
    return str(declared_type)


def _iterate_parameters(schema: Mapping[str, object]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the table columns for each of a tool's parameters.

    The columns are the name, the type, the requirement (`required`, `optional` or the default
    value) and the description.

    Args:
        schema: The tool's input schema, a JSON Schema from an untrusted server.
    """
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return
    required_names = required if isinstance(required, list) else []
    for name, parameter_schema in properties.items():
        fields = parameter_schema if isinstance(parameter_schema, dict) else {}
        requirement = "required" if name in required_names else "optional"
        if "default" in fields:
            requirement = f"default {text_layout.format_literal(fields['default'])}"
        yield (
            str(name),
            _describe_schema_type(parameter_schema),
            requirement,
            text_layout.to_single_line(fields.get("description")),
        )
