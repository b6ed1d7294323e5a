"""Bundles: one `.mcpb` file that Claude Desktop and others install by a double click.

A bundle either starts the server as this machine has it, or brings the server along, to be run by
uv wherever the bundle is opened. The format is described by its authors as MANIFEST.md; what is in
a portable one is worked out by `portable`.

What goes into a bundle that runs anywhere: the definition and the files that it refers to.

References to files are rewritten to where the files stand in the bundle, modules become
requirements of the distributions that they come from. What cannot travel is refused.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.authoring.tool_invoker import build_tool_entry
from paddock.extensions.names import normalize_key, parse_qualified_name
from paddock.extensions.references import is_reference
from paddock.files import PRIVATE_MODE, path_exists, write_atomically
from paddock.installer.apps import find_client
from paddock.installer.bundle_requirements import (
    BundleError,
    collect_imported_files,
    collect_requirements,
    find_requirement,
    list_server_files,
)
from paddock.installer.entry_builder import build_entry, resolve_installable
from paddock.named_servers.pickle_loader import is_pickle
from paddock.named_servers.sources import BUILT_IN_LOCATION
from paddock.named_servers.stored_form import format_toml
from paddock.serving.target import PathTarget
from paddock.version import __version__

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from paddock.authoring.base_server import BaseServer
    from paddock.installer.entry_builder import InstallableServer, ServerReference
    from paddock.named_servers.named_server import NamedServer


DEFINITION_NAME = "server.toml"
CODE_DIRECTORY = "code"
VERBATIM_TABLES = frozenset({"options", "parameters", "arguments", "annotations", "input_schema"})
"""Tables whose keys are names that the author chose."""
MAX_DIRECTORY_BYTES = 50_000_000
"""Bytes of a directory beyond which something is in it that does not belong."""


@dataclass
class BundleContents:
    """The files of a bundle by their places in it, what to serve, and what has to be installed."""

    files: dict[str, bytes] = field(default_factory=dict)
    target: str = DEFINITION_NAME
    requirements: set[str] = field(default_factory=set)
    directory_names: dict[Path, str] = field(default_factory=dict)
    """The directories on this machine that files are from, and what they are in the bundle."""

    def add_file(self, file: Path) -> str:
        """Put a file in, with those beside it that it imports; its place in the bundle.

        Raises:
            BundleError: when there is none.
        """
        if not path_exists(file):
            raise BundleError("there is no such file", where=str(file), hint="put it back")
        file = file.resolve()
        together = collect_imported_files(file)
        self.requirements.update(collect_requirements(together))
        for one in together:
            self.files[self._assign_path(one, file.parent)] = one.read_bytes()
        return self._assign_path(file, file.parent)

    def _assign_path(self, file: Path, folder: Path) -> str:
        known = len(self.directory_names)
        name = self.directory_names.setdefault(
            folder, f"{CODE_DIRECTORY}{known + 1 if known else ''}"
        )
        return f"{name}/{file.relative_to(folder).as_posix()}"


def collect_contents(server: InstallableServer) -> BundleContents:
    """What a server consists of.

    Raises:
        BundleError: when some of it cannot be taken to another machine.
    """
    return (
        _collect_definition(server.named_server)
        if server.named_server is not None
        else _collect_path(server.name)
    )


def _collect_definition(server: NamedServer) -> BundleContents:
    contents = BundleContents()
    place = server.location
    directory = place.parent if isinstance(place, Path) else None
    if directory is None and place != BUILT_IN_LOCATION:
        raise BundleError(
            f"{server.name!r} belongs to the extension {place!r}, which a bundle cannot bring",
            hint="make a bundle for this machine: leave out --portable",
        )
    table = {
        key: _convert_value(value, key, directory, contents)
        for key, value in server.properties.items()
    }
    contents.files[DEFINITION_NAME] = format_toml(table).encode()
    return contents


def _convert_value(value: Any, key: str, directory: Path | None, contents: BundleContents) -> Any:
    """A value of the definition as it is to stand in the bundle."""
    if is_pickle(value):
        raise BundleError(
            "a function that is stored as it is runs with this Python only",
            where=key,
            hint="define it in a file; or make a bundle for this machine: leave out --portable",
        )
    if normalize_key(key) in VERBATIM_TABLES:
        return value
    if isinstance(value, dict):
        return {
            inner: _convert_value(one, inner, directory, contents) for inner, one in value.items()
        }
    if isinstance(value, list):
        return [_convert_value(one, key, directory, contents) for one in value]
    if isinstance(value, str):
        return _convert_text(value, key, directory, contents)
    return value


REFERENCE_KEYS = frozenset({"tools", "prompts", "resources", "initialization", "function"})
"""Where a text can be a name or a reference, and is not just a text."""


def _convert_text(value: str, key: str, directory: Path | None, contents: BundleContents) -> str:
    place = normalize_key(key)
    if place == "file":
        return contents.add_file((directory or Path()) / Path(value).expanduser())
    is_file = is_reference(value) and ".py:" in value
    if place not in REFERENCE_KEYS and not (place == "content" and is_file):
        return value
    if is_reference(value):
        return _convert_reference(value, key, directory, contents)
    qualified = parse_qualified_name(value)
    if qualified is not None and qualified.extension_name != "paddock":
        raise BundleError(
            f"{value!r} belongs to an extension, which a bundle cannot bring",
            where=key,
            hint="make a bundle for this machine: leave out --portable",
        )
    return value


def _convert_reference(
    value: str, key: str, directory: Path | None, contents: BundleContents
) -> str:
    home, _, name = value.rpartition(":")
    if home.endswith(".py"):
        return f"{contents.add_file((directory or Path()) / Path(home).expanduser())}:{name}"
    package = home.partition(".")[0]
    if package != "paddock":
        contents.requirements.add(find_requirement(package, key))
    return value


def _collect_path(text: str) -> BundleContents:
    contents = BundleContents()
    target = PathTarget(text)
    path = Path(target.path).resolve()
    if not target.is_directory:
        place = contents.add_file(path)
        contents.target = f"{place}:{target.attribute}" if target.attribute else place
        return contents
    files = list_server_files(path)
    if sum(one.stat().st_size for one in files) > MAX_DIRECTORY_BYTES:
        raise BundleError(
            f"holds more than {MAX_DIRECTORY_BYTES // 1_000_000} MB",
            where=str(path),
            hint="keep what the server does not need elsewhere",
        )
    for one in files:
        contents.files[f"{CODE_DIRECTORY}/{one.relative_to(path).as_posix()}"] = one.read_bytes()
    contents.requirements.update(collect_requirements(files))
    contents.target = CODE_DIRECTORY
    return contents


BUNDLE_SUFFIX = ".mcpb"
MANIFEST_NAME = "manifest.json"
MACHINE_MANIFEST_VERSION = "0.3"
PORTABLE_MANIFEST_VERSION = "0.4"
"""The first with servers that uv runs."""
START_SCRIPT_NAME = "main.py"
ABOUT_NAME = "about.txt"
FILE_TIMESTAMP = (1980, 1, 1, 0, 0, 0)
"""The time of all files, so that the same server gives the same bundle."""
READABLE_MODE = 0o644

START_SCRIPT_TEMPLATE = '''"""Serves the server of this bundle."""

import sys
from pathlib import Path

from paddock.cli import main

sys.argv[1:] = ["serve", str(Path(__file__).parent / {target!r})]
main()
'''
PROJECT_TEMPLATE = """[project]
name = "bundled-server"
version = "1"
requires-python = ">=3.11"
dependencies = {dependencies}

