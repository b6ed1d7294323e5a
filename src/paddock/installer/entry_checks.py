"""Starting an entry as its client would, and speaking to it.

The command is the one in the client's file, in another directory than this, with the environment
that the client would give. A server that is slower than the client waits is as good as none.

What the tools of a server need that is not there where a client would start it.

Whether the program of an entry can be started, and has this Paddock in it.

Asked before an entry is started as a whole, since a client says nothing but that it failed.

Whether the server that an entry starts is still there, and whole.
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
"""Seconds that we wait at most, however patient the client is."""
MINIMAL_VARIABLES = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""The variables that clients pass which do not pass all of theirs."""
MINIMAL_WINDOWS_VARIABLES = (
    *("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PROCESSOR_ARCHITECTURE"),
    *("SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE"),
)
MINIMAL_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
"""What an application has that was not started from a terminal."""


CHECK_CLIENT_NAME = "paddock-check"
"""What we call ourselves to a server that is only checked."""


class CheckFailedError(PaddockError):
    """An entry does not start, or does not answer as its client needs it."""

    code = "check-failed"


class EntryCheckResult(NamedTuple):
    """What a server said that was started or called as its client does it."""

    seconds: float
    """From the start to the list of tools."""
    server: str
    """The name and version that it gives itself."""
    tools: tuple[str, ...]


def check_entry(client: Client, entry: ConfigEntry) -> EntryCheckResult:
    """Start an entry as a client would, or call its URL, and ask for its tools.

    Raises:
        CheckFailedError: when that fails or takes longer than the client waits.
    """
    patience = min(client.patience, MAX_CHECK_SECONDS)
    given = resolve_variables(client, entry)
    secrets = collect_secrets({"env": given, "headers": dict(entry.headers)})
    start = monotonic()
    try:
        if entry.url is not None:
            server, tools = _query_url(entry, patience)
        else:
            server, tools = _query_process(client, entry, patience)
    except PaddockError as error:
        raise CheckFailedError(
            _mask_text(f"{_describe_entry_target(entry)}: {error.message}", entry, secrets),
            hint=_mask_text(_suggest_fix(entry, error.hint), entry, secrets),
        ) from None
    seconds = monotonic() - start
    if seconds > patience:
        raise CheckFailedError(
            f"{_describe_entry_target(entry)} took {seconds:.1f} s; {client.name} waits for {patience:g} s",
            hint="import what is slow inside of the tools that need it",
        )
    return EntryCheckResult(seconds, server, tools)


def build_client_environment(client: Client, entry: ConfigEntry) -> dict[str, str]:
    """The whole environment that a client gives to the server of an entry."""
    given = resolve_variables(client, entry)
    if client.environment == "all":
        return {**os.environ, **given}
    names = MINIMAL_WINDOWS_VARIABLES if sys.platform == "win32" else MINIMAL_VARIABLES
    few = {name: os.environ[name] for name in names if name in os.environ}
    if sys.platform != "win32":
        few["PATH"] = MINIMAL_PATH
    return {**few, **given}


def _query_process(
    client: Client, entry: ConfigEntry, patience: float
) -> tuple[str, tuple[str, ...]]:
    command = [entry.command or "", *entry.args]
    with tempfile.TemporaryDirectory(prefix="paddock-", ignore_cleanup_errors=True) as elsewhere:
        settings = ConnectSettings(timeout=patience, cwd=elsewhere, stderr="capture")
        channel = ProcessChannel(command, settings, build_client_environment(client, entry))
        try:
            with connect_channel(channel, settings) as peer:
                return _query_tools(peer)
        except PaddockError as error:
            words = channel.format_stderr_tail()
            if words and words not in error.message:
                raise ConnectError(error.message + words, hint=error.hint) from None
            raise


def _query_url(entry: ConfigEntry, patience: float) -> tuple[str, tuple[str, ...]]:
    headers = dict(entry.headers)
    who: Json = {"name": CHECK_CLIENT_NAME, "version": __version__}
    with connect(str(entry.url), timeout=patience, headers=headers, client_info=who) as peer:
        return _query_tools(peer)


def _query_tools(peer: Peer) -> tuple[str, tuple[str, ...]]:
    info = peer.server_info
    name = " ".join(str(info[part]) for part in ("name", "version") if part in info)
    has_tools = "tools" in peer.server_capabilities
    return name, tuple(tool.name for tool in peer.tools()) if has_tools else ()


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
        return hint or "start the server there first, or leave out the check"
    return "run the command in a terminal to see what is wrong, or leave out the check"


class MissingRequirement(NamedTuple):
    """Something that tools need and do not have."""

    tools: tuple[str, ...]
    text: str
    is_required: bool

    @property
    def note(self) -> str:
        """What to tell whoever installs the server all the same."""
        how = "will have no effect" if self.is_required else "could do more"
        return f"{' and '.join(self.tools)} {how}: {self.text}"


