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

from paddock.clients.secrets import masked, secrets_in, shown_url
from paddock.clients.suiting import variables_given
from paddock.errors import ConnectError, PaddockError
from paddock.peer.connect import connect, connect_channel
from paddock.peer.process import ProcessChannel
from paddock.peer.settings import Settings
from paddock.version import __version__

if TYPE_CHECKING:
    from paddock.clients.client import Client
    from paddock.clients.shapes import Entry
    from paddock.peer.peer import Peer
    from paddock.peer.settings import Json

LONGEST = 60.0
"""Seconds that we wait at most, however patient the client is."""
FEW = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""The variables that clients pass which do not pass all of theirs."""
FEW_ON_WINDOWS = (
    *("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PROCESSOR_ARCHITECTURE"),
    *("SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE"),
)
PLAIN_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
"""What an application has that was not started from a terminal."""


CHECKER = "paddock-check"
"""What we call ourselves to a server that is only checked."""


class CheckFailedError(PaddockError):
    """An entry does not start, or does not answer as its client needs it."""

    code = "check-failed"


class Answer(NamedTuple):
    """What a server said that was started or called as its client does it."""

    seconds: float
    """From the start to the list of tools."""
    server: str
    """The name and version that it gives itself."""
    tools: tuple[str, ...]


def check_entry(client: Client, entry: Entry) -> Answer:
    """Start an entry as a client would, or call its URL, and ask for its tools.

    Raises:
        CheckFailedError: when that fails or takes longer than the client waits.
    """
    patience = min(client.patience, LONGEST)
    given = variables_given(client, entry)
    secrets = secrets_in({"env": given, "headers": dict(entry.headers)})
    start = monotonic()
    try:
        if entry.url is not None:
            server, tools = _called(entry, patience)
        else:
            server, tools = _started(client, entry, patience)
    except PaddockError as error:
        raise CheckFailedError(
            _clean(f"{_what(entry)}: {error.message}", entry, secrets),
            hint=_clean(_advice(entry, error.hint), entry, secrets),
        ) from None
    seconds = monotonic() - start
    if seconds > patience:
        raise CheckFailedError(
            f"{_what(entry)} took {seconds:.1f} s; {client.name} waits for {patience:g} s",
            hint="import what is slow inside of the tools that need it",
        )
    return Answer(seconds, server, tools)


def environment_for(client: Client, entry: Entry) -> dict[str, str]:
    """The whole environment that a client gives to the server of an entry."""
    given = variables_given(client, entry)
    if client.environment == "all":
        return {**os.environ, **given}
    names = FEW_ON_WINDOWS if sys.platform == "win32" else FEW
    few = {name: os.environ[name] for name in names if name in os.environ}
    if sys.platform != "win32":
        few["PATH"] = PLAIN_PATH
    return {**few, **given}


def _started(client: Client, entry: Entry, patience: float) -> tuple[str, tuple[str, ...]]:
    command = [entry.command or "", *entry.args]
    with tempfile.TemporaryDirectory(prefix="paddock-", ignore_cleanup_errors=True) as elsewhere:
        settings = Settings(timeout=patience, cwd=elsewhere, stderr="capture")
        channel = ProcessChannel(command, settings, environment_for(client, entry))
        try:
            with connect_channel(channel, settings) as peer:
                return _asked(peer)
        except PaddockError as error:
            words = channel.last_words()
            if words and words not in error.message:
                raise ConnectError(error.message + words, hint=error.hint) from None
            raise


def _called(entry: Entry, patience: float) -> tuple[str, tuple[str, ...]]:
    headers = dict(entry.headers)
    who: Json = {"name": CHECKER, "version": __version__}
    with connect(str(entry.url), timeout=patience, headers=headers, client_info=who) as peer:
        return _asked(peer)


def _asked(peer: Peer) -> tuple[str, tuple[str, ...]]:
    info = peer.server_info
    name = " ".join(str(info[part]) for part in ("name", "version") if part in info)
    has_tools = "tools" in peer.server_capabilities
    return name, tuple(tool.name for tool in peer.tools()) if has_tools else ()


def _clean(text: str, entry: Entry, secrets: tuple[str, ...]) -> str:
    if entry.url is not None:
        text = text.replace(entry.url, shown_url(entry.url))
    return masked(text, secrets)


def _what(entry: Entry) -> str:
    if entry.url is not None:
        return f"the server at {shown_url(entry.url)}"
    return f"the command `{shlex.join([entry.command or '', *entry.args])}`"


def _advice(entry: Entry, hint: str | None) -> str:
    if entry.url is not None:
        return hint or "start the server there first, or leave out the check"
    return "run the command in a terminal to see what is wrong, or leave out the check"
