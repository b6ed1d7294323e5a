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

EntryForm: TypeAlias = Mapping[str, object]


class UnsupportedTransportError(PaddockError):
    """A client cannot reach a server in the way asked for."""

    code = "unsupported-transport"


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """One server as a client knows it: a program with arguments, or an address."""

    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    is_enabled: bool = True
    """Whether the client starts it: false when the user has switched it off in the file."""
    working_directory: str = ""
    """Where a client starts it that wants to be told; it must not matter."""
    forwarded_variables: tuple[str, ...] = ()
    """Names of variables that the client is to give to the server with the values that it has."""


@dataclass(frozen=True, slots=True)
class FormatField:
    """A place in a form that is filled from the entry; left out when empty, unless `always`."""

    name: str
    is_always_written: bool = False


@dataclass(frozen=True, slots=True)
class FormatConstant:
    """A constant that tells one form from the other.

    `value` is written; `also` are read as the same. Clients guess the kind of an entry that does
    not name it, except where `required`.
    """

    value: str
    aliases: tuple[str, ...] = ()
    is_required: bool = False


COMMAND_FIELD = FormatField("command", is_always_written=True)
ARGS_FIELD = FormatField("args", is_always_written=True)
COMMAND_LINE_FIELD = FormatField("command_line", is_always_written=True)
"""The program and its arguments in one list."""
ENV_FIELD = FormatField("env")
FORWARDED_VARIABLES_FIELD = FormatField("passed")
URL_FIELD = FormatField("url", is_always_written=True)
HEADERS_FIELD = FormatField("headers")
KEY_FIELD = FormatField("key", is_always_written=True)
DESCRIPTION_FIELD = FormatField("description", is_always_written=True)
STDIO_TYPE = FormatConstant("stdio")
HTTP_TYPE = FormatConstant("http", aliases=("streamable-http", "streamableHttp", "streamable_http"))
PROGRAM_FORM: EntryForm = {"command": COMMAND_FIELD, "args": ARGS_FIELD, "env": ENV_FIELD}
URL_FORM: EntryForm = {"url": URL_FIELD, "headers": HEADERS_FIELD}


@dataclass(frozen=True, slots=True)
class EntryFormat:
    """The forms of a client's entries."""

    stdio: EntryForm
    http: EntryForm | None = None
    alternative_forms: tuple[EntryForm, ...] = ()
    """Forms that the client reads too and that we do not write."""

    @property
    def has_variable_list(self) -> bool:
        """Whether an entry lists the variables that the client passes on."""
        return any(
            isinstance(part, FormatField) and part.name == "passed" for part in self.stdio.values()
        )

    def render_entry(self, entry: ConfigEntry, key: str) -> dict[str, object]:
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
        return _fill_form(form, _collect_field_values(entry, key))

    def parse_entry(self, data: object) -> ConfigEntry | None:
        """The server that an entry describes; None for what the client would not take."""
        if not isinstance(data, Mapping):
            return None
        forms = (self.stdio, *((self.http,) if self.http else ()), *self.alternative_forms)
        for form in forms:
            found: dict[str, object] = {}
            if _match_form(form, data, found):
                return _build_entry(found, is_enabled=_is_enabled(data))
        return None


def _collect_field_values(entry: ConfigEntry, key: str) -> dict[str, object]:
    return {
        "command": entry.command,
        "args": list(entry.args),
        "command_line": [entry.command, *entry.args],
        "env": dict(entry.env),
        "passed": list(entry.forwarded_variables),
        "url": entry.url,
        "headers": dict(entry.headers),
        "key": key,
        "directory": entry.working_directory,
        "description": entry.description or f"The server {key} of Paddock",
    }


def _fill_form(form: EntryForm, values: Mapping[str, object]) -> dict[str, object]:
    filled: dict[str, object] = {}
    for name, part in form.items():
        if isinstance(part, FormatField):
            value = values[part.name]
            if value or part.is_always_written:
                filled[name] = value
        elif isinstance(part, FormatConstant):
            filled[name] = part.value
        elif isinstance(part, Mapping):
            inner = _fill_form(part, values)
            if inner or not part:
                filled[name] = inner
        else:
            filled[name] = list(part) if isinstance(part, tuple) else part
    return filled


REQUIRED_FIELDS = {"command", "command_line", "url"}


def _match_form(form: EntryForm, data: Mapping[str, object], found: dict[str, object]) -> bool:
    """Whether data has this form; what its slots hold goes to `found`."""
    return all(_match_form_part(part, data, name, found) for name, part in form.items())


