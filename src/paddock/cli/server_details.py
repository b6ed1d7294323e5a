"""Descriptions of named servers as JSON data and as text.

`summarize_server` only reads the definition, so listing is fast and runs no extension code.
`describe_server` loads the tools to report the names that clients see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.tool import SECRET_MASK
from paddock.cli import text_layout
from paddock.cli.output import select_attributes
from paddock.errors import PaddockError
from paddock.extensions.python_modules import DEFINITION_MODULE_PREFIX

if TYPE_CHECKING:
    from paddock.named_servers.installations import Installation
    from paddock.named_servers.named_server import NamedServer

Json = dict[str, Any]

OUTLINE_PROPERTIES = ("title", "description", "version")
DEFINITION_PROPERTIES = (
    *("title", "description", "version", "transport", "key", "instructions"),
    *("options", "initialization", "configuration"),
)
"""The properties of a readable definition, in output order."""
NAME_LISTS = {"tools": "tool_names", "prompts": "prompt_names", "resources": "resource_names"}
"""For each item list of a definition, the property with the names that clients see."""


def summarize_server(server: NamedServer) -> Json:
    """Return a server's main properties as a JSON object, for `paddock servers --json`.

    None of the server's code is run: the data comes from the definition or, if the definition is
    Python code, from the extension's manifest.
    """
    try:
        outline = server.outline
    except PaddockError as error:
        return _build_description(server, {}, str(error))
    items = {kind: _get_spec_names(getattr(outline, kind)) for kind in NAME_LISTS}
    return _build_description(server, select_attributes(outline, OUTLINE_PROPERTIES) | items, None)


def _get_spec_names(specs: list[Any] | None) -> list[str] | None:
    return None if specs is None else [get_spec_name(spec) for spec in specs]


def describe_server(server: NamedServer) -> Json:
    """Return all properties of a server as a JSON object.

    This loads the server's tools, which runs its code. A remote server is not installed, so only
    its properties in the catalogue are returned.
    """
    if server.is_remote:
        properties = select_attributes(server.outline, (*OUTLINE_PROPERTIES, *NAME_LISTS))
        return _build_description(server, properties, server.problem)
    if server.problem is not None:
        return _build_description(server, {}, server.problem)
    problem = None
    properties = {key: _to_plain_data(getattr(server, key)) for key in DEFINITION_PROPERTIES}
    try:
        properties |= select_attributes(server, NAME_LISTS.values())
    except PaddockError as error:
        problem = str(error)
    properties["options"] = _mask_secret_options(server, properties["options"])
    definition = server.definition
    properties |= _to_plain_data(select_attributes(definition, NAME_LISTS))
    properties |= _to_plain_data(definition.extra)
    return _build_description(server, properties, problem)


def _build_description(server: NamedServer, properties: Json, problem: str | None) -> Json:
    """Return a JSON object with the given properties and those that every server has.

    Args:
        server: The server to describe.
        properties: The properties that could be read from its definition.
        problem: The reason why the server cannot be used, or None.
    """
    return {
        "name": server.name,
        "location": str(server.location),
        **properties,
        "installations": list(map(describe_installation, server.installations)),
        "is_remote": server.is_remote,
        "problem": problem,
    }


def _mask_secret_options(server: NamedServer, options: Json) -> Json:
    """Return the tool option values, by tool and option, with secrets masked.

    The tools declare which of their options are secrets. If the tools cannot be loaded, every
    value is masked, because any of them could be a secret.
    """
    if not options:
        return options
    try:
        loaded_server = server.load()
    except PaddockError:
        return {tool: dict.fromkeys(values, SECRET_MASK) for tool, values in options.items()}
    secret_names = {
        tool.name: {name for name, option in tool.options.items() if option.is_secret}
        for tool in loaded_server.tools
    }
    # A definition can refer to a tool by a name that clients do not see. Its options are then
    # masked if any of the server's tools has a secret option with the same name.
    all_secret_names = set().union(*secret_names.values())
    masked_options: Json = {}
    for tool, values in options.items():
        masked_names = secret_names.get(tool, all_secret_names)
        masked_options[tool] = {
            name: SECRET_MASK if name in masked_names and value is not None else value
            for name, value in values.items()
        }
    return masked_options


def format_server(details: Json) -> str:
    """Format a server's details as paragraphs of text, for `paddock show`.

    Args:
        details: The JSON object that `describe_server` returns.
    """
    title = f" - {details['title']}" if details.get("title") else ""
    paragraphs = [f"{details['name']} {details.get('version', '')}".rstrip() + title]
    if details["problem"]:
        label = "Not installed" if details["is_remote"] else "Broken"
        paragraphs.append(text_layout.wrap_paragraph(f"{label}: {details['problem']}", 2))
    if details.get("description"):
        paragraphs.append(text_layout.wrap_paragraph(details["description"], 2))
    paragraphs.append(text_layout.align_columns(list(_build_rows(details)), 2))
    if details.get("instructions"):
        instructions = text_layout.wrap_paragraph(details["instructions"], 2)
        paragraphs.append(f"Instructions\n{instructions}")
    return "\n\n".join(paragraphs)


def describe_installation(installation: Installation) -> Json:
    """Return an installation as a JSON object, without the recorded file contents."""
    return select_attributes(installation, ("server", "client", "file", "key", "scope", "created"))


def get_spec_name(spec: object) -> str:
    """Return the name of a tool, prompt or resource that a server definition specifies.

    A specification can be a string, which is returned unchanged, a function, whose name has the
    form `module:function`, or a table or object with a name or URI.
    """
    if isinstance(spec, str):
        return spec
    if hasattr(spec, "__qualname__"):
        return f"{spec.__module__.removeprefix(DEFINITION_MODULE_PREFIX)}:{spec.__qualname__}"
    keys = ("name", "Name", "uri", "uri_template", "pickle")
    if isinstance(spec, dict):
        return str(next((spec[key] for key in keys if spec.get(key)), "(without a name)"))
    names = (getattr(spec, key, None) for key in keys)
    return str(next((value for value in names if value), repr(spec)))


def _to_plain_data(value: Any) -> Any:
    """Convert a value to JSON data, replacing objects and functions with their names."""
    return msgspec.to_builtins(value, enc_hook=get_spec_name)


def _build_rows(details: Json) -> list[tuple[str, str]]:
    """Return pairs of a label and a text about a server's items, options and installations.

    Items have the names that clients see, if known, or else those in the definition.
    """
    rows = [("location", details["location"])]
    for kind, client_names_key in NAME_LISTS.items():
        item_names = details.get(client_names_key) or [
            get_spec_name(spec) for spec in details.get(kind) or ()
        ]
        if item_names:
            rows.append((kind, ", ".join(item_names)))
    rows += [
        (f"option {tool}.{option}", text_layout.format_json(value))
        for tool, values in details.get("options", {}).items()
        for option, value in values.items()
    ]
    if details.get("initialization"):
        rows.append(("initialization", str(details["initialization"])))
    rows += [
        (
            "installed in",
            f"{installation['client']} as {installation['key']}: {installation['file']}",
        )
        for installation in details["installations"]
    ]
    return rows
