"""Connections to servers outside this process, by command, file, directory, URL or channel.

`paddock.connector` adds servers in this process, because that requires the serving package.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Protocol, Unpack, runtime_checkable

from paddock.client.callbacks import ServerMessageRouter, answer_request, make_notification_callback
from paddock.client.connect_options import ConnectOptions, ConnectSettings, Transcript
from paddock.client.connection import ByteChannel, ClientConnection
from paddock.client.handshake import Handshake, RequestMetaBuilder
from paddock.client.notifications import NotificationQueue
from paddock.client.peer import OpenConnection, Peer
from paddock.client.process import ProcessChannel
from paddock.errors import ConnectError

ServerCommand = str | PathLike[str] | Sequence[str]
"""A command as a list, a command line, a Python file, `file.py:object`, a directory or a URL."""

URL_SCHEMES = ("http://", "https://")
URL_OPTIONS = ("token", "headers", "verify", "allow_plain_http")
DEFAULT_SETTINGS = ConnectSettings()


@runtime_checkable
class AttachableChannel(Protocol):
    """A channel that also reports failed requests to its connection.

    Only `HttpChannel` does this. This protocol is used instead of that class, because importing
    the class requires the packages of an extra.
    """

    def attach(self, owner: ClientConnection) -> None:
        """Set the connection to which failed requests are reported."""


def connect(target: ServerCommand, **options: Unpack[ConnectOptions]) -> Peer:
    """Connect to a server, starting it unless it is given as a URL.

    The keyword arguments are described by `ConnectOptions`.

    Raises:
        ConnectError: The server cannot be started or reached, or does not answer.
    """
    settings = ConnectSettings(**options)
    if is_server_url(target):
        return connect_channel(_open_http_channel(str(target), settings), settings)
    for option in URL_OPTIONS:
        if getattr(settings, option) != getattr(DEFAULT_SETTINGS, option):
            raise ConnectError(f"The option {option} applies only to servers with a URL")
    channel = ProcessChannel(build_command(target), settings)
    return connect_channel(channel, settings)


def is_server_url(target: object) -> bool:
    """Return whether a target is a server URL."""
    return isinstance(target, str) and target.lower().startswith(URL_SCHEMES)


def _open_http_channel(url: str, settings: ConnectSettings) -> ByteChannel:
    """Open a channel to the server at a URL.

    Raises:
        ConnectError: The packages of the extra `paddock[http]` are not installed.
    """
    try:
        from paddock.client.http.channel import HttpChannel  # noqa: PLC0415 - an extra, and not small
    except ImportError as error:
        raise ConnectError(
            f"Cannot connect to URLs: {error}", hint="install the extra: paddock[http]"
        ) from None
    return HttpChannel(url, settings)


def connect_channel(channel: ByteChannel, settings: ConnectSettings) -> Peer:
    """Perform the handshake with a server over an open channel, and return its client.

    Args:
        channel: A byte stream to and from the server. The returned peer owns and closes it.
        settings: The connection settings.

    Raises:
        ConnectError: The handshake failed. The channel is then closed.
    """
    # The setting is either a transcript to append to, or whether to record one at all.
    record = settings.record
    transcript = record if isinstance(record, Transcript) else Transcript()
    is_recorded = record is not False
    explain_end = channel.explain_end if isinstance(channel, ProcessChannel) else None
    connection = ClientConnection(channel, transcript if is_recorded else None, explain_end)
    if isinstance(channel, AttachableChannel):
        channel.attach(connection)
        # Until the version is known, a request is cancelled by closing its response.
        connection.cancels_by_closing = True
    notification_queue = NotificationQueue(make_notification_callback(settings))
    router = ServerMessageRouter(connection, settings, notification_queue)
    connection.start(router)
    try:
        handshake_result = Handshake(connection, notification_queue, settings).perform()
    except BaseException:  # Also KeyboardInterrupt: a started process must not stay behind.
        connection.close()
        raise
    meta_builder = RequestMetaBuilder(settings, handshake_result.version)
    # The handshake has chosen the version, which determines whether the server may send requests
    # and how requests are cancelled.
    router.accepts_requests = not meta_builder.is_stateless
    is_stateless_http = connection.cancels_by_closing and meta_builder.is_stateless
    connection.cancels_by_closing = is_stateless_http
    open_connection = OpenConnection(
        connection,
        notification_queue,
        meta_builder,
        partial(answer_request, settings),
        transcript,
        mirrors_arguments=is_stateless_http,
    )
    return Peer(open_connection, handshake_result, settings.timeout)


def build_command(target: ServerCommand) -> list[str]:
    """Return the command that starts a server, as a list of words.

    Args:
        target: The path of a file or directory to serve, a command line, or a list of words.

    Raises:
        ConnectError: The target is empty, or a file that does not exist.
    """
    if isinstance(target, str):
        return _parse_command_text(target)
    if isinstance(target, PathLike):
        return _build_serve_command(os.fspath(target))
    command = [os.fspath(word) for word in target]
    if not command:
        raise ConnectError("The command is empty")
    return command


def _parse_command_text(text: str) -> list[str]:
    """Return the command that starts a server, given as a string.

    The string may be a path, `file.py:object` or a command line.

    Raises:
        ConnectError: The string is empty, malformed, or a file that does not exist.
    """
    if not text.strip():
        raise ConnectError("The command is empty")
    file, _, name = text.rpartition(":")
    if file.endswith(".py") and name.isidentifier():
        return _build_serve_command(file, name)
    if _is_file_or_directory(text):
        return _build_serve_command(text)
    try:
        command = shlex.split(text, posix=os.name == "posix")
    except ValueError as error:
        raise ConnectError(f"Not a command line: {text!r}: {error}") from None
    if len(command) == 1 and text.endswith(".py"):
        raise ConnectError(f"No such file: {text}")
    return command


def _is_file_or_directory(text: str) -> bool:
    try:
        return Path(text).is_dir() or (text.endswith((".py", ".toml")) and Path(text).is_file())
    except (OSError, ValueError):  # A command line may be too long for a path, or not a valid one.
        return False


def _build_serve_command(path: str, name: str | None = None) -> list[str]:
    if not Path(path).exists():
        raise ConnectError(f"No such file: {path}")
    absolute = str(Path(path).absolute())
    target = absolute if name is None else f"{absolute}:{name}"
    return [sys.executable, "-P", "-m", "paddock", "serve", target]
