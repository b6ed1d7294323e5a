"""Lookup of an extension's server definition before the first answer.

The full lookup (`sources.find_installed_source`) imports a hundred modules while the client waits.
The lookup in this module finds only the usual case: an installed distribution with `paddock.toml`
in its package, and a TOML file for the server. In every other case it returns None, and the full
lookup decides. This module is imported before the first answer, so it imports nothing slow.
"""

from __future__ import annotations

import os
import sys

from paddock.extensions.entry_points import (
    list_metadata_directories,
    parse_distribution_version,
    read_entry_points,
)
from paddock.named_servers.names import DEFINITION_SUFFIX
from paddock.named_servers.quick_facts import (
    DEFAULT_VERSION,
    MAX_FILE_CHARACTERS,
    NeedsFullParseError,
    TomlHeadReader,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BUILT_IN_EXTENSION_NAME = "paddock"
MANIFEST_FILE_NAME = "paddock.toml"
DEFAULT_DEFINITION_ROOT = "agenttools"
MANIFEST_KEYS = frozenset({"publisher", "root"})


def find_extension_definition(name: str) -> tuple[str, str] | None:
    """Return the definition file of an extension's server, and the version of the distribution.

    None means that the full lookup is needed, not that there is no such server.
    """
    *publisher, package, item = name.split("/")
    if package == BUILT_IN_EXTENSION_NAME:
        return None  # no distribution can replace Paddock's own servers
    for metadata_directory, value in _iterate_entry_points(package):
        manifest_directory = os.path.join(os.path.dirname(metadata_directory), *value.split("."))
        try:
            text = _read_text(os.path.join(manifest_directory, MANIFEST_FILE_NAME))
            manifest = TomlHeadReader(text, MANIFEST_KEYS, _is_manifest_alias).read()
        except (OSError, ValueError, NeedsFullParseError):
            return None  # for example an editable installation
        if manifest.get("publisher") != (publisher[0] if publisher else None):
            continue
        root = manifest.get("root", DEFAULT_DEFINITION_ROOT)
        # A reference to a definition in a module would take precedence over a file.
        if "definition" in text.lower() or not _is_declared(item, text):
            return None
        if os.path.isabs(root) or ".." in root:
            return None  # the full lookup rejects a root outside the package
        stem = os.path.join(manifest_directory, root, "servers", item)
        if os.path.isfile(f"{stem}.py") or not os.path.isfile(stem + DEFINITION_SUFFIX):
            return None
        version = parse_distribution_version(os.path.basename(metadata_directory))
        return stem + DEFINITION_SUFFIX, version or DEFAULT_VERSION
    return None


def _iterate_entry_points(package: str) -> Iterator[tuple[str, str]]:
    """Yield metadata directories and values of entry points with a name, in order of precedence."""
    seen_distributions: set[str] = set()
    for path_entry in dict.fromkeys(sys.path):
        directories = list_metadata_directories(os.path.abspath(path_entry))
        for distribution, metadata_directory in directories.items():
            if distribution in seen_distributions:
                continue  # hidden by one that is earlier on sys.path
            for name, value in read_entry_points(metadata_directory):
                if name == package:
                    yield metadata_directory, value
        seen_distributions.update(directories)


def _read_text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        text = file.read(MAX_FILE_CHARACTERS + 1)
    if len(text) > MAX_FILE_CHARACTERS:
        raise NeedsFullParseError
    return text


def _is_manifest_alias(key: str) -> bool:
    return key.lower() in MANIFEST_KEYS


def _is_declared(item: str, manifest: str) -> bool:
    return f'"{item}"' in manifest or f"'{item}'" in manifest
