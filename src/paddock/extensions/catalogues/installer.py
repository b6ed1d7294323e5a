"""What a distribution depends on, as far as it counts for this machine and without extras.

pip or uv, whichever installs into the environment of this interpreter, and running it.

Nothing in the working directory has a say: neither modules, nor programs, nor settings. What the
user has set up elsewhere counts.

Installing what a catalogue lists: fetched, checked, then given to pip, uv or unpacked.

Trust level: execution. Nobody else installs anything; whoever calls this has asked the user first.
What was fetched has to have the catalogue's hash, and to be what the catalogue says it is.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement

from paddock.directories import get_data_directory
from paddock.extensions.catalogues.builder import read_entries
from paddock.extensions.catalogues.download import DownloadLimit, fetch_file, resolve_location
from paddock.extensions.catalogues.store import find_install_prohibition
from paddock.extensions.discovery import clear_extension_caches, discover_extension
from paddock.extensions.errors import HashMismatchError, InstallExtensionError
from paddock.extensions.manifest import ITEM_KINDS
from paddock.extensions.paclets.archives import unpack_archive
from paddock.extensions.paclets.search_paths import PADDOCK_PACLET_FOLDER
from paddock.extensions.properties import shorten_repr
from paddock.files import convert_os_errors, lock_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paddock.extensions.catalogues.document import CatalogueEntry


class DistributionDependencies(NamedTuple):
    """What is fetched along with a distribution, unless it is there."""

    from_index: tuple[str, ...]
    """Names with versions, which the installer looks up."""
    from_urls: tuple[str, ...]
    """Names with the URLs that the distribution itself gives for them."""


def select_dependencies(requires: Iterable[str]) -> DistributionDependencies:
    """What of a distribution's requirements an installer heeds here.

    Args:
        requires: As the metadata says them. One that cannot be read is among the results.
    """
    from_index: list[str] = []
    from_elsewhere: list[str] = []
    for text in requires:
        try:
            found = Requirement(text)
        except InvalidRequirement:
            from_index.append(text)
            continue
        if found.marker is not None and not found.marker.evaluate({"extra": ""}):
            continue
        if found.url is None:
            found.marker = None
            from_index.append(str(found))
        else:
            from_elsewhere.append(f"{found.name} from {found.url}")
    return DistributionDependencies(tuple(from_index), tuple(from_elsewhere))


INSTALL_TIMEOUT_SECONDS = 900.0
UV_SETTINGS_FILES = ("uv.toml", "pyproject.toml")
"""Files that uv looks for in its working directory, then in those above."""


class PackageInstaller(NamedTuple):
    """A program that installs distributions, and how it is called."""

    name: str
    command: list[str]


def find_package_installer() -> PackageInstaller:
    """What installs a file into the environment of this interpreter.

    Raises:
        InstallExtensionError: when there is nothing.
    """
    if importlib.machinery.PathFinder.find_spec("pip", _list_module_paths()) is not None:
        options = ["--disable-pip-version-check", "--no-input", "--quiet"]
        # -P: not the pip of whoever made the working directory.
        return PackageInstaller("pip", [sys.executable, "-P", "-m", "pip", "install", *options])
    uv = _find_uv()
    if uv is not None:
        options = ["--quiet", "--python", sys.executable]
        return PackageInstaller("uv", [uv, "pip", "install", *options])
    raise InstallExtensionError(
        f"there is neither pip in {sys.prefix} nor uv on this machine",
        hint=f"{sys.executable} -m ensurepip, then try again",
    )


def run_package_installer(command: list[str], directory: Path, lock: int | None) -> str | None:
    """Run a program that installs; why it has failed, or None.

    Args:
        command: The program and its arguments, with absolute paths.
        directory: One of our own, where it runs.
        lock: What the program holds too: if this process is ended, nobody else installs before
            the program is done.

    Raises:
        OSError: when it cannot be started.
    """
    for name in UV_SETTINGS_FILES:
        # Empty: or else uv goes on to the directories above, which may be a stranger's.
        (directory / name).touch()
    try:
        done = subprocess.run(  # noqa: S603 - our own pip or uv, and a file with the right hash
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=directory,
            pass_fds=() if lock is None else (lock,),
            encoding="utf-8",
            errors="replace",
            timeout=INSTALL_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    return " ".join(lines[-3:])[:600]


def _list_module_paths() -> list[str]:
    """Where modules are looked for, without the working directory, which Python puts first."""
    first, *others = sys.path or [""]
    here = os.getcwd()  # noqa: PTH109 - as Python writes it on the path
    return [place for place in ([] if first == here else [first]) + others if place]


def _find_uv() -> str | None:
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    absolute = [place for place in places if Path(place).is_absolute()]
    found = shutil.which("uv", path=os.pathsep.join(absolute))
    # Windows looks in the working directory whatever the path says.
    return found if found is not None and Path(found).is_absolute() else None


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
    with lock_file(
        Path(get_data_directory()) / DOWNLOAD_FOLDER, seconds=INSTALL_TIMEOUT_SECONDS
    ) as lock:
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
            fetch_file(
                location, file, DownloadLimit(entry.size, FETCH_TIMEOUT_SECONDS), entry.sha256
            )
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
    return [
        f"its {key} is {shorten_repr(found[key])}, expected {shorten_repr(wanted[key])}"
        for key in differing
    ]


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