def find_missing_requirements(
    client: Client, server: NamedServer | None, entry: ConfigEntry
) -> list[MissingRequirement]:
    """What is missing for a server that a client starts; of others nothing is known here."""
    if entry.url is not None or server is None:
        return []
    try:
        loaded = server.load()
    except PaddockError:
        return []  # which is told by whoever checks the server itself
    given = entry.env.get(OPTIONS_VARIABLE)
    if given:
        loaded.set_tool_options(json.loads(given))
    return _group_missing_requirements(loaded.tools, build_client_environment(client, entry))


def check_requirements(found: Iterable[MissingRequirement]) -> None:
    """Make sure that every tool has what it cannot work without.

    Raises:
        CheckFailedError: when one has not.
    """
    for one in found:
        if one.is_required:
            raise CheckFailedError(
                one.note,
                hint="where a variable is missing, --env NAME has the client pass it on; "
                "--no-check installs all the same",
            )


def _group_missing_requirements(
    tools: Iterable[Tool], environment: dict[str, str]
) -> list[MissingRequirement]:
    """What is missing, each once, with all tools that need it."""
    found: dict[tuple[str, bool], list[str]] = {}
    for tool in tools:
        text = _describe_missing(tool, environment)
        if text and tool.needs:
            found.setdefault((text, tool.needs.is_required), []).append(tool.name)
    return [MissingRequirement(tuple(names), text, flag) for (text, flag), names in found.items()]


def _describe_missing(tool: Tool, environment: dict[str, str]) -> str:
    if tool.needs is None:
        return ""
    try:
        return tool.needs.missing(tool.option_values, environment)
    except Exception as error:  # noqa: BLE001 - whatever the author's function does
        return f"What it needs cannot be found out: {type(error).__name__}: {error}"


VERSION_CHECK_TIMEOUT_SECONDS = 30.0
VERSION_SCRIPT = "import paddock.version as v; print(v.__version__)"


class EntryProblem(NamedTuple):
    """What is wrong with an entry."""

    message: str
    remedy: str = ""
    """Empty: installing again helps."""
    is_fatal: bool = True
    """Whether the server cannot work with it."""


def find_interpreter_problems(client: Client, entry: ConfigEntry) -> Iterator[EntryProblem]:
    """What keeps the program of an entry from starting Paddock, or this version of it."""
    if entry.url is not None or entry.command is None:
        return
    program = Path(entry.command)
    if not program.is_absolute():
        message = f"the command {entry.command!r} is not absolute: the client may not find it"
        yield EntryProblem(message, is_fatal=False)
        return
    if not path_exists(program):
        yield EntryProblem(f"there is no {program} any more")
        return
    if program.is_dir() or not os.access(program, os.X_OK):
        yield EntryProblem(f"{program} cannot be executed")
        return
    if "-m" in entry.args and "paddock" in entry.args:
        yield from _find_version_problems(client, entry)


def _find_version_problems(client: Client, entry: ConfigEntry) -> Iterator[EntryProblem]:
    # Without -P, and in a directory that others write to, Python would import what stands there.
    flags = ["-P", *entry.args[: entry.args.index("-m")]]
    try:
        with tempfile.TemporaryDirectory(prefix="paddock-", ignore_cleanup_errors=True) as private:
            ran = subprocess.run(  # noqa: S603 - the user has installed this program
                [str(entry.command), *flags, "-c", VERSION_SCRIPT],
                capture_output=True,
                cwd=private,
                env=build_client_environment(client, entry),
                timeout=VERSION_CHECK_TIMEOUT_SECONDS,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        yield EntryProblem(f"{entry.command} cannot be run: {error}")
        return
    found = ran.stdout.decode(errors="replace").strip()
    if ran.returncode != 0:
        last = ran.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        yield EntryProblem(f"{entry.command} cannot import Paddock: {last}")
    elif found != __version__:
        message = f"{entry.command} has Paddock {found}; this is {__version__} in {sys.executable}"
        yield EntryProblem(message, is_fatal=False)


def find_server_problems(entry: ConfigEntry) -> Iterator[EntryProblem]:
    """Why the server of an entry cannot be served, if so."""
    name = None if entry.url is not None else find_started_server(entry)
    if name is None:
        return
    if not has_server_name(entry):
        path = name if path_exists(Path(name)) else name.rpartition(":")[0] or name
        if not path_exists(Path(path)):
            yield EntryProblem(
                f"there is no {path} any more", "put it back, or uninstall the entry"
            )
        return
    try:
        server = get_server(name)
    except (ServerNotFoundError, ExtensionError) as error:
        message = f"the server {name!r} does not exist any more"
        yield EntryProblem(message, error.hint or "create it again, or uninstall the entry")
        return
    try:
        server.load()
    except PaddockError as error:
        remedy = error.hint or f"mend its definition: paddock edit {name}"
        yield EntryProblem(f"the server {name!r} is broken: {error.message}", remedy)
