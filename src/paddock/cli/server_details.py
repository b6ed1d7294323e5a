"""A named server for people and for programs: as text, and as what JSON can hold.

A list says only what definitions say, and loads nothing; whoever looks at one server sees what
clients would see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.tool_option import SECRET_MASK
from paddock.cli import text_layout
from paddock.errors import PaddockError
from paddock.extensions.python_modules import DEFINITION_MODULE_PREFIX

if TYPE_CHECKING:
    from paddock.named_servers.installations import Installation
    from paddock.named_servers.named_server import NamedServer

Json = dict[str, Any]

DEFINITION_PROPERTIES = (
    *("title", "description", "version", "transport", "key", "instructions"),
    *("options", "initialization", "configuration"),
)
"""What a definition says that can be read, in the order in which it is shown."""
NAME_LISTS = {"tools": "tool_names", "prompts": "prompt_names", "resources": "resource_names"}
"""The lists of a definition, and what the names in them are called."""


def summarize_server(server: NamedServer) -> Json:
    """A server in a list: what its definition says, or its manifest where that is Python."""
    found: Json = {"name": server.name, "location": str(server.location)}
    problem = None
    try:
        said = server.outline
    except PaddockError as error:
        problem = str(error)
    else:
        found |= {"title": said.title, "description": said.description, "version": said.version}
        found |= {kind: _get_spec_names(getattr(said, kind)) for kind in NAME_LISTS}
    found["installations"] = [describe_installation(one) for one in server.installations]
    found["is_remote"] = server.is_remote
    found["problem"] = problem
    return found


def _get_spec_names(specs: list[Any] | None) -> list[str] | None:
    return None if specs is None else [get_spec_name(spec) for spec in specs]


def describe_server(server: NamedServer) -> Json:
    """All that there is to say about a server; its tools are loaded for that."""
    found: Json = {"name": server.name, "location": str(server.location)}
    problem = server.problem
    if server.is_remote:
        said = server.outline
        found |= {"title": said.title, "description": said.description, "version": said.version}
        found |= {kind: getattr(said, kind) for kind in NAME_LISTS}
    elif problem is None:
        found |= {key: _to_plain_data(getattr(server, key)) for key in DEFINITION_PROPERTIES}
        try:
            found |= {names: getattr(server, names) for names in NAME_LISTS.values()}
        except PaddockError as error:
            problem = str(error)
        found["options"] = _mask_secret_options(server, found["options"])
        definition = server.definition
        found |= {
            kind: [_to_plain_data(spec) for spec in getattr(definition, kind)]
            for kind in NAME_LISTS
        }
        found |= {key: _to_plain_data(value) for key, value in definition.extra.items()}
    found["installations"] = [describe_installation(one) for one in server.installations]
    found["is_remote"] = server.is_remote
    found["problem"] = problem
    return found


def _mask_secret_options(server: NamedServer, options: Json) -> Json:
    """Values for options of tools, with a mask for those that are secret or not known."""
    if not options:
        return options
    try:
        loaded = server.load()
    except PaddockError:
        return {tool: dict.fromkeys(given, SECRET_MASK) for tool, given in options.items()}
    secrets = {
        tool.name: {name for name, option in tool.options.items() if option.is_secret}
        for tool in loaded.tools
    }
    # A definition may call a tool by another name than clients do.
    hidden = set().union(*secrets.values())
    return {
        tool: {
            name: SECRET_MASK if name in secrets.get(tool, hidden) and value is not None else value
            for name, value in given.items()
        }
        for tool, given in options.items()
    }


def format_server(found: Json) -> str:
    """What `everything` gives, for people."""
    title = f" - {found['title']}" if found.get("title") else ""
    parts = [f"{found['name']} {found.get('version', '')}".rstrip() + title]
    if found["problem"]:
        word = "Not installed" if found["is_remote"] else "Broken"
        parts.append(text_layout.wrap_paragraph(f"{word}: {found['problem']}", 2))
    if found.get("description"):
        parts.append(text_layout.wrap_paragraph(found["description"], 2))
    parts.append(text_layout.align_columns(list(_build_rows(found)), 2))
    if found.get("instructions"):
        parts.append(f"Instructions\n{text_layout.wrap_paragraph(found['instructions'], 2)}")
    return "\n\n".join(parts)


def describe_installation(one: Installation) -> Json:
    """Where a server is installed, without what is needed to take it out."""
    return {
        "server": one.server,
        "client": one.client,
        "file": one.file,
        "key": one.key,
        "scope": one.scope,
        "created": one.created,
    }


def get_spec_name(spec: object) -> str:
    """What an item of a definition is called in it: a name, a reference, or the name in a table.

    Of a function it is the reference, of an object what that is called.
    """
    if isinstance(spec, str):
        return spec
    if hasattr(spec, "__qualname__"):
        return f"{spec.__module__.removeprefix(DEFINITION_MODULE_PREFIX)}:{spec.__qualname__}"
    keys = ("name", "Name", "uri", "uri_template", "pickle")
    if isinstance(spec, dict):
        return str(next((spec[key] for key in keys if spec.get(key)), "(without a name)"))
    named = (getattr(spec, key, None) for key in keys)
    return str(next((value for value in named if value), repr(spec)))


def _to_plain_data(value: Any) -> Any:
    """A value as data; objects and functions in it by their names."""
    return msgspec.to_builtins(value, enc_hook=get_spec_name)


def _build_rows(found: Json) -> list[tuple[str, str]]:
    rows = [("location", found["location"])]
    for kind, names in NAME_LISTS.items():
        listed = found.get(names) or [get_spec_name(spec) for spec in found.get(kind) or ()]
        if listed:
            rows.append((kind, ", ".join(listed)))
    rows += [
        (f"option {tool}.{option}", text_layout.format_json(value))
        for tool, given in found.get("options", {}).items()
        for option, value in given.items()
    ]
    if found.get("initialization"):
        rows.append(("initialization", str(found["initialization"])))
    rows += [
        ("installed in", f"{one['client']} as {one['key']}: {one['file']}")
        for one in found["installations"]
    ]
    return rows
