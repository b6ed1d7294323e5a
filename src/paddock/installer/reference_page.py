"""The page of the documentation on clients, written from the table.

Write it anew with `python -m paddock.installer.reference_page > docs/reference/clients.md`; a test compares.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

from paddock.installer.apps import supported_clients
from paddock.installer.client_app import OPERATING_SYSTEMS, Client
from paddock.installer.entry_format import ConfigEntry
from paddock.installer.locations import HostMachine, list_candidate_paths

if TYPE_CHECKING:
    from collections.abc import Iterator

SYSTEM_NAMES = {"linux": "Linux", "macos": "macOS", "windows": "Windows"}
EXAMPLE_MACHINES = {
    "linux": HostMachine("linux", {}, "~"),
    "macos": HostMachine("macos", {}, "~"),
    "windows": HostMachine(
        "windows",
        {"APPDATA": "%APPDATA%", "LOCALAPPDATA": "%LOCALAPPDATA%"},
        "%USERPROFILE%",
    ),
}
WINDOWS_VARIABLES = {"APPDATA", "LOCALAPPDATA"}
EXAMPLE_PROGRAM_ENTRY = ConfigEntry(
    "/path/python",
    ("-m", "paddock"),
    {"NAME": "value"},
    description="What it is for",
    working_directory="/home/ada",
)
EXAMPLE_URL_ENTRY = ConfigEntry(
    url="http://127.0.0.1:8000/mcp", headers={"Name": "value"}, description="What it is for"
)
DIALECT_NAMES = {
    "strict": "JSON, strictly",
    "comments": "JSON with comments",
    "jsonc": "JSON with comments and trailing commas",
}
FORMAT_NAMES = {"toml": "TOML", "yaml": "YAML"}
PAGE_HEADER = """# Clients

<!-- python -m paddock.installer.reference_page > docs/reference/clients.md -->

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


def render_page() -> str:
    """The whole page."""
    clients = list(supported_clients().values())
    return "\n".join(
        [PAGE_HEADER, *_render_overview(clients), *(_render_section(client) for client in clients)]
    )


def _render_overview(clients: list[Client]) -> Iterator[str]:
    yield "| client | name | project file | URL | link |"
    yield "|---|---|---|---|---|"
    for client in clients:
        anchor = re.sub(r"[^a-z0-9 -]", "", client.name.lower()).replace(" ", "-")
        marks = (bool(client.project), client.supports_http, bool(client.links))
        cells = " | ".join("yes" if mark else "" for mark in marks)
        yield f"| [{client.name}](#{anchor}) | `{client.id}` | {cells} |"
    yield ""


def _render_section(client: Client) -> str:
    lines = [f"## {client.name}", "", _render_names(client), ""]
    lines += [f"- {fact}" for fact in _iterate_facts(client)]
    return "\n".join([*lines, ""])


def _render_names(client: Client) -> str:
    given = [client.canonical, *client.aliases]
    others = [f"`{name}`" for name in given if name and not _is_derived_name(name, client)]
    also = f", also {', '.join(others)}" if others else ""
    return f"`{client.id}`{also}: <{client.url}>"


def _is_derived_name(name: str, client: Client) -> bool:
    return name.casefold() in (client.id.replace("-", ""), client.name.replace(" ", "").casefold())


def _iterate_facts(client: Client) -> Iterator[str]:
    yield from _iterate_locations(client)
    if client.project:
        yield f"in a project: {_join_files(list(client.project))}"
    if client.has_file:
        yield _describe_format(client)
    if not client.has_file:
        yield f"no file: `paddock install {client.id}` prints what to paste into its settings"
    if client.starts_programs:
        yield f"a program: `{_render_entry(client, EXAMPLE_PROGRAM_ENTRY)}`"
    if client.supports_http:
        yield f"a URL: `{_render_entry(client, EXAMPLE_URL_ENTRY)}`"
    if client.starts_programs:
        yield _describe_startup(client)
    if client.variable:
        yield f"`--env NAME` refers to the environment variable as `{client.variable}`"
    elif client.shape.has_variable_list:
        yield "`--env NAME` lists the environment variable among those that it passes on"
    if client.links:
        yield f"`paddock link {client.id}` gives {_describe_links(client)}"
    yield from (f"after installing: {_lowercase_first(step)}" for step in client.steps)
    yield from (
        f"after installing into a project: {_lowercase_first(step)}"
        for step in client.project_steps
    )
    yield from client.quirks


def _lowercase_first(sentence: str) -> str:
    """A sentence as it stands behind a colon."""
    return f"{sentence[0].lower()}{sentence[1:]}"


def _iterate_locations(client: Client) -> Iterator[str]:
    files = {system: _list_files(client, EXAMPLE_MACHINES[system]) for system in OPERATING_SYSTEMS}
    generic = {tuple(_normalize_path(file) for file in found) for found in files.values()}
    how = ", all that are there" if client.all_places else ""
    if len(generic) == 1 and files["linux"]:
        yield f"file: {_join_files(files['linux'])}{how}{_describe_variables(client)}"
        return
    for system, found in files.items():
        if found:
            moved = _describe_variables(client) if system == "linux" else ""
            wild = how if len(found) > 1 else ""
            yield f"file on {SYSTEM_NAMES[system]}: {_join_files(found)}{wild}{moved}"


def _list_files(client: Client, machine: HostMachine) -> list[str]:
    return [str(file) for file in list_candidate_paths(client, machine)]


def _normalize_path(file: str) -> str:
    return file.replace("%USERPROFILE%", "~").replace("\\", "/")


def _describe_variables(client: Client) -> str:
    text = " ".join(
        place.path_template
        for system in OPERATING_SYSTEMS
        for place in client.places.for_system(system)
    )
    names = sorted({*re.findall(r"\$\{(\w+)", text)} - WINDOWS_VARIABLES)
    return f"; heeds {', '.join(f'`{name}`' for name in names)}" if names else ""


def _join_files(files: list[str]) -> str:
    return " or ".join(f"`{file}`" for file in files)


def _describe_format(client: Client) -> str:
    name = FORMAT_NAMES.get(client.format) or DIALECT_NAMES[client.dialect]
    held = "the list" if client.listed else "the table"
    place = f"under `{'.'.join(client.path)}`" if client.path else "at the root"
    others = "".join(
        f", in `{file}` under `{'.'.join(path)}`" for file, path in client.paths_by_file
    )
    return f"{name}; servers are {held} {place}{others}"


def _render_entry(client: Client, entry: ConfigEntry) -> str:
    return json.dumps(client.shape.render_entry(entry, "KEY"))


def _describe_startup(client: Client) -> str:
    given = {"all": "its whole environment", "few": "a few environment variables only"}
    return f"gives a server {client.patience:.0f} s to answer, and {given[client.environment]}"


def _describe_links(client: Client) -> str:
    return "a link, with `--web` one for web pages" if len(client.links) > 1 else "a link"


if __name__ == "__main__":
    sys.stdout.write(render_page())
