"""Checks entries: starts them as their client would, and finds what is missing or broken.

Clients report little more than that a server failed, so `check_entry` runs the entry's command
outside the current directory, with the environment that the client would give it, and with the
client's timeout. The other functions find individual causes: missing tool requirements, an
unusable interpreter, or a server that no longer exists.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from paddock.client.connect import connect, connect_channel
from paddock.client.connect_options import ConnectSettings
from paddock.client.process import ProcessChannel
from paddock.errors import ConnectError, PaddockError
from paddock.extensions.errors import ExtensionError
from paddock.files import path_exists
from paddock.installer.entry_builder import find_started_server, has_server_name, resolve_variables
from paddock.installer.secret_masking import collect_secrets, mask_secrets, mask_url
from paddock.named_servers.api import get_server
from paddock.named_servers.names import OPTIONS_VARIABLE, ServerNotFoundError
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paddock.authoring.tool import Tool
    from paddock.client.connect_options import Json
    from paddock.client.peer import Peer
    from paddock.installer.client_app import Client
    from paddock.installer.entry_format import ConfigEntry
    from paddock.named_servers.named_server import NamedServer

MAX_CHECK_SECONDS = 60.0
"""The longest wait for an answer, even if the client would wait longer."""
MINIMAL_VARIABLES = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""The variables that are passed on by clients that do not pass on all of them."""
MINIMAL_WINDOWS_VARIABLES = (
    *("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PROCESSOR_ARCHITECTURE"),
    *("SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE"),
)
MINIMAL_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
"""The PATH of an application that was not started from a terminal."""
CHECK_CLIENT_NAME = "paddock-check"
"""The client name reported to servers behind a URL."""
VERSION_CHECK_TIMEOUT_SECONDS = 30.0
VERSION_SCRIPT = "import paddock.version as v; print(v.__version__)"


class CheckFailedError(PaddockError):
    """A server does not start, does not answer in time, or lacks a requirement."""

    code = "check-failed"


class EntryCheckResult(NamedTuple):
    """The answer of a server that was started or contacted as its client would."""

    seconds: float
    """The time from the start to the list of tools."""
    server: str
    """The name and version that the server reports."""
    tools: tuple[str, ...]
    """The names of its tools."""


def check_entry(client: Client, entry: ConfigEntry) -> EntryCheckResult:
    """Start an entry's server as its client would, or connect to its URL, and list its tools.

    Raises:
        CheckFailedError: The server fails, or takes longer than the client waits.
    """
    timeout = min(client.patience, MAX_CHECK_SECONDS)
    variables = resolve_variables(client, entry)
    secrets = collect_secrets({"env": variables, "headers": dict(entry.headers)})
    start = monotonic()
    try:
        if entry.url is not None:
            server, tools = _query_url(entry, timeout)
        else:
            server, tools = _query_process(client, entry, timeout)
    except PaddockError as error:
        # Secrets are masked, because an error message can quote the server's output.
        raise CheckFailedError(
            _mask_text(f"{_describe_entry_target(entry)}: {error.message}", entry, secrets),
            hint=_mask_text(_suggest_fix(entry, error.hint), entry, secrets),
        ) from None
    seconds = monotonic() - start
    if seconds > timeout:
        raise CheckFailedError(
            f"{_describe_entry_target(entry)} took {seconds:.1f} s to start; "
            f"{client.name} waits {timeout:g} s",
            hint="import slow modules inside the tools that need them",
        )
    return EntryCheckResult(seconds, server, tools)


def build_client_environment(client: Client, entry: ConfigEntry) -> dict[str, str]:
    """Return the complete environment that a client gives to an entry's server."""
    variables = resolve_variables(client, entry)
    if client.environment == "all":
        return {**os.environ, **variables}
    names = MINIMAL_WINDOWS_VARIABLES if sys.platform == "win32" else MINIMAL_VARIABLES
    inherited = {name: os.environ[name] for name in names if name in os.environ}
    # Applications started from the desktop have the system's PATH, not that of the user's shell.
    if sys.platform != "win32":
        inherited["PATH"] = MINIMAL_PATH
    return {**inherited, **variables}


