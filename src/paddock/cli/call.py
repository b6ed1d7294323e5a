"""The command `paddock call`, which calls one of a server's tools.

Arguments are converted from text to the types in the tool's input schema. The server validates
them.
"""

from __future__ import annotations

import re
from contextlib import suppress
from mimetypes import guess_extension
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Unpack

import click
import msgspec

from paddock.authoring.json_schema import TYPE_NAMES_BY_CLASS, find_accepted_types
from paddock.cli import completion, text_layout
from paddock.cli.errors import ArgumentError
from paddock.cli.message_text import format_content, format_frame
from paddock.cli.target_options import (
    TargetCommand,
    connection_options,
    resolve_target,
    select_given_options,
)
from paddock.client.connect import connect
from paddock.client.connect_options import Transcript, TranscriptMessage
from paddock.client.errors import PeerError, PeerTimeoutError
from paddock.client.results import parse_tool_result
from paddock.protocol.content import (
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
)

if TYPE_CHECKING:
    from paddock.client.calls import PendingCall
    from paddock.client.connect_options import ConnectOptions
    from paddock.client.peer import Peer
    from paddock.client.results import ToolResult

Json = dict[str, object]

ARGUMENT_PATTERN = re.compile(r"([^=]+?)(:?=)(.*)", re.DOTALL)


@click.command(cls=TargetCommand)
@click.argument("target", shell_complete=completion.complete_servers)
@click.argument("tool")
@click.argument("pairs", nargs=-1, metavar="[KEY=VALUE | KEY:=JSON]...")
@click.option("--args", "arguments_json", metavar="JSON", help="Arguments as one JSON object.")
@click.option("--show", is_flag=True, help="Print every message sent and received.")
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write images, audio and binary resources to files in DIR.",
)
@connection_options
@click.pass_context
def call(
    ctx: click.Context,
    target: str,
    tool: str,
    pairs: tuple[str, ...],
    *,
    arguments_json: str | None,
    show: bool,
    save: Path | None,
    as_json: bool,
    **connect_options: Unpack[ConnectOptions],
) -> None:
    """Call a TOOL of a server and print the result.

    TARGET is a named server, a Python file (server.py), an object in a file (server.py:server), a
    directory, a URL, or a command line in quotes. Instead of TARGET, a command line can follow --
    at the end.

    VALUE is converted to the type in the tool's schema: numbers, true, false, and JSON for lists
    and objects. KEY:=JSON is always parsed as JSON.

    The exit code is 1 if the tool reports an error, and 2 if it could not be called.
    """
    json_arguments = _parse_json_object(arguments_json)
    options = select_given_options(connect_options)
    options["tasks"] = True
    if show:
        options["record"] = Transcript(lambda message: _print_message(message, to_stderr=as_json))
    call_timeout = _CallTimeout(options["timeout"])
    options["on_progress"] = call_timeout.renew
    with connect(resolve_target(ctx, target), **options) as peer:
        # The tools only need to be listed if there are values to convert.
        schema = _find_input_schema(peer, tool) if pairs else {}
        result = _call_tool(
            peer, tool, {**json_arguments, **parse_arguments(pairs, schema)}, call_timeout
        )
    if as_json:
        click.echo(text_layout.format_json(_to_json(result)))
    else:
        for content in result.content:
            click.echo(format_content(content))
        if not result.content and result.structured is not None:
            click.echo(text_layout.format_json(result.structured))
    if save is not None:
        for path in _save_files(result, save):
            click.echo(f"Saved {path}", err=as_json)
    if result.is_error:
        ctx.exit(1)


def parse_arguments(pairs: tuple[str, ...], schema: Json) -> Json:
    """Parse the tool arguments given on the command line.

    For example, `city=Oslo days:=3` gives `{"city": "Oslo", "days": 3}`.

    Args:
        pairs: The arguments on the command line, each `KEY=VALUE` or `KEY:=JSON`.
        schema: The tool's input schema, which determines the type of each `VALUE`.

    Raises:
        ArgumentError: An argument has neither form, or its value does not match the schema.
    """
    arguments: Json = {}
    for pair in pairs:
        match = ARGUMENT_PATTERN.fullmatch(pair)
        if match is None:
            raise ArgumentError(f"Expected KEY=VALUE or KEY:=JSON, got {pair!r}")
        key, operator, text = match.groups()
        if operator == ":=":
            arguments[key] = _parse_json(text, f"{key}:=")
        else:
            arguments[key] = _convert_value(key, text, schema)
    return arguments


def _convert_value(key: str, text: str, schema: Json) -> object:
    """Convert an argument's value to a type that the tool's schema accepts for it.

    For example, `3` becomes a number if the schema accepts integers. If the schema does not
    restrict the type, or only accepts strings, the value remains text. The server validates the
    arguments again.

    Args:
        key: The name of the parameter.
        text: The value on the command line.
        schema: The tool's input schema.

    Raises:
        ArgumentError: The value cannot be converted to any of the accepted types.
    """
    properties = schema.get("properties")
    parameter_schema = properties.get(key) if isinstance(properties, dict) else None
    accepted_types = find_accepted_types(parameter_schema, schema)
    if not accepted_types or accepted_types == {"string"}:
        return text
    # `True` and `NULL` are accepted too, although JSON is case-sensitive.
    is_literal = text.lower() in ("true", "false", "null")
    try:
        value = msgspec.json.decode(text.lower() if is_literal else text)
    except msgspec.DecodeError:
        value = text
    value_types = TYPE_NAMES_BY_CLASS.get(type(value), ())
    if accepted_types.intersection(value_types):
        return value
    # In JSON Schema, 2.0 is an integer (validation specification, section 6.1.1).
    if isinstance(value, float) and value.is_integer() and "integer" in accepted_types:
        return int(value)
    if "string" in accepted_types:
        return text
    expected = " or ".join(sorted(accepted_types))
    raise ArgumentError(
        f"{key}: expected {expected}, got {text!r}", hint=f"{key}:=JSON sends any value"
    )


