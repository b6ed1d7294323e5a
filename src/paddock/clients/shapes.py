"""What one server looks like in the file of a client: written, and read back.

A shape is data: two forms, one for a program to start and one for an address, in which constants
stand as they are and slots stand for what belongs to the server. The same forms serve for reading,
beside others that the client takes as well. Where the entry stands is the business of the table.
Nothing is written that has no value: null fields make several clients drop an entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from paddock.errors import PaddockError

Form: TypeAlias = Mapping[str, object]


class UnsupportedTransportError(PaddockError):
    """A client cannot reach a server in the way asked for."""

    code = "unsupported-transport"


@dataclass(frozen=True, slots=True)
class Entry:
    """One server as a client knows it: a program with arguments, or an address."""

    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    enabled: bool = True
    """Whether the client starts it: false when the user has switched it off in the file."""
    directory: str = ""
    """Where a client starts it that wants to be told; it must not matter."""
    passed: tuple[str, ...] = ()
    """Names of variables that the client is to give to the server with the values that it has."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a form that is filled from the entry; left out when empty, unless `always`."""

    name: str
    always: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A constant that tells one form from the other.

    `value` is written; `also` are read as the same. Clients guess the kind of an entry that does
    not name it, except where `required`.
    """

    value: str
    also: tuple[str, ...] = ()
    required: bool = False


COMMAND = Slot("command", always=True)
ARGS = Slot("args", always=True)
COMMAND_LINE = Slot("command_line", always=True)
"""The program and its arguments in one list."""
ENV = Slot("env")
PASSED = Slot("passed")
URL = Slot("url", always=True)
HEADERS = Slot("headers")
KEY = Slot("key", always=True)
DESCRIPTION = Slot("description", always=True)
STDIO = Kind("stdio")
HTTP = Kind("http", also=("streamable-http", "streamableHttp", "streamable_http"))
PROGRAM: Form = {"command": COMMAND, "args": ARGS, "env": ENV}
ADDRESS: Form = {"url": URL, "headers": HEADERS}


@dataclass(frozen=True, slots=True)
class Shape:
    """The forms of a client's entries."""

    stdio: Form
    http: Form | None = None
    others: tuple[Form, ...] = ()
    """Forms that the client reads too and that we do not write."""

    @property
    def names_variables(self) -> bool:
        """Whether an entry lists the variables that the client passes on."""
        return any(isinstance(part, Slot) and part.name == "passed" for part in self.stdio.values())

    def render(self, entry: Entry, key: str) -> dict[str, object]:
        """The entry as plain data, to stand under `key`.

        Raises:
            UnsupportedTransportError: when the client takes no addresses.
        """
        form = self.stdio if entry.url is None else self.http
        if form is None:
            raise UnsupportedTransportError(
                "this client starts programs only and takes no URL",
                hint="install without --http, or add the URL in the client's own settings",
            )
        return _fill(form, _values(entry, key))

    def read(self, data: object) -> Entry | None:
        """The server that an entry describes; None for what the client would not take."""
        if not isinstance(data, Mapping):
            return None
        forms = (self.stdio, *((self.http,) if self.http else ()), *self.others)
        for form in forms:
            found: dict[str, object] = {}
            if _match(form, data, found):
                return _entry(found, is_enabled=_is_enabled(data))
        return None


def _values(entry: Entry, key: str) -> dict[str, object]:
    return {
        "command": entry.command,
        "args": list(entry.args),
        "command_line": [entry.command, *entry.args],
        "env": dict(entry.env),
        "passed": list(entry.passed),
        "url": entry.url,
        "headers": dict(entry.headers),
        "key": key,
        "directory": entry.directory,
        "description": entry.description or f"The server {key} of Paddock",
    }


def _fill(form: Form, values: Mapping[str, object]) -> dict[str, object]:
    filled: dict[str, object] = {}
    for name, part in form.items():
        if isinstance(part, Slot):
            value = values[part.name]
            if value or part.always:
                filled[name] = value
        elif isinstance(part, Kind):
            filled[name] = part.value
        elif isinstance(part, Mapping):
            inner = _fill(part, values)
            if inner or not part:
                filled[name] = inner
        else:
            filled[name] = list(part) if isinstance(part, tuple) else part
    return filled


