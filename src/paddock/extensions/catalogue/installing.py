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

from paddock.directories import data_directory
from paddock.extensions.catalogue.building import describe
from paddock.extensions.catalogue.errors import HashMismatchError, InstallExtensionError
from paddock.extensions.catalogue.fetching import Limit, fetch_file, resolved
from paddock.extensions.catalogue.installers import (
    INSTALL_SECONDS,
    find_installer,
    run_installer,
)
from paddock.extensions.catalogue.requirements import needs_here
from paddock.extensions.catalogue.settings import forbidding
from paddock.extensions.discovery import find_extension, forget_extensions
from paddock.extensions.manifest import KINDS
from paddock.extensions.paclets.archives import unpack
from paddock.extensions.paclets.search_paths import OWN_FOLDER
from paddock.extensions.properties import shown
from paddock.files import locked, telling_faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.extensions.catalogue.document import Entry

FETCH_SECONDS = 600.0
FOLDER = "downloads"
_UNSAFE = re.compile(r"[^\w.\-]")


def plan_of(entry: Entry) -> list[str]:
    """What installing would do, for a person to agree to.

    Raises:
        PaddockError: when it cannot be done.
    """
    lines = [f"fetch {resolved(entry.url, entry.catalogue)} ({entry.size:,} bytes)"]
    lines.append(f"check that its SHA-256 is {entry.sha256}")
    if entry.kind == "paclet":
        return [*lines, f"unpack it into {_paclet_directory(entry)}"]
    tool = find_installer().name
    lines.append(f"install {entry.distribution} {entry.version} with {tool} into {sys.prefix}")
    needs = needs_here(entry.requires)
    if needs.from_index:
        named = ", ".join(needs.from_index)
        lines.append(f"and from {tool}'s index, unless they are there: {named}")
    lines += [f"and, unless it is there, {named}" for named in needs.from_elsewhere]
    return lines


def check_permitted() -> None:
    """Refuse where the user has forbidden that anything is installed.

    Raises:
        InstallExtensionError: with what forbids it.
    """
    reason = forbidding()
    if reason is not None:
        raise InstallExtensionError(
            "nothing may be installed here", hint=f"that is forbidden by {reason}"
        )


def install_entry(entry: Entry) -> bool:
    """Fetch, check and install an extension; whether that was needed.

    When several processes want the same, one installs it and the others find it installed.

    Raises:
        InstallExtensionError: when it is forbidden, or pip or uv fails.
        HashMismatchError: when what was fetched is something else. Nothing is left behind.
        FetchError: when it cannot be fetched.
        ArchiveError: when it is not safe to unpack.
    """
    check_permitted()
    with locked(Path(data_directory()) / FOLDER, seconds=INSTALL_SECONDS) as lock:
        forget_extensions()
        if find_extension(entry.name).extensions:
            return False
        with _fetched(entry) as file:
            if entry.kind == "paclet":
                unpack(file, _paclet_directory(entry))
            else:
                _run_installer(entry, file, lock)
        importlib.invalidate_caches()
        forget_extensions()
        if not find_extension(entry.name).extensions:
            raise InstallExtensionError(
                f"{entry.distribution} was installed, and its extension is not there: {entry.name}",
                hint="paddock extensions tells what is broken",
                extension=entry.name,
            )
    return True


@contextmanager
def _fetched(entry: Entry) -> Iterator[Path]:
    """The file of an entry, which is what the catalogue says; gone afterwards."""
    folder = Path(data_directory()) / FOLDER
    # We hold the lock: what is there was left by a process that was ended.
    shutil.rmtree(folder, ignore_errors=True)
    with telling_faults(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            file = Path(scratch) / entry.file
            location = resolved(entry.url, entry.catalogue)
            fetch_file(location, file, Limit(entry.size, FETCH_SECONDS), entry.sha256)
            _check_content(entry, file, location)
            yield file
    finally:
        with suppress(OSError):
            folder.rmdir()


def _check_content(entry: Entry, file: Path, location: str) -> None:
    """Refuse a file that holds something else than its entry says."""
    found = describe(file, entry.url)
    wanted = _identity(entry)
    if wanted not in map(_identity, found):
        of_that_name = next((one for one in found if one.name == entry.name), None)
        if of_that_name is None:
            said = f"holds {', '.join(one.name for one in found)}, and not {entry.name}"
        else:
            said = "; ".join(_differences(wanted, _identity(of_that_name)))
        raise HashMismatchError(
            f"is not as the catalogue describes it: {said}",
            where=location,
            hint="ask who runs the catalogue to build it anew. Nothing was installed",
        )


def _differences(wanted: dict[str, object], found: dict[str, object]) -> list[str]:
    differing = [key for key in wanted if wanted[key] != found[key]]
    return [f"its {key} is {shown(found[key])}, expected {shown(wanted[key])}" for key in differing]


def _identity(entry: Entry) -> dict[str, object]:
    """What a person has agreed to: what it is called, and what it brings."""
    brings: dict[str, object] = {
        kind: [item.name for item in entry.manifest.items(kind)] for kind in KINDS
    }
    named = {key: getattr(entry, key) for key in ("name", "kind", "version", "distribution")}
    return {**named, "requires": list(entry.requires), **brings}


def _paclet_directory(entry: Entry) -> Path:
    name = _UNSAFE.sub("_", entry.name.replace("/", "__"))
    return Path(data_directory()) / OWN_FOLDER / f"{name}-{entry.version}"


def _run_installer(entry: Entry, file: Path, lock: int | None) -> None:
    command = [*find_installer().command, str(file)]
    try:
        reason = run_installer(command, file.parent, lock)
    except OSError as error:
        reason = str(error)
    if reason is not None:
        raise InstallExtensionError(
            f"{entry.distribution} could not be installed: {reason}",
            hint="what it says above tells why; the file itself is as the catalogue describes it",
            extension=entry.name,
        )
