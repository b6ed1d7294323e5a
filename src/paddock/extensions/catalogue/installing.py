"""Installing what a catalogue lists: fetched, checked, then given to pip, uv or unpacked.

Trust level: execution. Nobody else installs anything; whoever calls this has asked the user first.
What was fetched has to have the catalogue's hash, and to be what the catalogue says it is.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.directories import data_directory
from paddock.extensions.catalogue.building import describe
from paddock.extensions.catalogue.errors import HashMismatchError, InstallExtensionError
from paddock.extensions.catalogue.fetching import Limit, fetch_file, resolved
from paddock.extensions.catalogue.settings import forbidding
from paddock.extensions.discovery import find_extension, forget_extensions
from paddock.extensions.manifest import KINDS
from paddock.extensions.paclets.archives import unpack
from paddock.extensions.paclets.search_paths import OWN_FOLDER
from paddock.files import locked, telling_faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.extensions.catalogue.document import Entry

FETCH_SECONDS = 600.0
INSTALL_SECONDS = 900.0
FOLDER = "downloads"
_UNSAFE = re.compile(r"[^\w.\-]")


class Installer(NamedTuple):
    """A program that installs distributions, and how it is called."""

    name: str
    command: list[str]


def plan_of(entry: Entry) -> list[str]:
    """What installing would do, for a person to agree to.

    Raises:
        PaddockError: when it cannot be done.
    """
    lines = [f"fetch {resolved(entry.url, entry.catalogue)} ({entry.size:,} bytes)"]
    lines.append(f"check that its SHA-256 is {entry.sha256}")
    if entry.kind == "paclet":
        return [*lines, f"unpack it into {_paclet_directory(entry)}"]
    tool = _installer().name
    lines.append(f"install {entry.distribution} {entry.version} with {tool} into {sys.prefix}")
    if entry.requires:
        needs = ", ".join(entry.requires)
        lines.append(f"and from {tool}'s index, unless they are there: {needs}")
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
    with locked(Path(data_directory()) / FOLDER, seconds=INSTALL_SECONDS):
        forget_extensions()
        if find_extension(entry.name).extensions:
            return False
        with _fetched(entry) as file:
            if entry.kind == "paclet":
                unpack(file, _paclet_directory(entry))
            else:
                _run_installer(entry, file)
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
        with suppress(OSError):  # another file is being fetched into it
            folder.rmdir()


def _check_content(entry: Entry, file: Path, location: str) -> None:
    """Refuse a file that holds something else than its entry says."""
    found = describe(file, entry.url)
    if _identity(entry) not in map(_identity, found):
        names = ", ".join(f"{one.name} {one.version}" for one in found)
        raise HashMismatchError(
            f"holds {names}, and not {entry.name} {entry.version} as the catalogue describes it",
            where=location,
            hint="ask who runs the catalogue to build it anew. Nothing was installed",
        )


def _identity(entry: Entry) -> tuple[object, ...]:
    """What a person has agreed to: what it is called, and what it brings."""
    brings = [tuple(item.name for item in entry.manifest.items(kind)) for kind in KINDS]
    return (entry.name, entry.kind, entry.version, entry.distribution, entry.requires, *brings)


def _paclet_directory(entry: Entry) -> Path:
    name = _UNSAFE.sub("_", entry.name.replace("/", "__"))
    return Path(data_directory()) / OWN_FOLDER / f"{name}-{entry.version}"


def _run_installer(entry: Entry, file: Path) -> None:
    command = [*_installer().command, str(file)]
    try:
        done = subprocess.run(  # noqa: S603 - our own pip or uv, and a file with the right hash
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=INSTALL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InstallExtensionError(
            f"{entry.distribution} could not be installed: {error}", extension=entry.name
        ) from None
    if done.returncode != 0:
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        raise InstallExtensionError(
            f"{entry.distribution} could not be installed: {' '.join(lines[-3:])[:600]}",
            hint="what it says above tells why; the file itself is as the catalogue describes it",
            extension=entry.name,
        )


def _installer() -> Installer:
    """What installs a file into the environment of this interpreter."""
    if importlib.util.find_spec("pip") is not None:
        options = ["--disable-pip-version-check", "--no-input", "--quiet"]
        # -P: not the pip of whoever made the working directory.
        return Installer("pip", [sys.executable, "-P", "-m", "pip", "install", *options])
    uv = shutil.which("uv")
    if uv is not None:
        options = ["--quiet", "--python", sys.executable]
        return Installer("uv", [uv, "pip", "install", *options])
    raise InstallExtensionError(
        f"there is neither pip in {sys.prefix} nor uv on this machine",
        hint="python -m ensurepip, then try again",
    )
