"""`paddock call`: call one tool of a server from a terminal.

Arguments are typed as text; the tool's input schema says what they stand for. Whether they are
right is left to the server.
"""

from __future__ import annotations

import re
from contextlib import suppress
from mimetypes import guess_extension
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click
import msgspec

from paddock.cli import completion, text_layout
from paddock.cli.errors import ArgumentError
from paddock.cli.target_options import (
    TargetCommand,
    build_connect_options,
    resolve_target,
    server_options,
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
    from paddock.client.peer import Peer
    from paddock.client.results import ToolResult

Json = dict[str, object]

ARGUMENT_PATTERN = re.compile(r"([^=]+?)(:?=)(.*)", re.DOTALL)
JSON_TYPES: dict[type, tuple[str, ...]] = {
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    dict: ("object",),
    list: ("array",),
    type(None): ("null",),
}
"""The names that JSON Schema has for the types of values; text stands for itself."""


@click.command(cls=TargetCommand)
@click.argument("target", shell_complete=completion.complete_servers)
@click.argument("tool")
@click.argument("pairs", nargs=-1, metavar="[KEY=VALUE | KEY:=JSON]...")
@click.option("--args", "document", metavar="JSON", help="Arguments as one JSON object.")
@click.option("--show", is_flag=True, help="Show every message that is sent and received.")
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write images, sound and binary resources to files in DIR.",
)
@server_options
@click.pass_context
def call(
    ctx: click.Context,
    target: str,
    tool: str,
    pairs: tuple[str, ...],
    *,
    document: str | None,
    show: bool,
    save: Path | None,
    era: str | None,
    timeout: float,
    headers: tuple[str, ...],
    token_env: str | None,
    allow_plain_http: bool,
    as_json: bool,
) -> None:
    """Call a TOOL of a server and print what it answers.

    TARGET is a named server, a Python file (server.py), an object in one (server.py:server), a
    directory, a URL, or a command line in quotes. A command can also stand at the end, after --, in
    place of TARGET.

    Values are read as the tool's schema says (numbers, true, false, JSON for lists and objects);
    with := they are read as JSON whatever it says.

    The exit code is 1 when the tool reports an error, and 2 when it could not be called.
    """
    given = _parse_document(document)
    options = build_connect_options(
        era, timeout, headers, token_env, allow_plain_http=allow_plain_http
    )
    options["tasks"] = True
    if show:
        options["record"] = Transcript(lambda message: _print_message(message, to_stderr=as_json))
    patience = _CallTimeout(timeout)
    options["on_progress"] = patience.renew
    with connect(resolve_target(ctx, target), **options) as peer:
        schema = _find_input_schema(peer, tool) if pairs else {}
        answer = _call_tool(peer, tool, {**given, **parse_arguments(pairs, schema)}, patience)
    if as_json:
        click.echo(text_layout.format_json(_to_json(answer)))
    else:
        for piece in answer.content:
            click.echo(text_layout.format_content(piece))
        if not answer.content and answer.structured is not None:
            click.echo(text_layout.format_json(answer.structured))
    if save is not None:
        for path in _save_files(answer, save):
            click.echo(f"Saved {path}", err=as_json)
    if answer.is_error:
        ctx.exit(1)


def parse_arguments(pairs: tuple[str, ...], schema: Json) -> Json:
    """The values of `KEY=VALUE` and `KEY:=JSON` arguments.

    Raises:
        ArgumentError: when one is neither, or its value does not fit the schema.
    """
    found: Json = {}
    for pair in pairs:
        match = ARGUMENT_PATTERN.fullmatch(pair)
        if match is None:
            raise ArgumentError(f"Expected KEY=VALUE or KEY:=JSON, got {pair!r}")
        key, operator, text = match.groups()
        if operator == ":=":
            found[key] = _parse_json(text, f"{key}:=")
        else:
            found[key] = _convert_value(key, text, schema)
    return found


def _convert_value(key: str, text: str, schema: Json) -> object:
    properties = schema.get("properties")
    described = properties.get(key) if isinstance(properties, dict) else None
    kinds = _find_accepted_types(described, schema, depth=0)
    if not kinds or kinds == {"string"}:
        return text
    is_word = text.lower() in ("true", "false", "null")
    try:
        value = msgspec.json.decode(text.lower() if is_word else text)
    except msgspec.DecodeError:
        value = text
    names = JSON_TYPES.get(type(value), ())
    if kinds.intersection(names):
        return value
    if isinstance(value, float) and value.is_integer() and "integer" in kinds:
        return int(value)
    if "string" in kinds:
        return text
    expected = " or ".join(sorted(kinds))
    raise ArgumentError(
        f"{key}: expected {expected}, got {text!r}", hint=f"{key}:=JSON sends any value"
    )


