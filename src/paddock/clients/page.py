"""The page of the documentation on clients, written from the table.

Write it anew with `python -m paddock.clients.page > docs/reference/clients.md`; a test compares.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

from paddock.clients.client import SYSTEMS, Client
from paddock.clients.paths import Machine, candidates
from paddock.clients.shapes import Entry
from paddock.clients.table import supported_clients

if TYPE_CHECKING:
    from collections.abc import Iterator

SYSTEM_NAMES = {"linux": "Linux", "macos": "macOS", "windows": "Windows"}
SHOWN = {
    "linux": Machine("linux", {}, "~"),
    "macos": Machine("macos", {}, "~"),
    "windows": Machine(
        "windows",
        {"APPDATA": "%APPDATA%", "LOCALAPPDATA": "%LOCALAPPDATA%"},
        "%USERPROFILE%",
    ),
}
OF_WINDOWS = {"APPDATA", "LOCALAPPDATA"}
PROGRAM = Entry(
    "/path/python",
    ("-m", "paddock"),
    {"NAME": "value"},
    description="What it is for",
    directory="/home/ada",
)
ADDRESS = Entry(
    url="http://127.0.0.1:8000/mcp", headers={"Name": "value"}, description="What it is for"
)
DIALECTS = {
    "strict": "JSON, strictly",
    "comments": "JSON with comments",
    "jsonc": "JSON with comments and trailing commas",
}
FORMATS = {"toml": "TOML", "yaml": "YAML"}
HEAD = """# Clients

<!-- python -m paddock.clients.page > docs/reference/clients.md -->

The applications that `paddock install` knows. Any spelling of a name is understood: `claude-code`,
`Claude Code` and `claudecode` are the same. `paddock clients` shows those that are on your machine
first. For an application that is not here, name its file: `paddock install --file FILE`.

Paths are those of a machine with its usual settings. Where several are given, the one that exists
is used, and the first when none does. Where it is not known that a client refuses comments and
trailing commas, a file that has some is taken for one that it reads.

How long a client waits and which environment variables it
passes on is measured where the client can be run without an account, and assumed with caution
elsewhere: 30 s, and few.
"""


def page() -> str:
    """The whole page."""
    clients = list(supported_clients().values())
    return "\n".join([HEAD, *_overview(clients), *(_section(client) for client in clients)])


def _overview(clients: list[Client]) -> Iterator[str]:
    yield "| client | name | project file | URL | link |"
    yield "|---|---|---|---|---|"
    for client in clients:
        anchor = re.sub(r"[^a-z0-9 -]", "", client.name.lower()).replace(" ", "-")
        marks = (bool(client.project), client.http, bool(client.links))
        cells = " | ".join("yes" if mark else "" for mark in marks)
        yield f"| [{client.name}](#{anchor}) | `{client.id}` | {cells} |"
    yield ""


def _section(client: Client) -> str:
    lines = [f"## {client.name}", "", _names(client), ""]
    lines += [f"- {fact}" for fact in _facts(client)]
    return "\n".join([*lines, ""])


def _names(client: Client) -> str:
    given = [client.canonical, *client.aliases]
    others = [f"`{name}`" for name in given if name and not _is_same(name, client)]
    also = f", also {', '.join(others)}" if others else ""
    return f"`{client.id}`{also}: <{client.url}>"


def _is_same(name: str, client: Client) -> bool:
    return name.casefold() in (client.id.replace("-", ""), client.name.replace(" ", "").casefold())


def _facts(client: Client) -> Iterator[str]:
    yield from _places(client)
    if client.project:
        yield f"in a project: {_either(list(client.project))}"
    if client.has_file:
        yield _format(client)
    if not client.has_file:
        yield f"no file: `paddock install {client.id}` prints what to paste into its settings"
    if client.starts_programs:
        yield f"a program: `{_json(client, PROGRAM)}`"
    if client.http:
        yield f"a URL: `{_json(client, ADDRESS)}`"
    if client.starts_programs:
        yield _start(client)
    if client.variable:
        yield f"`--env NAME` refers to the environment variable as `{client.variable}`"
    elif client.shape.names_variables:
        yield "`--env NAME` lists the environment variable among those that it passes on"
    if client.links:
        yield f"`paddock link {client.id}` gives {_links(client)}"
    yield from (f"after installing: {_inside(step)}" for step in client.steps)
    yield from (
        f"after installing into a project: {_inside(step)}" for step in client.project_steps
    )
    yield from client.quirks


def _inside(sentence: str) -> str:
    """A sentence as it stands behind a colon."""
    return f"{sentence[0].lower()}{sentence[1:]}"


def _places(client: Client) -> Iterator[str]:
    files = {system: _files(client, SHOWN[system]) for system in SYSTEMS}
    generic = {tuple(_generic(file) for file in found) for found in files.values()}
    how = ", all that are there" if client.all_places else ""
    if len(generic) == 1 and files["linux"]:
        yield f"file: {_either(files['linux'])}{how}{_moved(client)}"
        return
    for system, found in files.items():
        if found:
            moved = _moved(client) if system == "linux" else ""
            wild = how if len(found) > 1 else ""
            yield f"file on {SYSTEM_NAMES[system]}: {_either(found)}{wild}{moved}"


def _files(client: Client, machine: Machine) -> list[str]:
    return [str(file) for file in candidates(client, machine)]


def _generic(file: str) -> str:
    return file.replace("%USERPROFILE%", "~").replace("\\", "/")


def _moved(client: Client) -> str:
    text = " ".join(place.file for system in SYSTEMS for place in client.places.on(system))
    names = sorted({*re.findall(r"\$\{(\w+)", text)} - OF_WINDOWS)
    return f"; heeds {', '.join(f'`{name}`' for name in names)}" if names else ""


def _either(files: list[str]) -> str:
    return " or ".join(f"`{file}`" for file in files)


def _format(client: Client) -> str:
    name = FORMATS.get(client.format) or DIALECTS[client.dialect]
    held = "the list" if client.listed else "the table"
    place = f"under `{'.'.join(client.path)}`" if client.path else "at the root"
    others = "".join(
        f", in `{file}` under `{'.'.join(path)}`" for file, path in client.paths_by_file
    )
    return f"{name}; servers are {held} {place}{others}"


def _json(client: Client, entry: Entry) -> str:
    return json.dumps(client.shape.render(entry, "KEY"))


def _start(client: Client) -> str:
    given = {"all": "its whole environment", "few": "a few environment variables only"}
    return f"gives a server {client.patience:.0f} s to answer, and {given[client.environment]}"


def _links(client: Client) -> str:
    return "a link, with `--web` one for web pages" if len(client.links) > 1 else "a link"


if __name__ == "__main__":
    sys.stdout.write(page())