def _match_form_part(
    part: object, data: Mapping[str, object], name: str, found: dict[str, object]
) -> bool:
    present = name in data
    value = data.get(name)
    if isinstance(part, FormatConstant):
        return value in (part.value, *part.aliases) if present else not part.is_required
    if isinstance(part, FormatField):
        if present:
            found[part.name] = value
        return present or part.name not in REQUIRED_FIELDS
    if isinstance(part, Mapping):
        return _match_form(part, value if isinstance(value, Mapping) else {}, found)
    return True


def _build_entry(found: Mapping[str, object], *, is_enabled: bool) -> ConfigEntry | None:
    line = _to_string_tuple(found.get("command_line", ()))
    command = found.get("command", line[0] if line else None)
    args = _to_string_tuple(found.get("args", line[1:] if line else ()))
    env = _to_string_mapping(found.get("env", {}))
    headers = _to_string_mapping(found.get("headers", {}))
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
    return ConfigEntry(
        command=command if isinstance(command, str) else None,
        args=args,
        env=env,
        url=url if isinstance(url, str) else None,
        headers=headers,
        description=description if isinstance(description, str) else "",
        is_enabled=is_enabled,
        working_directory=directory if isinstance(directory, str) else "",
        forwarded_variables=_filter_strings(found.get("passed")),
    )


def _to_string_tuple(value: object) -> tuple[str, ...] | None:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return None
    return tuple(value) if all(isinstance(one, str) for one in value) else None


def _filter_strings(value: object) -> tuple[str, ...]:
    """The names in a list that may hold other things too."""
    found = value if isinstance(value, list) else []
    return tuple(one for one in found if isinstance(one, str))


def _to_string_mapping(value: object) -> dict[str, str] | None:
    if not isinstance(value, Mapping):
        return None
    items = dict(value)
    is_text = all(isinstance(one, str) for pair in items.items() for one in pair)
    return items if is_text else None


def _is_enabled(data: Mapping[str, object]) -> bool:
    return data.get("disabled") is not True and data.get("enabled") is not False


PLAIN = EntryFormat(stdio=PROGRAM_FORM, http=URL_FORM)
"""Most clients: a command, or a URL; the kind is seen from the field."""

TYPED = EntryFormat(
    stdio={"type": STDIO_TYPE, **PROGRAM_FORM}, http={"type": HTTP_TYPE, **URL_FORM}
)
"""The kind is written, as these clients write it themselves, and need not be there to be read."""

TYPED_URL = EntryFormat(stdio=PROGRAM_FORM, http={**URL_FORM, "type": HTTP_TYPE})
"""Only addresses carry their kind."""

TYPED_PROGRAM = EntryFormat(stdio={"type": STDIO_TYPE, **PROGRAM_FORM}, http=URL_FORM)
"""Only programs carry their kind."""

CLAUDE = EntryFormat(
    stdio={"type": STDIO_TYPE, **PROGRAM_FORM},
    http={"type": FormatConstant("http", HTTP_TYPE.aliases, is_required=True), **URL_FORM},
)
"""A URL without a type is skipped by Claude Code."""

STDIO_ONLY = EntryFormat(stdio=PROGRAM_FORM)

WARP = EntryFormat(
    stdio={**PROGRAM_FORM, "working_directory": FormatField("directory")}, http=URL_FORM
)
"""It wants to be told where to start a program; ours run anywhere."""

HTTP_URL = EntryFormat(
    stdio=PROGRAM_FORM,
    http={"httpUrl": URL_FIELD, "headers": HEADERS_FIELD},
    alternative_forms=({**URL_FORM, "type": HTTP_TYPE},),
)

SERVER_URL = EntryFormat(
    stdio=PROGRAM_FORM,
    http={"serverUrl": URL_FIELD, "headers": HEADERS_FIELD},
    alternative_forms=(URL_FORM,),
)

COPILOT = EntryFormat(
    stdio={"tools": ("*",), "type": FormatConstant("stdio", ("local",)), **PROGRAM_FORM},
    http={"tools": ("*",), "type": HTTP_TYPE, **URL_FORM},
)
"""It writes `local` itself, which Claude Code skips in the file of a project that both read."""

KIRO = EntryFormat(
    stdio={**PROGRAM_FORM, "disabled": False, "autoApprove": ()},
    http={**URL_FORM, "disabled": False, "autoApprove": ()},
)
"""Kiro."""

