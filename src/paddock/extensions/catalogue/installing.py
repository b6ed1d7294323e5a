"""Installing what a catalogue lists: fetched, checked, then given to pip, uv or unpacked.

Trust level: execution. Nobody else installs anything; whoever calls this has asked the user first.
What was fetched has to have the catalogue's hash, and to be what the catalogue says it is.
"""

from __future__ import annotations

import importlib
import re
import shutil
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import get_data_directory
from paddock.extensions.catalogue.building import read_entries
from paddock.extensions.catalogue.errors import HashMismatchError, InstallExtensionError
from paddock.extensions.catalogue.fetching import DownloadLimit, fetch_file, resolve_location
from paddock.extensions.catalogue.installers import (
    INSTALL_TIMEOUT_SECONDS,
    find_package_installer,
    run_package_installer,
)
from paddock.extensions.catalogue.requirements import select_dependencies
from paddock.extensions.catalogue.settings import find_install_prohibition
from paddock.extensions.discovery import discover_extension, clear_extension_caches
from paddock.extensions.manifest import ITEM_KINDS
from paddock.extensions.paclets.archives import unpack_archive
from paddock.extensions.paclets.search_paths import PADDOCK_PACLET_FOLDER
from paddock.extensions.properties import shorten_repr
from paddock.files import lock_file, convert_os_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.extensions.catalogue.document import CatalogueEntry

FETCH_TIMEOUT_SECONDS = 600.0
DOWNLOAD_FOLDER = "downloads"
_UNSAFE_CHARACTERS = re.compile(r"[^\w.\-]")


def describe_installation(entry: CatalogueEntry) -> list[str]:
    """What installing would do, for a person to agree to.

    Raises:
        PaddockError: when it cannot be done.
    """
    lines = [f"fetch {resolve_location(entry.url, entry.catalogue)} ({entry.size:,} bytes)"]
    lines.append(f"check that its SHA-256 is {entry.sha256}")
    if entry.kind == "paclet":
        return [*lines, f"unpack it into {_get_paclet_directory(entry)}"]
    tool = find_package_installer().name
    lines.append(f"install {entry.distribution} {entry.version} with {tool} into {sys.prefix}")
    needs = select_dependencies(entry.requires)
    if needs.from_index:
        named = ", ".join(needs.from_index)
        lines.append(f"and from {tool}'s index, unless they are there: {named}")
    lines += [f"and, unless it is there, {named}" for named in needs.from_urls]
    return lines


def require_install_permission() -> None:
    """Refuse where the user has forbidden that anything is installed.

    Raises:
        InstallExtensionError: with what forbids it.
    """
    reason = find_install_prohibition()
    if reason is not None:
        raise InstallExtensionError(
            "nothing may be installed here", hint=f"that is forbidden by {reason}"
        )


def install_entry(entry: CatalogueEntry) -> bool:
    """Fetch, check and install an extension; whether that was needed.

    When several processes want the same, one installs it and the others find it installed.

    Raises:
        InstallExtensionError: when it is forbidden, or pip or uv fails.
        HashMismatchError: when what was fetched is something else. Nothing is left behind.
        FetchError: when it cannot be fetched.
        ArchiveError: when it is not safe to unpack.
    """
    require_install_permission()
    with lock_file(Path(get_data_directory()) / DOWNLOAD_FOLDER, seconds=INSTALL_TIMEOUT_SECONDS) as lock:
        clear_extension_caches()
        if discover_extension(entry.name).extensions:
            return False
        with _fetch_entry_file(entry) as file:
            if entry.kind == "paclet":
                unpack_archive(file, _get_paclet_directory(entry))
            else:
                _install_distribution(entry, file, lock)
        importlib.invalidate_caches()
        clear_extension_caches()
        if not discover_extension(entry.name).extensions:
            raise InstallExtensionError(
                f"{entry.distribution} was installed, and its extension is not there: {entry.name}",
                hint="paddock extensions tells what is broken",
                extension=entry.name,
            )
    return True


@contextmanager
def _fetch_entry_file(entry: CatalogueEntry) -> Iterator[Path]:
    """The file of an entry, which is what the catalogue says; gone afterwards."""
    folder = Path(get_data_directory()) / DOWNLOAD_FOLDER
    # We hold the lock: what is there was left by a process that was ended.
    shutil.rmtree(folder, ignore_errors=True)
    with convert_os_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            file = Path(scratch) / entry.file
            location = resolve_location(entry.url, entry.catalogue)
            fetch_file(location, file, DownloadLimit(entry.size, FETCH_TIMEOUT_SECONDS), entry.sha256)
            _verify_content(entry, file, location)
            yield file
    finally:
        with suppress(OSError):
            folder.rmdir()


def _verify_content(entry: CatalogueEntry, file: Path, location: str) -> None:
    """Refuse a file that holds something else than its entry says."""
    found = read_entries(file, entry.url)
    wanted = _summarize_entry(entry)
    if wanted not in map(_summarize_entry, found):
        of_that_name = next((one for one in found if one.name == entry.name), None)
        if of_that_name is None:
            said = f"holds {', '.join(one.name for one in found)}, and not {entry.name}"
        else:
            said = "; ".join(_describe_differences(wanted, _summarize_entry(of_that_name)))
        raise HashMismatchError(
            f"is not as the catalogue describes it: {said}",
            where=location,
            hint="ask who runs the catalogue to build it anew. Nothing was installed",
        )


def _describe_differences(wanted: dict[str, object], found: dict[str, object]) -> list[str]:
    differing = [key for key in wanted if wanted[key] != found[key]]
    return [f"its {key} is {shorten_repr(found[key])}, expected {shorten_repr(wanted[key])}" for key in differing]


def _summarize_entry(entry: CatalogueEntry) -> dict[str, object]:
    """What a person has agreed to: what it is called, and what it brings."""
    brings: dict[str, object] = {
        kind: [item.name for item in entry.manifest.get_items(kind)] for kind in ITEM_KINDS
    }
    named = {key: getattr(entry, key) for key in ("name", "kind", "version", "distribution")}
    return {**named, "requires": list(entry.requires), **brings}


def _get_paclet_directory(entry: CatalogueEntry) -> Path:
    name = _UNSAFE_CHARACTERS.sub("_", entry.name.replace("/", "__"))
    return Path(get_data_directory()) / PADDOCK_PACLET_FOLDER / f"{name}-{entry.version}"


def _install_distribution(entry: CatalogueEntry, file: Path, lock: int | None) -> None:
    command = [*find_package_installer().command, str(file)]
    try:
        reason = run_package_installer(command, file.parent, lock)
    except OSError as error:
        reason = str(error)
    if reason is not None:
        raise InstallExtensionError(
            f"{entry.distribution} could not be installed: {reason}",
            hint="what it says above tells why; the file itself is as the catalogue describes it",
            extension=entry.name,
        )