def _parse_json_object(text: str | None) -> Json:
    """Parse the value of `--args`, which must be a JSON object."""
    value = {} if text is None else _parse_json(text, "--args")
    if not isinstance(value, dict):
        raise ArgumentError(f"--args: expected a JSON object, got {text!r:.60}")
    return value


def _parse_json(text: str, where: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise ArgumentError(f"Not JSON: {text!r:.60}: {error}", where=where) from None


def _find_input_schema(peer: Peer, name: str) -> Json:
    """Return a tool's input schema.

    The schema of an unknown tool is empty. The server will reject the call.
    """
    return next((tool.input_schema for tool in peer.tools() if tool.name == name), {})


class _CallTimeout:
    """A call timeout that restarts with each progress notification.

    A tool that reports progress can therefore run for longer than the timeout.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._deadline = 0.0

    def renew(self, _progress: object = None) -> None:
        """Restart the timeout. The connection calls this for each progress notification."""
        self._deadline = monotonic() + self._seconds

    def wait_for_result(self, call: PendingCall) -> Json:
        """Wait for the server to answer a call, and return the result.

        Raises:
            PeerTimeoutError: The timeout elapsed without an answer or a progress notification. The
                call is then cancelled.
        """
        self.renew()
        while True:
            # A task is polled, and each poll has its own timeout, so a task may run for any time.
            wait_seconds = self._seconds if call.is_task else self._deadline - monotonic()
            try:
                return call.result(max(0.0, wait_seconds))
            except PeerTimeoutError as error:
                if call.is_task or monotonic() < self._deadline:
                    continue
                call.cancel("timeout")
                raise PeerTimeoutError(
                    f"No response to {call.method} within {self._seconds:g} s",
                    hint="; ".join(filter(None, ["--timeout SECONDS waits longer", error.hint])),
                ) from None


def _call_tool(peer: Peer, name: str, arguments: Json, call_timeout: _CallTimeout) -> ToolResult:
    """Call a tool on a server and return its result.

    If the call fails and the server lists no tool with this name, the error names the tools it
    does have.

    Raises:
        ArgumentError: The server has no such tool.
        PeerError: The call failed for another reason.
    """
    try:
        call = peer.start("tools/call", {"name": name, "arguments": arguments})
        return parse_tool_result(call_timeout.wait_for_result(call))
    except PeerError as error:
        tool_names = [tool.name for tool in peer.tools()]
        if name in tool_names:
            raise
        hint = (
            f"the server has {', '.join(tool_names)}" if tool_names else "the server has no tools"
        )
        raise ArgumentError(error.message, hint=hint) from None


def _print_message(message: TranscriptMessage, *, to_stderr: bool) -> None:
    """Print a protocol message that was sent or received. With `--show`, called for each one."""
    # This runs in the connection's thread, where a closed pipe must not end the connection. The
    # main thread handles the error when it prints the result.
    with suppress(BrokenPipeError):
        click.echo(
            format_frame(message.frame, is_from_client=message.is_from_client), err=to_stderr
        )


def _to_json(result: ToolResult) -> Json:
    """Convert a tool result to its JSON object in the protocol."""
    json_result: Json = {"content": result.content, "isError": result.is_error}
    if result.structured is not None:
        json_result["structuredContent"] = result.structured
    if result.meta:
        json_result["_meta"] = result.meta
    return json_result


def _save_files(result: ToolResult, folder: Path) -> list[Path]:
    """Write a result's images, audio and other binary content to files, and return the paths.

    The files are named after the content's position in the result, such as `1.png` and `3.wav`.

    Raises:
        ArgumentError: A file cannot be written.
    """
    paths = []
    for number, content in enumerate(result.content, 1):
        if isinstance(content, ImageContent | AudioContent):
            data, mime_type = content.data, content.mime_type
        elif isinstance(content, EmbeddedResource) and isinstance(
            content.resource, BlobResourceContents
        ):
            data, mime_type = content.resource.blob, content.resource.mime_type or ""
        else:
            continue
        path = folder / f"{number}{_guess_extension(mime_type)}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError as error:
            raise ArgumentError(f"Cannot write {path}: {error.strerror}") from None
        paths.append(path)
    return paths


def _guess_extension(mime_type: str) -> str:
    """Return the file extension for a MIME type, or `.bin` if it is unknown."""
    # The MCP specification uses audio/wav, but `mimetypes` only knows audio/x-wav.
    return ".wav" if mime_type == "audio/wav" else guess_extension(mime_type) or ".bin"
