"""A named server for people and for programs: as text, and as what JSON can hold.

A list says only what definitions say, and loads nothing; whoever looks at one server sees what
clients would see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.option import MASK
from paddock.cli import render
from paddock.errors import PaddockError
from paddock.extensions.python_modules import PREFIX

if TYPE_CHECKING:
    from paddock.servers.installations import Installation
    from paddock.servers.named_server import NamedServer

Json = dict[str, Any]

SAID = (
    *("title", "description", "version", "transport", "key", "instructions"),
    *("options", "initialization", "configuration"),
)
"""What a definition says that can be read, in the order in which it is shown."""
LISTS = {"tools": "tool_names", "prompts": "prompt_names", "resources": "resource_names"}
"""The lists of a definition, and what the names in them are called."""


def summary(server: NamedServer) -> Json:
    """A server in a list: what its definition says, or its manifest where that is Python."""
    found: Json = {"name": server.name, "location": str(server.location)}
    problem = None
    try:
        said = server.outline
    except PaddockError as error:
        problem = str(error)
    else:
        found |= {"title": said.title, "description": said.description, "version": said.version}
        found |= {kind: _spec_names(getattr(said, kind)) for kind in LISTS}
    found["installations"] = [installation(one) for one in server.installations]
    found["is_remote"] = server.is_remote
    found["problem"] = problem
    return found


def _spec_names(specs: list[Any] | None) -> list[str] | None:
    return None if specs is None else [spec_name(spec) for spec in specs]


def everything(server: NamedServer) -> Json:
    """All that there is to say about a server; its tools are loaded for that."""
    found: Json = {"name": server.name, "location": str(server.location)}
    problem = server.problem
    if server.is_remote:
        said = server.outline
        found |= {"title": said.title, "description": said.description, "version": said.version}
        found |= {kind: getattr(said, kind) for kind in LISTS}
    elif problem is None:
        found |= {key: _plain(getattr(server, key)) for key in SAID}
        try:
            found |= {names: getattr(server, names) for names in LISTS.values()}
        except PaddockError as error:
            problem = str(error)
        found["options"] = _without_secrets(server, found["options"])
        definition = server.definition
        found |= {kind: [_plain(spec) for spec in getattr(definition, kind)] for kind in LISTS}
        found |= {key: _plain(value) for key, value in definition.extra.items()}
    found["installations"] = [installation(one) for one in server.installations]
    found["is_remote"] = server.is_remote
    found["problem"] = problem
    return found


def _without_secrets(server: NamedServer, options: Json) -> Json:
    """Values for options of tools, with a mask for those that are secret or not known."""
    if not options:
        return options
    try:
        loaded = server.load()
    except PaddockError:
        return {tool: dict.fromkeys(given, MASK) for tool, given in options.items()}
    secrets = {
        tool.name: {name for name, option in tool.options.items() if option.is_secret}
        for tool in loaded.tools
    }
    # A definition may call a tool by another name than clients do.
    hidden = set().union(*secrets.values())
    return {
        tool: {
            name: MASK if name in secrets.get(tool, hidden) and value is not None else value
            for name, value in given.items()
        }
        for tool, given in options.items()
    }


def text(found: Json) -> str:
    """What `everything` gives, for people."""
    title = f" - {found['title']}" if found.get("title") else ""
    parts = [f"{found['name']} {found.get('version', '')}".rstrip() + title]
    if found["problem"]:
        word = "Not installed" if found["is_remote"] else "Broken"
        parts.append(render.paragraph(f"{word}: {found['problem']}", 2))
    if found.get("description"):
        parts.append(render.paragraph(found["description"], 2))
    parts.append(render.columns(list(_rows(found)), 2))
    if found.get("instructions"):
        parts.append(f"Instructions\n{render.paragraph(found['instructions'], 2)}")
    return "\n\n".join(parts)


def installation(one: Installation) -> Json:
    """Where a server is installed, without what is needed to take it out."""
    return {
        "server": one.server,
        "client": one.client,
        "file": one.file,
        "key": one.key,
        "scope": one.scope,
        "created": one.created,
    }


def spec_name(spec: object) -> str:
    """What an item of a definition is called in it: a name, a reference, or the name in a table.

    Of a function it is the reference, of an object what that is called.
    """
    if isinstance(spec, str):
        return spec
    if hasattr(spec, "__qualname__"):
        return f"{spec.__module__.removeprefix(PREFIX)}:{spec.__qualname__}"
    keys = ("name", "Name", "uri", "uri_template", "pickle")
    if isinstance(spec, dict):
        return str(next((spec[key] for key in keys if spec.get(key)), "(without a name)"))
    named = (getattr(spec, key, None) for key in keys)
    return str(next((value for value in named if value), repr(spec)))


def _plain(value: Any) -> Any:
    """A value as data; objects and functions in it by their names."""
    return msgspec.to_builtins(value, enc_hook=spec_name)


def _rows(found: Json) -> list[tuple[str, str]]:
    rows = [("location", found["location"])]
    for kind, names in LISTS.items():
        listed = found.get(names) or [spec_name(spec) for spec in found.get(kind) or ()]
        if listed:
            rows.append((kind, ", ".join(listed)))
    rows += [
        (f"option {tool}.{option}", render.pretty(value))
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