def _query_process(
    client: Client, entry: ConfigEntry, timeout: float
) -> tuple[str, tuple[str, ...]]:
    """Run an entry's command, and return the server's name and tools.

    The server is started in an empty directory. One that depends on the current directory fails,
    as it would in the client. Error messages include the end of the server's error output.
    """
    command = [entry.command or "", *entry.args]
    # Cleanup errors are ignored, because on Windows, the process can still hold the
    # directory for a moment after it has ended.
    with tempfile.TemporaryDirectory(prefix="paddock-", ignore_cleanup_errors=True) as directory:
        settings = ConnectSettings(timeout=timeout, cwd=directory, stderr="capture")
        channel = ProcessChannel(command, settings, build_client_environment(client, entry))
        try:
            with connect_channel(channel, settings) as peer:
                return _query_tools(peer)
        except PaddockError as error:
            stderr = channel.format_stderr_tail()
            if stderr and stderr not in error.message:
                raise ConnectError(error.message + stderr, hint=error.hint) from None
            raise


def _query_url(entry: ConfigEntry, timeout: float) -> tuple[str, tuple[str, ...]]:
    headers = dict(entry.headers)
    client_info: Json = {"name": CHECK_CLIENT_NAME, "version": __version__}
    with connect(str(entry.url), timeout=timeout, headers=headers, client_info=client_info) as peer:
        return _query_tools(peer)


def _query_tools(peer: Peer) -> tuple[str, tuple[str, ...]]:
    """Return the name and version that a server reports, and the names of its tools."""
    info = peer.server_info
    server = " ".join(str(info[part]) for part in ("name", "version") if part in info)
    has_tools = "tools" in peer.server_capabilities
    return server, tuple(tool.name for tool in peer.tools()) if has_tools else ()


def _mask_text(text: str, entry: ConfigEntry, secrets: tuple[str, ...]) -> str:
    if entry.url is not None:
        text = text.replace(entry.url, mask_url(entry.url))
    return mask_secrets(text, secrets)


def _describe_entry_target(entry: ConfigEntry) -> str:
    if entry.url is not None:
        return f"the server at {mask_url(entry.url)}"
    return f"the command `{shlex.join([entry.command or '', *entry.args])}`"


def _suggest_fix(entry: ConfigEntry, hint: str | None) -> str:
    if entry.url is not None:
        return hint or "start the server first, or skip the check with --no-check"
    return "run the command in a terminal to see the problem, or skip the check with --no-check"


class MissingRequirement(NamedTuple):
    """A tool requirement, such as a program, that is not met in the client's environment."""

    tools: tuple[str, ...]
    """The names of the tools."""
    description: str
    is_required: bool
    """False if the tools work without it, but with limited functionality."""

    @property
    def note(self) -> str:
        """A sentence for the user about the tools and what they lack."""
        effect = "will not work" if self.is_required else "will be limited"
        return f"{' and '.join(self.tools)} {effect}: {self.description}"


def find_missing_requirements(
    client: Client, server: NamedServer | None, entry: ConfigEntry
) -> list[MissingRequirement]:
    """Return the requirements of a named server's tools that a client's environment lacks.

    A requirement, such as a program or an environment variable, can be met in the user's shell
    and missing in the environment that the client gives to the server. The list is empty for URLs
    and for servers that are not named, whose tools are not known here.
    """
    if entry.url is not None or server is None:
        return []
    try:
        loaded_server = server.load()
    except PaddockError:
        return []  # reported by the check of the server itself
    options = entry.env.get(OPTIONS_VARIABLE)
    if options:
        loaded_server.set_tool_options(json.loads(options))
    return _group_missing_requirements(loaded_server.tools, build_client_environment(client, entry))


def check_requirements(missing: Iterable[MissingRequirement]) -> None:
    """Raise an error if a tool lacks a requirement that it cannot work without.

    Raises:
        CheckFailedError: A mandatory requirement is missing. Others are ignored.
    """
    for requirement in missing:
        if requirement.is_required:
            raise CheckFailedError(
                requirement.note,
                hint="if a variable is missing, --env NAME makes the client pass it on; "
                "--no-check installs anyway",
            )