REQUIRED_SLOTS = {"command", "command_line", "url"}


def _match(form: Form, data: Mapping[str, object], found: dict[str, object]) -> bool:
    """Whether data has this form; what its slots hold goes to `found`."""
    return all(_match_part(part, data, name, found) for name, part in form.items())


def _match_part(
    part: object, data: Mapping[str, object], name: str, found: dict[str, object]
) -> bool:
    present = name in data
    value = data.get(name)
    if isinstance(part, Kind):
        return value in (part.value, *part.also) if present else not part.required
    if isinstance(part, Slot):
        if present:
            found[part.name] = value
        return present or part.name not in REQUIRED_SLOTS
    if isinstance(part, Mapping):
        return _match(part, value if isinstance(value, Mapping) else {}, found)
    return True


def _entry(found: Mapping[str, object], *, is_enabled: bool) -> Entry | None:
    line = _texts(found.get("command_line", ()))
    command = found.get("command", line[0] if line else None)
    args = _texts(found.get("args", line[1:] if line else ()))
    env = _pairs(found.get("env", {}))
    headers = _pairs(found.get("headers", {}))
    url = found.get("url")
    well_formed = (
        isinstance(command if url is None else url, str)
        and args is not None
        and env is not None
        and headers is not None
    )
    if not well_formed or args is None or env is None or headers is None:
        return None
    description, directory = found.get("description"), found.get("directory")
    return Entry(
        command=command if isinstance(command, str) else None,
        args=args,
        env=env,
        url=url if isinstance(url, str) else None,
        headers=headers,
        description=description if isinstance(description, str) else "",
        enabled=is_enabled,
        directory=directory if isinstance(directory, str) else "",
        passed=_names(found.get("passed")),
    )


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return None
    return tuple(value) if all(isinstance(one, str) for one in value) else None


def _names(value: object) -> tuple[str, ...]:
    """The names in a list that may hold other things too."""
    found = value if isinstance(value, list) else []
    return tuple(one for one in found if isinstance(one, str))


def _pairs(value: object) -> dict[str, str] | None:
    if not isinstance(value, Mapping):
        return None
    items = dict(value)
    is_text = all(isinstance(one, str) for pair in items.items() for one in pair)
    return items if is_text else None


def _is_enabled(data: Mapping[str, object]) -> bool:
    return data.get("disabled") is not True and data.get("enabled") is not False


PLAIN = Shape(stdio=PROGRAM, http=ADDRESS)
"""Most clients: a command, or a URL; the kind is seen from the field."""

TYPED = Shape(stdio={"type": STDIO, **PROGRAM}, http={"type": HTTP, **ADDRESS})
"""The kind is written, as these clients write it themselves, and need not be there to be read."""

TYPED_ADDRESS = Shape(stdio=PROGRAM, http={**ADDRESS, "type": HTTP})
"""Only addresses carry their kind."""

TYPED_PROGRAM = Shape(stdio={"type": STDIO, **PROGRAM}, http=ADDRESS)
"""Only programs carry their kind."""

CLAUDE = Shape(
    stdio={"type": STDIO, **PROGRAM},
    http={"type": Kind("http", HTTP.also, required=True), **ADDRESS},
)
"""A URL without a type is skipped by Claude Code."""

STDIO_ONLY = Shape(stdio=PROGRAM)

WARP = Shape(stdio={**PROGRAM, "working_directory": Slot("directory")}, http=ADDRESS)
"""It wants to be told where to start a program; ours run anywhere."""

HTTP_URL = Shape(
    stdio=PROGRAM, http={"httpUrl": URL, "headers": HEADERS}, others=({**ADDRESS, "type": HTTP},)
)

SERVER_URL = Shape(stdio=PROGRAM, http={"serverUrl": URL, "headers": HEADERS}, others=(ADDRESS,))

COPILOT = Shape(
    stdio={"tools": ("*",), "type": Kind("stdio", ("local",)), **PROGRAM},
    http={"tools": ("*",), "type": HTTP, **ADDRESS},
)
"""It writes `local` itself, which Claude Code skips in the file of a project that both read."""

