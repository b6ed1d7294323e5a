"""Installs extensions from catalogues. Trust level: execution.

Callers ask the user first. A file is downloaded, and its hash and content are compared with its
catalogue entry. Then pip or uv installs the distribution, or Paddock unpacks the paclet. No module,
program or setting in the working directory is used, because its files may be someone else's. The
user's other settings of pip and uv apply.
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

INSTALL_TIMEOUT_SECONDS = 900.0
UV_SETTINGS_FILES = ("uv.toml", "pyproject.toml")
"""Settings files that uv searches for in its working directory and the parent directories."""
FETCH_TIMEOUT_SECONDS = 600.0
DOWNLOAD_FOLDER = "downloads"
_UNSAFE_CHARACTERS = re.compile(r"[^\w.\-]")


class DistributionDependencies(NamedTuple):
    """The dependencies that are installed with a distribution if they are missing."""

    from_index: tuple[str, ...]
    """Requirements that the installer resolves in its package index."""
    from_urls: tuple[str, ...]
    """Names, with the URLs from the distribution's metadata."""


def select_dependencies(requires: Iterable[str]) -> DistributionDependencies:
    """Return the dependencies of a distribution that pip or uv would install on this machine.

    Requirements for extras and other platforms are omitted.

    Args:
        requires: The `Requires-Dist` headers of the distribution, such as `numpy>=2`. Invalid ones
            are included unchanged, so that the user sees them.
    """
    from_index: list[str] = []
    from_urls: list[str] = []
    for header in requires:
        try:
            requirement = Requirement(header)
        except InvalidRequirement:
            from_index.append(header)
            continue
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        if requirement.url is None:
            # The marker matches this machine, so it would only distract the user.
            requirement.marker = None
            from_index.append(str(requirement))
        else:
            from_urls.append(f"{requirement.name} from {requirement.url}")
    return DistributionDependencies(tuple(from_index), tuple(from_urls))


class PackageInstaller(NamedTuple):
    """A program that installs distributions, with the beginning of its command line."""

    name: str
    command: list[str]


def find_package_installer() -> PackageInstaller:
    """Return the command that installs packages: pip if this interpreter has it, otherwise uv.

    Raises:
        InstallExtensionError: Neither is available.
    """
    if importlib.machinery.PathFinder.find_spec("pip", _list_module_paths()) is not None:
        # Without --no-input, pip would prompt for credentials, but there is no terminal.
        options = ["--disable-pip-version-check", "--no-input", "--quiet"]
        # -P omits the working directory from `sys.path`, which could contain a module named "pip".
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
    """Run pip or uv, and wait for it to finish.

    Args:
        command: The program and its arguments, with absolute paths.
        directory: A private working directory.
        lock: A lock file descriptor that the program inherits. If this process is killed, the
            lock is held until the program has finished.

    Returns:
        None if the program succeeded, otherwise the last lines of its output.

    Raises:
        OSError: The program cannot be started.
    """
    for name in UV_SETTINGS_FILES:
        # Empty files end uv's search, which would continue in the parent directories.
        (directory / name).touch()
    try:
        completed = subprocess.run(  # noqa: S603 - pip or uv, with a file of verified hash
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
    if completed.returncode == 0:
        return None
    # pip and uv print the reason last, after their progress.
    lines = [line for line in completed.stdout.splitlines() if line.strip()]
    return " ".join(lines[-3:])[:600]


def _list_module_paths() -> list[str]:
    """Return `sys.path` without the working directory, which Python may insert first."""
    first, *other_paths = sys.path or [""]
    working_directory = os.getcwd()  # noqa: PTH109 - as Python writes it on the path
    return [path for path in ([] if first == working_directory else [first]) + other_paths if path]


def _find_uv() -> str | None:
    """Return the absolute path of uv, ignoring relative directories in PATH."""
    directories = os.environ.get("PATH", os.defpath).split(os.pathsep)
    absolute_directories = [directory for directory in directories if Path(directory).is_absolute()]
    program = shutil.which("uv", path=os.pathsep.join(absolute_directories))
    # On Windows, `shutil.which` searches the working directory first, regardless of the path.
    return program if program is not None and Path(program).is_absolute() else None


def describe_installation(entry: CatalogueEntry) -> list[str]:
    """Describe the steps that install an extension, so that the user can approve them.

    Returns:
        One line per step, such as `check that its SHA-256 is …`.

    Raises:
        PaddockError: The extension cannot be installed.
    """
    steps = [f"download {resolve_location(entry.url, entry.catalogue)} ({entry.size:,} bytes)"]
    steps.append(f"check that its SHA-256 is {entry.sha256}")
    if entry.kind == "paclet":
        return [*steps, f"unpack it into {_get_paclet_directory(entry)}"]
    tool = find_package_installer().name
    steps.append(f"install {entry.distribution} {entry.version} with {tool} into {sys.prefix}")
    dependencies = select_dependencies(entry.requires)
    if dependencies.from_index:
        requirements = ", ".join(dependencies.from_index)
        steps.append(f"and missing dependencies from {tool}'s index: {requirements}")
    steps += [f"and, if missing, {dependency}" for dependency in dependencies.from_urls]
    return steps


def require_install_permission() -> None:
    """Check that the user's settings allow extensions to be installed.

    Raises:
        InstallExtensionError: Installation is prohibited. The hint names the setting.
    """
    reason = find_install_prohibition()
    if reason is not None:
        raise InstallExtensionError(
            "installing extensions is disabled", hint=f"it is disabled by {reason}"
        )


def install_entry(entry: CatalogueEntry) -> bool:
    """Download the file of a catalogue entry, verify it and install the extension.

    If multiple processes install the same extension, the first does the work. The others wait and
    then find it installed.

    Returns:
        False if the extension was already installed.

    Raises:
        InstallExtensionError: Installation is prohibited, or pip or uv failed.
        HashMismatchError: The file does not match the catalogue. Nothing is installed.
        FetchError: The file cannot be downloaded.
        ArchiveError: The paclet archive is not safe to unpack.
    """
    require_install_permission()
    with lock_file(
        Path(get_data_directory()) / DOWNLOAD_FOLDER, seconds=INSTALL_TIMEOUT_SECONDS
    ) as lock:
        # Another process may have installed the extension while this one waited for the lock.
        clear_extension_caches()
        if discover_extension(entry.name).extensions:
            return False
        with _fetch_entry_file(entry) as file:
            if entry.kind == "paclet":
                unpack_archive(file, _get_paclet_directory(entry))
            else:
                _install_distribution(entry, file, lock)
        # The import system caches directory listings and would not find new packages.
        importlib.invalidate_caches()
        clear_extension_caches()
        if not discover_extension(entry.name).extensions:
            raise InstallExtensionError(
                f"{entry.distribution} was installed, but its extension {entry.name} was not found",
                hint="paddock extensions lists broken extensions",
                extension=entry.name,
            )
    return True


@contextmanager
def _fetch_entry_file(entry: CatalogueEntry) -> Iterator[Path]:
    """Download the file of a catalogue entry and verify it.

    The file is deleted when the `with` statement ends.

    Raises:
        HashMismatchError: The file or its content does not match the entry.
        FetchError: The file cannot be downloaded.
    """
    folder = Path(get_data_directory()) / DOWNLOAD_FOLDER
    # The caller holds the lock, so any existing files were left by a killed process.
    shutil.rmtree(folder, ignore_errors=True)
    with convert_os_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=folder) as temporary_directory:
            file = Path(temporary_directory) / entry.file
            location = resolve_location(entry.url, entry.catalogue)
            limit = DownloadLimit(entry.size, FETCH_TIMEOUT_SECONDS)
            fetch_file(location, file, limit, entry.sha256)
            _verify_content(entry, file, location)
            yield file
    finally:
        with suppress(OSError):
            folder.rmdir()