CLINE = EntryFormat(
    stdio={"type": STDIO_TYPE, **PROGRAM_FORM, "disabled": False, "autoApprove": (), "timeout": 60},
    http={
        "type": FormatConstant("streamableHttp", HTTP_TYPE.aliases),
        **URL_FORM,
        "disabled": False,
        "autoApprove": (),
        "timeout": 60,
    },
    alternative_forms=(
        {"transport": {"type": STDIO_TYPE, **PROGRAM_FORM}},
        {"transport": {"type": HTTP_TYPE, **URL_FORM}},
    ),
)
"""Without the timeout, in seconds, Cline gives up after three."""

CLINE_CLI = EntryFormat(
    stdio={"transport": {"type": STDIO_TYPE, **PROGRAM_FORM}, "timeout": 60},
    http={
        "transport": {"type": FormatConstant("streamableHttp", HTTP_TYPE.aliases), **URL_FORM},
        "timeout": 60,
    },
    alternative_forms=(CLINE.stdio, {"type": HTTP_TYPE, **URL_FORM}),
)

ROO = EntryFormat(
    stdio=PROGRAM_FORM,
    http={"type": FormatConstant("streamable-http", HTTP_TYPE.aliases), **URL_FORM},
)

DROID = EntryFormat(
    stdio={"type": STDIO_TYPE, **PROGRAM_FORM, "disabled": False},
    http={"type": HTTP_TYPE, **URL_FORM, "disabled": False},
)

OPENCODE = EntryFormat(
    stdio={
        "type": FormatConstant("local", is_required=True),
        "command": COMMAND_LINE_FIELD,
        "environment": ENV_FIELD,
    },
    http={"type": FormatConstant("remote", is_required=True), **URL_FORM},
)
"""A wrong entry makes opencode reject the whole file."""

CRUSH = EntryFormat(
    stdio={"type": FormatConstant("stdio", is_required=True), **PROGRAM_FORM},
    http={"type": FormatConstant("http", is_required=True), **URL_FORM},
)

OPENCLAW = EntryFormat(
    stdio=PROGRAM_FORM,
    http={"transport": FormatConstant("streamable-http", is_required=True), **URL_FORM},
)
"""Without the transport it speaks SSE, and fails."""

NANOCODER = EntryFormat(
    stdio={"transport": STDIO_TYPE, **PROGRAM_FORM},
    http={"transport": FormatConstant("http", is_required=True), **URL_FORM},
)

MCPORTER = EntryFormat(
    stdio=PROGRAM_FORM,
    http={"baseUrl": URL_FIELD, "headers": HEADERS_FIELD},
    alternative_forms=(
        URL_FORM,
        {"serverUrl": URL_FIELD, "headers": HEADERS_FIELD},
        {"command": COMMAND_LINE_FIELD, "env": ENV_FIELD},
    ),
)

CODEX = EntryFormat(
    stdio={**PROGRAM_FORM, "env_vars": FORWARDED_VARIABLES_FIELD},
    http={"url": URL_FIELD, "http_headers": HEADERS_FIELD},
)

GROK = EntryFormat(stdio=PROGRAM_FORM, http=CODEX.http)
"""As Codex, as far as is known."""

GOOSE = EntryFormat(
    stdio={
        "enabled": True,
        "type": STDIO_TYPE,
        "name": KEY_FIELD,
        "description": DESCRIPTION_FIELD,
        "cmd": COMMAND_FIELD,
        "args": ARGS_FIELD,
        "envs": FormatField("env", is_always_written=True),
        "env_keys": (),
        "timeout": 300,
    },
    http={
        "enabled": True,
        "type": FormatConstant("streamable_http"),
        "name": KEY_FIELD,
        "description": DESCRIPTION_FIELD,
        "uri": URL_FIELD,
        "envs": {},
        "env_keys": (),
        "headers": FormatField("headers", is_always_written=True),
        "timeout": 300,
    },
)

HERMES = EntryFormat(
    stdio={**PROGRAM_FORM, "enabled": True},
    http={**URL_FORM, "enabled": True},
)

CONTINUE = EntryFormat(
    stdio={"name": KEY_FIELD, **PROGRAM_FORM},
    http={
        "name": KEY_FIELD,
        "type": FormatConstant("streamable-http", HTTP_TYPE.aliases),
        "url": URL_FIELD,
        "requestOptions": {"headers": HEADERS_FIELD},
    },
)

GPTME = EntryFormat(
    stdio={"name": KEY_FIELD, "enabled": True, **PROGRAM_FORM},
    http={"name": KEY_FIELD, "enabled": True, **URL_FORM},
)

NAMED_TYPED = EntryFormat(
    stdio={"name": KEY_FIELD, "type": STDIO_TYPE, **PROGRAM_FORM},
    http={"name": KEY_FIELD, "type": HTTP_TYPE, **URL_FORM},
)
"""Augment in VS Code: the file is one list."""