[tool.uv]
package = false
"""


def bundle(
    server: ServerReference | None = None,
    file: str | os.PathLike[str] | None = None,
    *,
    portable: bool = False,
    env: Mapping[str, str] | None = None,
) -> Path:
    """Write a server as a bundle; the file that was written.

    Args:
        server: A named server, or the path of a file or directory.
        file: The file to write, or a directory for it; by default in the working directory, by
            the name of the server.
        portable: Put the server itself in, to be run by uv on any machine. Otherwise the bundle
            starts it as this machine has it, and is of use here only.
        env: Environment variables for the server.

    Raises:
        BundleError: when the server cannot be taken to another machine, or the file is there and
            is no bundle.
    """
    found = resolve_installable(server, find_client("claude-desktop"))
    parts = (
        _build_portable_bundle(found, env or {}) if portable else _build_local_bundle(found, env)
    )
    target = _resolve_target(file, found.key)
    _check_target_free(target)
    if env and path_exists(target):
        target.chmod(PRIVATE_MODE)
    data = _zip_files(parts)
    try:
        write_atomically(target, data, mode=PRIVATE_MODE if env else READABLE_MODE)
    except OSError as error:
        text = f"the bundle cannot be written: {error.strerror or error}"
        raise BundleError(
            text, where=str(target), hint="choose another place: --file FILE"
        ) from None
    return target


def list_bundle_files(file: Path) -> list[str]:
    """What is in a bundle."""
    with zipfile.ZipFile(file) as archive:
        return sorted(archive.namelist())


def _check_target_free(target: Path) -> None:
    """Make sure that nothing is overwritten but an older bundle."""
    if not path_exists(target):
        return
    if not (zipfile.is_zipfile(target) and MANIFEST_NAME in list_bundle_files(target)):
        raise BundleError(
            "there is a file already, which is no bundle",
            where=str(target),
            hint="choose another name, or remove it first",
        )


def _resolve_target(file: str | os.PathLike[str] | None, key: str) -> Path:
    target = Path(file or "").expanduser().absolute()
    return target / f"{key}{BUNDLE_SUFFIX}" if path_exists(target) and target.is_dir() else target


def _build_local_bundle(
    server: InstallableServer, env: Mapping[str, str] | None
) -> dict[str, bytes]:
    entry = build_entry(server, env=env)
    launch: dict[str, object] = {"command": entry.command, "args": list(entry.args)}
    if entry.env:
        launch["env"] = dict(entry.env)
    start = {"type": "binary", "entry_point": ABOUT_NAME, "mcp_config": launch}
    manifest = {
        "manifest_version": MACHINE_MANIFEST_VERSION,
        **_describe_server(server),
        "server": start,
        "compatibility": {"platforms": [sys.platform]},
    }
    line = " ".join([entry.command or "", *entry.args])
    about = f"This bundle starts a server of the machine that it was made on:\n\n{line}\n"
    return {MANIFEST_NAME: _encode_json(manifest), ABOUT_NAME: about.encode()}


def _build_portable_bundle(server: InstallableServer, env: Mapping[str, str]) -> dict[str, bytes]:
    described = _describe_server(server)
    contents = collect_contents(server)
    args = ["run", "--directory", "${__dirname}", START_SCRIPT_NAME]
    launch: dict[str, object] = {"command": "uv", "args": args}
    if env:
        launch["env"] = dict(env)
    manifest = {
        "manifest_version": PORTABLE_MANIFEST_VERSION,
        **described,
        "server": {"type": "uv", "entry_point": START_SCRIPT_NAME, "mcp_config": launch},
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": ">=3.11"},
        },
    }
    dependencies = [f"paddock=={__version__}", *sorted(contents.requirements)]
    return {
        MANIFEST_NAME: _encode_json(manifest),
        START_SCRIPT_NAME: START_SCRIPT_TEMPLATE.format(target=contents.target).encode(),
        "pyproject.toml": PROJECT_TEMPLATE.format(dependencies=json.dumps(dependencies)).encode(),
        **contents.files,
    }


def _describe_server(server: InstallableServer) -> dict[str, object]:
    offering = _load_server(server)
    facts = offering.metadata
    author = server.named_server.definition.extra.get("author") if server.named_server else None
    described: dict[str, object] = {
        "name": server.key,
        "display_name": facts.title or facts.name,
        "version": facts.version,
        "description": facts.description or f"The MCP server {facts.name}",
        "author": {"name": author if isinstance(author, str) else "made with Paddock"},
        "tools": [_describe_tool(build_tool_entry(tool)) for tool in offering.tools],
    }
    if len(offering.prompts):
        described["prompts_generated"] = True
    return described


def _load_server(server: InstallableServer) -> BaseServer:
    return (
        server.named_server.load()
        if server.named_server is not None
        else PathTarget(server.name).load()
    )


def _describe_tool(entry: Mapping[str, object]) -> dict[str, object]:
    return {field: entry[field] for field in ("name", "description") if entry.get(field)}


def _encode_json(data: object) -> bytes:
    return json.dumps(data, indent=2, ensure_ascii=False).encode() + b"\n"


def _zip_files(parts: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            info = zipfile.ZipInfo(name, FILE_TIMESTAMP)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = READABLE_MODE << 16
            archive.writestr(info, data)
    return buffer.getvalue()
