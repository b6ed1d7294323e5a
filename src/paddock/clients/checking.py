"""Starting an entry as its client would, and speaking to it.

The command is the one in the client's file, in another directory than this, with the environment
that the client would give. A server that is slower than the client waits is as good as none.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from paddock.clients.secrets import mask_secrets, collect_secrets, mask_url
from paddock.clients.suiting import resolve_variables
from paddock.errors import ConnectError, PaddockError
from paddock.peer.connect import connect, connect_channel
from paddock.peer.process import ProcessChannel
from paddock.peer.settings import ConnectSettings
from paddock.version import __version__

if TYPE_CHECKING:
    from paddock.clients.client import Client
    from paddock.clients.shapes import ConfigEntry
    from paddock.peer.peer import Peer
    from paddock.peer.settings import Json

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


def _query_process(client: Client, entry: ConfigEntry, patience: float) -> tuple[str, tuple[str, ...]]:
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
