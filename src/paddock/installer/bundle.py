"""Bundles: `.mcpb` files that Claude Desktop and other applications install with a double click.

A bundle either starts the server installed on this machine, or contains a server that uv can run on
any machine. The format is specified in MANIFEST.md of the MCPB project. In a portable bundle,
references to files are rewritten to paths in the bundle, and imported modules become requirements
on the distributions that contain them. A server that needs anything else is rejected.
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

    from paddock.installer.entry_builder import InstallableServer, ServerReference
    from paddock.named_servers.named_server import NamedServer


BUNDLE_SUFFIX = ".mcpb"
MANIFEST_NAME = "manifest.json"
MACHINE_MANIFEST_VERSION = "0.3"
PORTABLE_MANIFEST_VERSION = "0.4"
"""The first version that supports running servers with uv."""
START_SCRIPT_NAME = "main.py"
ABOUT_NAME = "about.txt"
PORTABLE_COMPATIBILITY = {
    "platforms": ["darwin", "win32", "linux"],
    "runtimes": {"python": ">=3.11"},
}
FILE_TIMESTAMP = (1980, 1, 1, 0, 0, 0)
"""Fixed time for all files, so that bundles of the same server are identical."""
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
DEFINITION_NAME = "server.toml"
CODE_DIRECTORY = "code"
VERBATIM_TABLES = frozenset({"options", "parameters", "arguments", "annotations", "input_schema"})
"""Tables with author-defined keys, which are copied unchanged."""
REFERENCE_KEYS = frozenset({"tools", "prompts", "resources", "initialization", "function"})
"""Keys whose strings are item names or function references."""
LOCAL_BUNDLE_HINT = "leave out --portable to make a bundle for this machine only"
MAX_DIRECTORY_BYTES = 50_000_000
"""A larger directory most likely contains files that the server does not need."""


@dataclass
class BundleContents:
    """The contents of a portable bundle: a zip file with a server for client applications.

    These are the files by path, the file to serve, and the Python packages to install.
    """

    base_directory: Path = field(default_factory=Path)
    """The directory for relative paths in the definition."""
    files: dict[str, bytes] = field(default_factory=dict)
    target: str = DEFINITION_NAME
    requirements: set[str] = field(default_factory=set)
    directory_names: dict[Path, str] = field(default_factory=dict)
    """The directories that files come from, with their names in the bundle."""

    def add_file(self, file: Path) -> str:
        """Add a Python file and the neighboring files it imports to the bundle.

        The packages that the files import become the bundle's requirements.

        Returns:
            The file's path in the bundle, such as `code/tools.py`.

        Raises:
            BundleError: The file does not exist, or a requirement cannot be bundled.
        """
        if not path_exists(file):
            raise BundleError("the file does not exist", where=str(file), hint="restore it")
        file = file.resolve()
        files = collect_imported_files(file)
        self.requirements.update(collect_requirements(files))
        for imported_file in files:
            path = self._assign_path(imported_file, file.parent)
            self.files[path] = imported_file.read_bytes()
        return self._assign_path(file, file.parent)

    def _assign_path(self, file: Path, directory: Path) -> str:
        """Return the path in the bundle for a file below a source directory.

        Each source directory has its own directory in the bundle (`code`, `code2`, …), so files
        with the same name do not conflict.
        """
        directory_count = len(self.directory_names)
        number = directory_count + 1 if directory_count else ""
        name = self.directory_names.setdefault(directory, f"{CODE_DIRECTORY}{number}")
        return f"{name}/{file.relative_to(directory).as_posix()}"

    def convert_value(self, value: Any, key: str) -> Any:
        """Convert a value in a server definition so that it works inside the bundle.

        Files that the value refers to are added to the bundle, and their paths are replaced by
        paths in the bundle.

        Args:
            value: The value: a text, a table, a list or any other TOML value.
            key: The value's key in the definition.

        Raises:
            BundleError: The value does not work on other machines.
        """
        if is_pickle(value):
            raise BundleError(
                "a pickled function runs only with the Python version that stored it",
                where=key,
                hint=f"define it in a file, or {LOCAL_BUNDLE_HINT}",
            )
        if normalize_key(key) in VERBATIM_TABLES:
            return value
        if isinstance(value, dict):
            return {name: self.convert_value(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.convert_value(element, key) for element in value]
        return self._convert_text(value, key) if isinstance(value, str) else value

    def _convert_text(self, text: str, key: str) -> str:
        """Convert a string in a server definition so that it works inside the bundle.

        Depending on its key, the string is a path, a reference to a Python object, the name of a
        tool, prompt or resource, or plain text, which is returned unchanged.

        Raises:
            BundleError: The string names an extension item, which bundles cannot contain.
        """
        normalized_key = normalize_key(key)
        if normalized_key == "file":
            return self.add_file(self.base_directory / Path(text).expanduser())
        # Prompt content is usually plain text, so only `file.py:name` is a reference.
        is_content = normalized_key == "content" and is_reference(text) and ".py:" in text
        if normalized_key not in REFERENCE_KEYS and not is_content:
            return text
        if is_reference(text):
            return self._convert_reference(text, key)
        qualified = parse_qualified_name(text)
        if qualified is not None and qualified.extension_name != "paddock":
            raise BundleError(
                f"{text!r} is in an extension; bundles cannot contain extensions",
                where=key,
                hint=LOCAL_BUNDLE_HINT,
            )
        return text

    def _convert_reference(self, reference: str, key: str) -> str:
        """Convert a reference to a Python object so that it works inside the bundle.

        For `tools.py:plot`, the file is added to the bundle, and the result is
        `code/tools.py:plot`. For `acme.charts:plot`, the distribution that contains the module
        becomes a requirement, and the reference is returned unchanged.
        """
        file_or_module, _, object_name = reference.rpartition(":")
        if file_or_module.endswith(".py"):
            file = self.base_directory / Path(file_or_module).expanduser()
            return f"{self.add_file(file)}:{object_name}"
        package = file_or_module.partition(".")[0]
        if package != "paddock":
            self.requirements.add(find_requirement(package, key))
        return reference


def collect_contents(server: InstallableServer) -> BundleContents:
    """Return the contents of a portable bundle that runs a server on any machine.

    Args:
        server: A named server, or a server in a Python file or directory.

    Raises:
        BundleError: Part of the server does not work on other machines.
    """
    if server.named_server is None:
        return _collect_path_contents(server.name)
    return _collect_definition_contents(server.named_server)


def _collect_definition_contents(server: NamedServer) -> BundleContents:
    """Return the contents of a portable bundle for a server with a definition.

    These are its definition, as `server.toml`, and the files that the definition refers to.

    Raises:
        BundleError: The server is in an extension, or part of it does not work on other machines.
    """
    location = server.location
    if not isinstance(location, Path) and location != BUILT_IN_LOCATION:
        raise BundleError(
            f"{server.name!r} is in the extension {location!r}; bundles cannot contain extensions",
            hint=LOCAL_BUNDLE_HINT,
        )
    contents = BundleContents(location.parent if isinstance(location, Path) else Path())
    table = {key: contents.convert_value(value, key) for key, value in server.properties.items()}
    contents.files[DEFINITION_NAME] = format_toml(table).encode()
    return contents


def _collect_path_contents(text: str) -> BundleContents:
    """Return the contents of a portable bundle for a server in a Python file or a directory.

    A file is bundled with the files it imports, and a directory with all its files.

    Args:
        text: A path, which can end with the name of an attribute, such as `server.py:app`.

    Raises:
        BundleError: The directory is too large, or the server does not work on other machines.
    """
    contents = BundleContents()
    target = PathTarget(text)
    path = Path(target.path).resolve()
    if not target.is_directory:
        bundle_path = contents.add_file(path)
        contents.target = f"{bundle_path}:{target.attribute}" if target.attribute else bundle_path
        return contents
    files = list_server_files(path)
    if sum(file.stat().st_size for file in files) > MAX_DIRECTORY_BYTES:
        raise BundleError(
            f"contains more than {MAX_DIRECTORY_BYTES // 1_000_000} MB",
            where=str(path),
            hint="move files that the server does not need to another directory",
        )
    for file in files:
        contents.files[f"{CODE_DIRECTORY}/{file.relative_to(path).as_posix()}"] = file.read_bytes()
    contents.requirements.update(collect_requirements(files))
    contents.target = CODE_DIRECTORY
    return contents


def bundle(
    server: ServerReference | None = None,
    file: str | os.PathLike[str] | None = None,
    *,
    portable: bool = False,
    env: Mapping[str, str] | None = None,
) -> Path:
    """Bundle a server and return the path of the bundle.

    Args:
        server: A named server, or the path of a file or directory.
        file: The file to write, or its directory (default: a file in the working directory, named
            after the server).
        portable: Include the server, so that uv can run it on any machine. Otherwise, the bundle
            starts the server installed on this machine.
        env: Environment variables for the server.

    Raises:
        BundleError: The server does not work on other machines, or the file exists and is not a
            bundle.
    """
    target_server = resolve_installable(server, find_client("claude-desktop"))
    build_bundle = _build_portable_bundle if portable else _build_local_bundle
    files = build_bundle(target_server, env or {})
    target = _resolve_target(file, target_server.key)
    _check_replaceable(target)
    if env and path_exists(target):
        target.chmod(PRIVATE_MODE)  # before secrets are written to it
    data = _zip_files(files)
    try:
        write_atomically(target, data, mode=PRIVATE_MODE if env else READABLE_MODE)
    except OSError as error:
        message = f"the bundle cannot be written: {error.strerror or error}"
        raise BundleError(message, where=str(target), hint="choose another path: --file") from None
    return target


def list_bundle_files(file: Path) -> list[str]:
    """Return the names of the files in a bundle."""
    with zipfile.ZipFile(file) as archive:
        return sorted(archive.namelist())


def _check_replaceable(target: Path) -> None:
    """Check that a new bundle's target does not exist or is a bundle to be replaced.

    Raises:
        BundleError: The target is some other file, which must not be overwritten.
    """
    if not path_exists(target):
        return
    if not (zipfile.is_zipfile(target) and MANIFEST_NAME in list_bundle_files(target)):
        raise BundleError(
            "the file exists and is not a bundle",
            where=str(target),
            hint="choose another name, or delete the file first",
        )


def _resolve_target(file: str | os.PathLike[str] | None, key: str) -> Path:
    target = Path(file or "").expanduser().absolute()
    return target / f"{key}{BUNDLE_SUFFIX}" if path_exists(target) and target.is_dir() else target


def _build_local_bundle(server: InstallableServer, env: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files of a bundle that starts a server with this machine's Paddock.

    The bundle contains only a manifest with the command, so it does not work on other machines.
    """
    entry = build_entry(server, env=env)
    launch: dict[str, object] = {"command": entry.command, "args": list(entry.args)}
    if entry.env:
        launch["env"] = dict(entry.env)
    manifest = {
        "manifest_version": MACHINE_MANIFEST_VERSION,
        **_describe_server(server),
        "server": {"type": "binary", "entry_point": ABOUT_NAME, "mcp_config": launch},
        "compatibility": {"platforms": [sys.platform]},
    }
    command_line = " ".join([entry.command or "", *entry.args])
    about = f"This bundle starts a server on the machine where it was made:\n\n{command_line}\n"
    return {MANIFEST_NAME: _encode_json(manifest), ABOUT_NAME: about.encode()}