def _group_missing_requirements(
    tools: Iterable[Tool], environment: dict[str, str]
) -> list[MissingRequirement]:
    """Return each missing requirement once, with the names of all tools that need it.

    Args:
        tools: The tools of the server.
        environment: The environment variables that the client passes to the server.
    """
    tool_names: dict[tuple[str, bool], list[str]] = {}
    for tool in tools:
        description = _describe_missing(tool, environment)
        if description and tool.needs:
            tool_names.setdefault((description, tool.needs.is_required), []).append(tool.name)
    return [
        MissingRequirement(tuple(names), description, is_required)
        for (description, is_required), names in tool_names.items()
    ]


def _describe_missing(tool: Tool, environment: dict[str, str]) -> str:
    """Return a description of the requirement that a tool lacks, or "" if nothing is missing."""
    if tool.needs is None:
        return ""
    try:
        return tool.needs.missing(tool.option_values, environment)
    except Exception as error:  # noqa: BLE001 - the function is the tool author's
        return f"its requirements cannot be checked: {type(error).__name__}: {error}"


class EntryProblem(NamedTuple):
    """A reason why the server of a client's entry does not, or may not, start."""

    message: str
    remedy: str = ""
    """Empty if installing the entry again fixes the problem."""
    is_fatal: bool = True
    """True if the server cannot start."""


def find_interpreter_problems(client: Client, entry: ConfigEntry) -> Iterator[EntryProblem]:
    """Yield the reasons why an entry's program cannot start this version of Paddock.

    The program is usually a Python interpreter, which may have been moved or upgraded.
    """
    if entry.url is not None or entry.command is None:
        return
    program = Path(entry.command)
    if not program.is_absolute():
        message = (
            f"the path of the command {entry.command!r} is relative; the client may not find it"
        )
        yield EntryProblem(message, is_fatal=False)
        return
    if not path_exists(program):
        yield EntryProblem(f"{program} no longer exists")
        return
    if program.is_dir() or not os.access(program, os.X_OK):
        yield EntryProblem(f"{program} is not executable")
        return
    if "-m" in entry.args and "paddock" in entry.args:
        yield from _find_version_problems(client, entry)


def _find_version_problems(client: Client, entry: ConfigEntry) -> Iterator[EntryProblem]:
    """Yield a problem if an entry's Python interpreter cannot import this version of Paddock.

    The interpreter is run with a script that prints the version.
    """
    # With -P, Python does not import modules from the working directory, which is also a new
    # private directory, so that no other user can provide the modules.
    flags = ["-P", *entry.args[: entry.args.index("-m")]]
    try:
        with tempfile.TemporaryDirectory(
            prefix="paddock-", ignore_cleanup_errors=True
        ) as private_directory:
            completed = subprocess.run(  # noqa: S603 - the user has installed this program
                [str(entry.command), *flags, "-c", VERSION_SCRIPT],
                capture_output=True,
                cwd=private_directory,
                env=build_client_environment(client, entry),
                timeout=VERSION_CHECK_TIMEOUT_SECONDS,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        yield EntryProblem(f"{entry.command} cannot be run: {error}")
        return
    version = completed.stdout.decode(errors="replace").strip()
    if completed.returncode != 0:
        last_line = completed.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        yield EntryProblem(f"{entry.command} cannot import Paddock: {last_line}")
    elif version != __version__:
        message = (
            f"{entry.command} has Paddock {version}, but {sys.executable} has Paddock {__version__}"
        )
        yield EntryProblem(message, is_fatal=False)


def find_server_problems(entry: ConfigEntry) -> Iterator[EntryProblem]:
    """Yield the reasons why an entry's server cannot be loaded.

    For example, it has been deleted, or its definition is invalid. Loading it runs its code.
    """
    name = None if entry.url is not None else find_started_server(entry)
    if name is None:
        return
    if not has_server_name(entry):
        path = name if path_exists(Path(name)) else name.rpartition(":")[0] or name
        if not path_exists(Path(path)):
            yield EntryProblem(f"{path} no longer exists", "restore it, or uninstall the entry")
        return
    try:
        server = get_server(name)
    except (ServerNotFoundError, ExtensionError) as error:
        message = f"the server {name!r} no longer exists"
        yield EntryProblem(message, error.hint or "create it again, or uninstall the entry")
        return
    try:
        server.load()
    except PaddockError as error:
        remedy = error.hint or f"fix its definition: paddock edit {name}"
        yield EntryProblem(f"the server {name!r} cannot be loaded: {error.message}", remedy)