APPROVING = Shape(
    stdio={**PROGRAM, "disabled": False, "autoApprove": ()},
    http={**ADDRESS, "disabled": False, "autoApprove": ()},
)
"""Kiro."""

CLINE = Shape(
    stdio={"type": STDIO, **PROGRAM, "disabled": False, "autoApprove": (), "timeout": 60},
    http={
        "type": Kind("streamableHttp", HTTP.also),
        **ADDRESS,
        "disabled": False,
        "autoApprove": (),
        "timeout": 60,
    },
    others=({"transport": {"type": STDIO, **PROGRAM}}, {"transport": {"type": HTTP, **ADDRESS}}),
)
"""Without the timeout, in seconds, Cline gives up after three."""

CLINE_CLI = Shape(
    stdio={"transport": {"type": STDIO, **PROGRAM}, "timeout": 60},
    http={
        "transport": {"type": Kind("streamableHttp", HTTP.also), **ADDRESS},
        "timeout": 60,
    },
    others=(CLINE.stdio, {"type": HTTP, **ADDRESS}),
)

ROO = Shape(stdio=PROGRAM, http={"type": Kind("streamable-http", HTTP.also), **ADDRESS})

DROID = Shape(
    stdio={"type": STDIO, **PROGRAM, "disabled": False},
    http={"type": HTTP, **ADDRESS, "disabled": False},
)

OPENCODE = Shape(
    stdio={"type": Kind("local", required=True), "command": COMMAND_LINE, "environment": ENV},
    http={"type": Kind("remote", required=True), **ADDRESS},
)
"""A wrong entry makes opencode reject the whole file."""

CRUSH = Shape(
    stdio={"type": Kind("stdio", required=True), **PROGRAM},
    http={"type": Kind("http", required=True), **ADDRESS},
)

OPENCLAW = Shape(
    stdio=PROGRAM,
    http={"transport": Kind("streamable-http", required=True), **ADDRESS},
)
"""Without the transport it speaks SSE, and fails."""

NANOCODER = Shape(
    stdio={"transport": STDIO, **PROGRAM},
    http={"transport": Kind("http", required=True), **ADDRESS},
)

MCPORTER = Shape(
    stdio=PROGRAM,
    http={"baseUrl": URL, "headers": HEADERS},
    others=(ADDRESS, {"serverUrl": URL, "headers": HEADERS}, {"command": COMMAND_LINE, "env": ENV}),
)

CODEX = Shape(
    stdio={**PROGRAM, "env_vars": PASSED},
    http={"url": URL, "http_headers": HEADERS},
)

GROK = Shape(stdio=PROGRAM, http=CODEX.http)
"""As Codex, as far as is known."""

GOOSE = Shape(
    stdio={
        "enabled": True,
        "type": STDIO,
        "name": KEY,
        "description": DESCRIPTION,
        "cmd": COMMAND,
        "args": ARGS,
        "envs": Slot("env", always=True),
        "env_keys": (),
        "timeout": 300,
    },
    http={
        "enabled": True,
        "type": Kind("streamable_http"),
        "name": KEY,
        "description": DESCRIPTION,
        "uri": URL,
        "envs": {},
        "env_keys": (),
        "headers": Slot("headers", always=True),
        "timeout": 300,
    },
)

HERMES = Shape(
    stdio={**PROGRAM, "enabled": True},
    http={**ADDRESS, "enabled": True},
)

CONTINUE = Shape(
    stdio={"name": KEY, **PROGRAM},
    http={
        "name": KEY,
        "type": Kind("streamable-http", HTTP.also),
        "url": URL,
        "requestOptions": {"headers": HEADERS},
    },
)

GPTME = Shape(
    stdio={"name": KEY, "enabled": True, **PROGRAM},
    http={"name": KEY, "enabled": True, **ADDRESS},
)

NAMED_TYPED = Shape(
    stdio={"name": KEY, "type": STDIO, **PROGRAM},
    http={"name": KEY, "type": HTTP, **ADDRESS},
)
"""Augment in VS Code: the file is one list."""