def _verify_content(entry: CatalogueEntry, file: Path, location: str) -> None:
    """Check that a downloaded file contains the extension that its catalogue entry describes.

    The user has agreed to the name, version, dependencies and items in the entry. A matching hash
    proves that this is the listed file, but not that the entry describes it correctly.

    Raises:
        HashMismatchError: The contents differ. The message lists the differences.
    """
    actual_entries = read_entries(file, entry.url)
    expected = _summarize_entry(entry)
    if expected in map(_summarize_entry, actual_entries):
        return
    same_name_entry = next(
        (candidate for candidate in actual_entries if candidate.name == entry.name), None
    )
    if same_name_entry is None:
        names = ", ".join(candidate.name for candidate in actual_entries)
        difference = f"contains {names}, and not {entry.name}"
    else:
        difference = "; ".join(_describe_differences(expected, _summarize_entry(same_name_entry)))
    raise HashMismatchError(
        f"does not match the catalogue: {difference}",
        where=location,
        hint="ask the publisher of the catalogue to rebuild it. Nothing was installed",
    )


def _describe_differences(expected: dict[str, object], actual: dict[str, object]) -> list[str]:
    different_keys = [key for key in expected if expected[key] != actual[key]]
    return [
        f"its {key} is {shorten_repr(actual[key])}, expected {shorten_repr(expected[key])}"
        for key in different_keys
    ]


def _summarize_entry(entry: CatalogueEntry) -> dict[str, object]:
    """Return the entry fields that the user has agreed to."""
    items: dict[str, object] = {
        kind: [item.name for item in entry.manifest.get_items(kind)] for kind in ITEM_KINDS
    }
    identity = {key: getattr(entry, key) for key in ("name", "kind", "version", "distribution")}
    return {**identity, "requires": list(entry.requires), **items}


def _get_paclet_directory(entry: CatalogueEntry) -> Path:
    name = _UNSAFE_CHARACTERS.sub("_", entry.name.replace("/", "__"))
    return Path(get_data_directory()) / PADDOCK_PACLET_FOLDER / f"{name}-{entry.version}"


def _install_distribution(entry: CatalogueEntry, file: Path, lock: int | None) -> None:
    """Install a downloaded wheel with pip or uv.

    Args:
        entry: The catalogue entry of the extension in the wheel.
        file: The wheel, in a private directory.
        lock: The descriptor of the lock file, which pip or uv inherits.

    Raises:
        InstallExtensionError: The program failed. The message contains the end of its output.
    """
    command = [*find_package_installer().command, str(file)]
    try:
        reason = run_package_installer(command, file.parent, lock)
    except OSError as error:
        reason = str(error)
    if reason is not None:
        raise InstallExtensionError(
            f"{entry.distribution} could not be installed: {reason}",
            hint="see the output above; the file itself matches the catalogue",
            extension=entry.name,
        )