def _find_accepted_types(described: object, schema: Json, depth: int) -> set[str]:
    """The types that a parameter accepts; none at all when its schema does not say."""
    if not isinstance(described, dict) or depth > 16:
        return set()
    reference = described.get("$ref")
    if isinstance(reference, str):
        return _find_accepted_types(_resolve_reference(reference, schema), schema, depth + 1)
    if isinstance(described.get("enum"), list):
        return {name for value in described["enum"] for name in _get_type_names(value)}
    if "const" in described:
        return set(_get_type_names(described["const"]))
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(described.get(key), list):
            parts = (_find_accepted_types(part, schema, depth + 1) for part in described[key])
            return set().union(*parts)
    kind = described.get("type")
    return set(map(str, kind)) if isinstance(kind, list) else {str(kind)} if kind else set()


def _get_type_names(value: object) -> tuple[str, ...]:
    return JSON_TYPES.get(type(value), ("string",))


def _resolve_reference(reference: str, schema: Json) -> object:
    """What a reference inside the schema points to."""
    found: object = schema if reference.startswith("#") else None
    for part in reference.split("/")[1:]:
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _parse_document(text: str | None) -> Json:
    if text is None:
        return {}
    value = _parse_json(text, "--args")
    if not isinstance(value, dict):
        raise ArgumentError(f"--args: expected a JSON object, got {text!r:.60}")
    return value


def _parse_json(text: str, where: str) -> object:
    try:
        value: object = msgspec.json.decode(text)
    except msgspec.DecodeError as fault:
        raise ArgumentError(f"Not JSON: {text!r:.60}: {fault}", where=where) from None
    return value


def _find_input_schema(peer: Peer, name: str) -> Json:
    """A tool's input schema; an unknown tool is for the server to complain about."""
    return next((tool.input_schema for tool in peer.tools() if tool.name == name), {})


class _CallTimeout:
    """How long a call is waited for: so many seconds after each sign that somebody works at it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._deadline = 0.0

    def renew(self, _progress: object = None) -> None:
        """Take note of a sign of life."""
        self._deadline = monotonic() + self._seconds

    def wait_for_result(self, call: PendingCall) -> Json:
        """What a call gives.

        Raises:
            PeerTimeoutError: when nothing was heard for too long; the server is told to stop.
        """
        self.renew()
        while True:
            # A task is asked about all the time, and the call ends when no answer comes to that.
            rest = self._seconds if call.is_task else self._deadline - monotonic()
            try:
                return call.result(max(0.0, rest))
            except PeerTimeoutError as error:
                if call.is_task or monotonic() < self._deadline:
                    continue
                call.cancel("no answer in time")
                raise PeerTimeoutError(
                    f"No answer to {call.method} within {self._seconds:g} s",
                    hint="; ".join(filter(None, ["--timeout SECONDS waits longer", error.hint])),
                ) from None


def _call_tool(peer: Peer, name: str, values: Json, patience: _CallTimeout) -> ToolResult:
    try:
        call = peer.start("tools/call", {"name": name, "arguments": values})
        return parse_tool_result(patience.wait_for_result(call))
    except PeerError as error:
        known = [tool.name for tool in peer.tools()]
        if name in known:
            raise
        hint = f"the server has {', '.join(known)}" if known else "the server has no tools"
        raise ArgumentError(error.message, hint=hint) from None


def _print_message(message: TranscriptMessage, *, to_stderr: bool) -> None:
    with suppress(BrokenPipeError):  # whoever reads has enough; the last words will find out
        click.echo(text_layout.format_frame(message.frame, is_ours=message.is_ours), err=to_stderr)


def _to_json(answer: ToolResult) -> Json:
    shown: Json = {"content": answer.content, "isError": answer.is_error}
    if answer.structured is not None:
        shown["structuredContent"] = answer.structured
    if answer.meta:
        shown["_meta"] = answer.meta
    return shown


def _save_files(answer: ToolResult, folder: Path) -> list[Path]:
    """Write what is not text to files; where they are."""
    paths = []
    for number, piece in enumerate(answer.content, 1):
        if isinstance(piece, ImageContent | AudioContent):
            data, mime_type = piece.data, piece.mime_type
        elif isinstance(piece, EmbeddedResource) and isinstance(
            piece.resource, BlobResourceContents
        ):
            data, mime_type = piece.resource.blob, piece.resource.mime_type or ""
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
    # The standard library has no extension for the type that the protocol itself names for sound.
    return ".wav" if mime_type == "audio/wav" else guess_extension(mime_type) or ".bin"
