"""Generator of the reference page on clients, `docs/reference/clients.md`.

Write the page with `python -m tests.docs.clients_page > docs/reference/clients.md`. A test
compares the page with the output.
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
STANDARD_WINDOWS_VARIABLES = {"APPDATA", "LOCALAPPDATA"}
EXAMPLE_PROGRAM_ENTRY = ConfigEntry(
    "/path/python",
    ("-m", "paddock"),
    {"NAME": "value"},
    description="A description",
    working_directory="/home/ada",
)
EXAMPLE_URL_ENTRY = ConfigEntry(
    url="http://127.0.0.1:8000/mcp", headers={"Name": "value"}, description="A description"
)
DIALECT_NAMES = {
    "strict": "JSON without comments or trailing commas",
    "comments": "JSON with comments",
    "jsonc": "JSON with comments and trailing commas",
}
FORMAT_NAMES = {"toml": "TOML", "yaml": "YAML"}
ENVIRONMENT_DESCRIPTIONS = {"all": "all", "few": "only a few, such as HOME and PATH"}
PAGE_HEADER = """# Clients

<!-- python -m tests.docs.clients_page > docs/reference/clients.md -->

These are the applications that `paddock install` supports. Case, spaces and punctuation in names do
not matter: `claude-code`, `Claude Code` and `claudecode` are the same. `paddock clients` lists the
clients on your machine. To install into any other application, name its config file:
`paddock install --file FILE`.

The paths in the table are those of a machine with default settings. If a client can read several
files, Paddock edits the one that exists, and creates the first if none exists. If a JSON file
already contains comments or trailing commas, Paddock keeps them. If the client is known to reject
them, Paddock reports an error instead and leaves the file unchanged.

Startup timeouts and inherited environment variables were measured if the client can be run without
an account. For other clients, Paddock assumes 30 seconds and only a few variables.
"""


def render_page() -> str:
    """Return the page as Markdown."""
    clients = list(supported_clients().values())
    return "\n".join(
        [PAGE_HEADER, *_render_overview(clients), *(_render_section(client) for client in clients)]
    )


def _render_overview(clients: list[Client]) -> Iterator[str]:
    yield "| client | name | project file | URL | link |"
    yield "|---|---|---|---|---|"
    for client in clients:
        anchor = re.sub(r"[^a-z0-9 -]", "", client.name.lower()).replace(" ", "-")
        features = (bool(client.project), client.supports_http, bool(client.links))
        cells = " | ".join("yes" if is_supported else "" for is_supported in features)
        yield f"| [{client.name}](#{anchor}) | `{client.id}` | {cells} |"
    yield ""


def _render_section(client: Client) -> str:
    lines = [f"## {client.name}", "", _render_names(client), ""]
    lines += [f"- {fact}" for fact in _iterate_facts(client)]
    return "\n".join([*lines, ""])


def _render_names(client: Client) -> str:
    names = (client.canonical, *client.aliases)
    other_names = [f"`{name}`" for name in names if name and not _is_derived_name(name, client)]
    also = f", also {', '.join(other_names)}" if other_names else ""
    return f"`{client.id}`{also}: <{client.url}>"


def _is_derived_name(name: str, client: Client) -> bool:
    """Return whether a name is only another spelling of the id or the display name."""
    return name.casefold() in (client.id.replace("-", ""), client.name.replace(" ", "").casefold())


def _iterate_facts(client: Client) -> Iterator[str]:
    yield from _iterate_files(client)
    if client.starts_programs:
        yield f"Program entry: `{_render_entry(client, EXAMPLE_PROGRAM_ENTRY)}`"
    if client.supports_http:
        yield f"URL entry: `{_render_entry(client, EXAMPLE_URL_ENTRY)}`"
    if client.starts_programs:
        yield f"Startup timeout: {client.patience:.0f} s"
        yield f"Inherited environment variables: {ENVIRONMENT_DESCRIPTIONS[client.environment]}"
    if client.variable:
        yield f"`--env NAME` writes a reference to the variable: `{client.variable}`"
    elif client.shape.has_variable_list:
        yield "`--env NAME` adds the variable to the list of those that the client passes on"
    if client.links:
        yield f"`paddock link {client.id}` prints {_describe_links(client)}"
    yield from (f"After installing: {_lowercase_first(step)}" for step in client.steps)
    yield from (
        f"After installing into a project: {_lowercase_first(step)}"
        for step in client.project_steps
    )
    yield from client.quirks


def _iterate_files(client: Client) -> Iterator[str]:
    if not client.has_file:
        yield f"No config file: `paddock install {client.id}` prints an entry to paste instead"
        return
    yield from _iterate_user_files(client)
    if client.project:
        yield f"Project file: {_join_files(list(client.project))}"
    yield f"Format: {_describe_format(client)}"


def _lowercase_first(sentence: str) -> str:
    return f"{sentence[0].lower()}{sentence[1:]}"


def _iterate_user_files(client: Client) -> Iterator[str]:
    """Describe the user's files in one line if they are the same on all systems."""
    paths = {system: _list_paths(client, EXAMPLE_MACHINES[system]) for system in OPERATING_SYSTEMS}
    distinct = {tuple(map(_normalize_path, system_paths)) for system_paths in paths.values()}
    suffix = " (all that exist)" if client.all_places else ""
    if len(distinct) == 1 and paths["linux"]:
        yield f"File: {_join_files(paths['linux'])}{suffix}{_describe_variables(client)}"
        return
    for system, system_paths in paths.items():
        if system_paths:
            several = suffix if len(system_paths) > 1 else ""
            variables = _describe_variables(client) if system == "linux" else ""
            yield f"File on {SYSTEM_NAMES[system]}: {_join_files(system_paths)}{several}{variables}"


def _list_paths(client: Client, machine: HostMachine) -> list[str]:
    return [str(path) for path in list_candidate_paths(client, machine)]


def _normalize_path(path: str) -> str:
    return path.replace("%USERPROFILE%", "~").replace("\\", "/")


def _describe_variables(client: Client) -> str:
    templates = " ".join(
        location.path_template for locations in client.places.values() for location in locations
    )
    names = sorted({*re.findall(r"\$\{(\w+)", templates)} - STANDARD_WINDOWS_VARIABLES)
    return f"; depends on {', '.join(f'`{name}`' for name in names)}" if names else ""


def _join_files(files: list[str]) -> str:
    return " or ".join(f"`{file}`" for file in files)


def _describe_format(client: Client) -> str:
    name = FORMAT_NAMES.get(client.format) or DIALECT_NAMES[client.dialect]
    container = "a list" if client.listed else "a table"
    location = f"under `{'.'.join(client.path)}`" if client.path else "at the root"
    exceptions = "".join(
        f" (in `{file}`: `{'.'.join(path)}`)" for file, path in client.paths_by_file
    )
    return f"{name}; servers are {container} {location}{exceptions}"


def _render_entry(client: Client, entry: ConfigEntry) -> str:
    return json.dumps(client.shape.render_entry(entry, "KEY"))


def _describe_links(client: Client) -> str:
    if len(client.links) == 1:
        return "an install link"
    return "an install link, or with `--web` one for web pages"


if __name__ == "__main__":
    sys.stdout.write(render_page())