def _build_portable_bundle(server: InstallableServer, env: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files of a bundle that contains a server and runs on any machine with uv.

    The files are a Python project. Its dependencies are this version of Paddock and the
    distributions that the server imports.
    """
    description = _describe_server(server)
    contents = collect_contents(server)
    args = ["run", "--directory", "${__dirname}", START_SCRIPT_NAME]
    launch = {"command": "uv", "args": args, **({"env": dict(env)} if env else {})}
    manifest = {
        "manifest_version": PORTABLE_MANIFEST_VERSION,
        **description,
        "server": {"type": "uv", "entry_point": START_SCRIPT_NAME, "mcp_config": launch},
        "compatibility": PORTABLE_COMPATIBILITY,
    }
    dependencies = [f"paddock=={__version__}", *sorted(contents.requirements)]
    return {
        MANIFEST_NAME: _encode_json(manifest),
        START_SCRIPT_NAME: START_SCRIPT_TEMPLATE.format(target=contents.target).encode(),
        "pyproject.toml": PROJECT_TEMPLATE.format(dependencies=json.dumps(dependencies)).encode(),
        **contents.files,
    }


def _describe_server(server: InstallableServer) -> dict[str, object]:
    """Return the fields of a bundle's manifest that describe the server.

    Client applications show them to the user before installing the bundle. The server is loaded,
    because the fields include its tools.
    """
    loaded_server = server.load()
    metadata = loaded_server.metadata
    author = server.named_server.definition.extra.get("author") if server.named_server else None
    description: dict[str, object] = {
        "name": server.key,
        "display_name": metadata.title or metadata.name,
        "version": metadata.version,
        "description": metadata.description or f"The MCP server {metadata.name}",
        "author": {"name": author if isinstance(author, str) else "made with Paddock"},
        "tools": [
            {key: entry[key] for key in ("name", "description") if entry.get(key)}
            for entry in map(build_tool_entry, loaded_server.tools)
        ],
    }
    if len(loaded_server.prompts):
        description["prompts_generated"] = True
    return description


def _encode_json(data: object) -> bytes:
    return json.dumps(data, indent=2, ensure_ascii=False).encode() + b"\n"


def _zip_files(files: Mapping[str, bytes]) -> bytes:
    """Return a zip file with the given files.

    All files have the same fixed time, so the same files produce an identical zip file.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, FILE_TIMESTAMP)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = READABLE_MODE << 16
            archive.writestr(info, data)
    return buffer.getvalue()
