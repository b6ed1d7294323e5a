"""The formats of server entries in clients' config files, for writing and parsing.

A format has two forms: one for a program that the client starts and one for a URL. A form is a
mapping in which `FormatField`s are filled from a `ConfigEntry` and all other values are written
unchanged. Parsing accepts these forms and the alternative ones that a client also reads. Fields
without a value are left out, because several clients drop entries that contain null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from paddock.errors import PaddockError

EntryForm: TypeAlias = Mapping[str, object]


class UnsupportedTransportError(PaddockError):
    """A client does not support the requested transport, which is a program or a URL."""

    code = "unsupported-transport"


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """An entry for a server in a client's configuration file, independent of the client's format.

    It contains a command with arguments, or a URL.
    """

    command: str | None = None
    """The program that the client starts; None for a URL."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    """The environment variables that the client sets for the program."""
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """The HTTP headers of requests to the URL."""
    description: str = ""
    is_enabled: bool = True
    """False if the user has disabled the server in the file."""
    working_directory: str = ""
    """Written for clients that require a directory. Servers must not depend on it."""
    forwarded_variables: tuple[str, ...] = ()
    """Names of environment variables that the client passes on from its own environment."""


@dataclass(frozen=True, slots=True)
class FormatField:
    """A field filled from the entry; omitted if its value is empty, unless `is_always_written`."""

    name: str
    is_always_written: bool = False


@dataclass(frozen=True, slots=True)
class FormatConstant:
    """A constant in an entry that shows its kind, such as `"type": "stdio"` for a program."""

    value: str
    """The value that Paddock writes."""
    aliases: tuple[str, ...] = ()
    """Other values that the client accepts."""
    is_required: bool = False
    """False if the client infers the kind from the other fields when the constant is missing."""


COMMAND_FIELD = FormatField("command", is_always_written=True)
ARGS_FIELD = FormatField("args", is_always_written=True)
COMMAND_LINE_FIELD = FormatField("command_line", is_always_written=True)
"""The program and its arguments, in one list."""
ENV_FIELD = FormatField("env")
FORWARDED_VARIABLES_FIELD = FormatField("forwarded_variables")
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
    """The format of the server entries in a client's configuration file.

    It consists of forms, which are templates of the JSON data of an entry.
    """

    stdio: EntryForm
    """The form for a program that the client starts."""
    http: EntryForm | None = None
    """The form for a URL; None if the client does not accept URLs."""
    alternative_forms: tuple[EntryForm, ...] = ()
    """Forms that the client reads and Paddock does not write."""

    @property
    def all_forms(self) -> tuple[EntryForm, ...]:
        """All forms that the client reads, beginning with those that Paddock writes."""
        return (self.stdio, *((self.http,) if self.http else ()), *self.alternative_forms)

    @property
    def has_variable_list(self) -> bool:
        """True if an entry has a list of the variables that the client passes on."""
        return FORWARDED_VARIABLES_FIELD in self.stdio.values()

    def render_entry(self, entry: ConfigEntry, key: str) -> dict[str, object]:
        """Convert an entry to the data that is written into the client's configuration file.

        Args:
            entry: The entry.
            key: The key of the entry, which some formats repeat in the data.

        Raises:
            UnsupportedTransportError: The entry is a URL and the client accepts only programs.
        """
        form = self.stdio if entry.url is None else self.http
        if form is None:
            raise UnsupportedTransportError(
                "this client only starts programs and does not accept URLs",
                hint="install without --http, or add the URL in the client's own settings",
            )
        return _fill_form(form, _collect_field_values(entry, key))

    def parse_entry(self, data: object) -> ConfigEntry | None:
        """Parse the data of an entry in the client's configuration file.

        Returns:
            None if the data has none of the forms that the client accepts.
        """
        if not isinstance(data, Mapping):
            return None
        for form in self.all_forms:
            values: dict[str, object] = {}
            if _match_form(form, data, values):
                is_disabled = data.get("disabled") is True or data.get("enabled") is False
                return _build_entry(values, is_enabled=not is_disabled)
        return None


def _collect_field_values(entry: ConfigEntry, key: str) -> dict[str, object]:
    """Return an entry's values by `FormatField` name."""
    return {
        "command": entry.command,
        "args": list(entry.args),
        "command_line": [entry.command, *entry.args],
        "env": dict(entry.env),
        "forwarded_variables": list(entry.forwarded_variables),
        "url": entry.url,
        "headers": dict(entry.headers),
        "key": key,
        "directory": entry.working_directory,
        "description": entry.description or f"The server {key} of Paddock",
    }


def _fill_form(form: EntryForm, values: Mapping[str, object]) -> dict[str, object]:
    """Return an entry's data: a form whose fields are replaced with their values.

    Fields with empty values are left out, and so are nested forms that contain only such fields.

    Args:
        form: The form, such as `{"command": FormatField("command"), "timeout": 60}`.
        values: The values of the fields by name.
    """
    filled: dict[str, object] = {}
    for name, part in form.items():
        if isinstance(part, FormatField):
            field_value = values[part.name]
            if field_value or part.is_always_written:
                filled[name] = field_value
        elif isinstance(part, FormatConstant):
            filled[name] = part.value
        elif isinstance(part, Mapping):
            nested_data = _fill_form(part, values)
            if nested_data or not part:
                filled[name] = nested_data
        else:
            filled[name] = list(part) if isinstance(part, tuple) else part
    return filled


REQUIRED_FIELDS = {"command", "command_line", "url"}


def _match_form(form: EntryForm, data: Mapping[str, object], values: dict[str, object]) -> bool:
    """Return whether data has this form, and store the values of its fields in `values`."""
    return all(_match_form_part(part, data, name, values) for name, part in form.items())


def _match_form_part(
    part: object, data: Mapping[str, object], name: str, values: dict[str, object]
) -> bool:
    """Return whether a field of an entry matches its part of a form, and store the value.

    A part that is neither a constant nor a field is a setting that Paddock adds to new entries. It
    matches any value, because the user may have changed it.

    Args:
        part: The part of the form.
        data: The data of the entry.
        name: The name of the field in the data.
        values: The dictionary that stores the value, by `FormatField` name.
    """
    is_present = name in data
    value = data.get(name)
    if isinstance(part, FormatConstant):
        return value in (part.value, *part.aliases) if is_present else not part.is_required
    if isinstance(part, FormatField):
        if is_present:
            values[part.name] = value
        return is_present or part.name not in REQUIRED_FIELDS
    if isinstance(part, Mapping):
        return _match_form(part, value if isinstance(value, Mapping) else {}, values)
    return True


class _FieldValues(msgspec.Struct, frozen=True):
    """The type-checked values in an entry's data.

    The attributes have the names of the `FormatField`s.
    """

    command: str | None = None
    args: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    command_line: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: str | None = None
    headers: dict[str, str] = {}
    description: object = None
    directory: object = None
    forwarded_variables: object = None


def _build_entry(values: Mapping[str, object], *, is_enabled: bool) -> ConfigEntry | None:
    """Create an entry from the values in its data.

    Args:
        values: The values by the names of the `FormatField`s.
        is_enabled: False if the user has disabled the server.

    Returns:
        None if a value has the wrong type, or there is neither a command nor a URL.
    """
    try:
        fields = msgspec.convert(values, _FieldValues)
    except msgspec.ValidationError:
        return None
    program, *program_args = fields.command_line or (None,)
    command = program if fields.command is None else fields.command
    if command is None and fields.url is None:
        return None
    # An entry is valid even if the following fields have other types, because clients ignore them.
    forwarded_names = (
        fields.forwarded_variables if isinstance(fields.forwarded_variables, list) else []
    )
    return ConfigEntry(
        command=command,
        args=tuple(program_args) if fields.args is msgspec.UNSET else fields.args,
        env=fields.env,
        url=fields.url,
        headers=fields.headers,
        description=fields.description if isinstance(fields.description, str) else "",
        is_enabled=is_enabled,
        working_directory=fields.directory if isinstance(fields.directory, str) else "",
        forwarded_variables=tuple(name for name in forwarded_names if isinstance(name, str)),
    )


PLAIN = EntryFormat(stdio=PROGRAM_FORM, http=URL_FORM)
"""The most common format: `command` or `url` shows the kind of entry."""

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
"""Without `timeout`, in seconds, Cline stops waiting after three seconds."""

CLINE_CLI = EntryFormat(
    stdio={"transport": {"type": STDIO_TYPE, **PROGRAM_FORM}, "timeout": 60},
    http={
        "transport": {"type": FormatConstant("streamableHttp", HTTP_TYPE.aliases), **URL_FORM},
        "timeout": 60,
    },
    alternative_forms=(CLINE.stdio, {"type": HTTP_TYPE, **URL_FORM}),
)

CODEX = EntryFormat(
    stdio={**PROGRAM_FORM, "env_vars": FORWARDED_VARIABLES_FIELD},
    http={"url": URL_FIELD, "http_headers": HEADERS_FIELD},
)

ENTRY_FORMATS = {
    "plain": PLAIN,
    # With a `type`, which these clients write themselves and do not require.
    "typed": EntryFormat(
        stdio={"type": STDIO_TYPE, **PROGRAM_FORM}, http={"type": HTTP_TYPE, **URL_FORM}
    ),
    # With a `type` for URLs only.
    "typed-url": EntryFormat(stdio=PROGRAM_FORM, http={**URL_FORM, "type": HTTP_TYPE}),
    # With a `type` for programs only.
    "typed-program": EntryFormat(stdio={"type": STDIO_TYPE, **PROGRAM_FORM}, http=URL_FORM),
    # Claude Code skips URLs without a `type`.
    "claude": EntryFormat(
        stdio={"type": STDIO_TYPE, **PROGRAM_FORM},
        http={"type": FormatConstant("http", HTTP_TYPE.aliases, is_required=True), **URL_FORM},
    ),
    "stdio-only": EntryFormat(stdio=PROGRAM_FORM),
    # Warp requires a working directory; Paddock's servers do not depend on it.
    "warp": EntryFormat(
        stdio={**PROGRAM_FORM, "working_directory": FormatField("directory")}, http=URL_FORM
    ),
    "http-url": EntryFormat(
        stdio=PROGRAM_FORM,
        http={"httpUrl": URL_FIELD, "headers": HEADERS_FIELD},
        alternative_forms=({**URL_FORM, "type": HTTP_TYPE},),
    ),
    "server-url": EntryFormat(
        stdio=PROGRAM_FORM,
        http={"serverUrl": URL_FIELD, "headers": HEADERS_FIELD},
        alternative_forms=(URL_FORM,),
    ),
    # Copilot CLI itself writes `local`, which Claude Code skips in the project file that both read.
    "copilot": EntryFormat(
        stdio={"tools": ("*",), "type": FormatConstant("stdio", ("local",)), **PROGRAM_FORM},
        http={"tools": ("*",), "type": HTTP_TYPE, **URL_FORM},
    ),
    "kiro": EntryFormat(
        stdio={**PROGRAM_FORM, "disabled": False, "autoApprove": ()},
        http={**URL_FORM, "disabled": False, "autoApprove": ()},
    ),
    "cline": CLINE,
    "cline-cli": CLINE_CLI,
    "roo": EntryFormat(
        stdio=PROGRAM_FORM,
        http={"type": FormatConstant("streamable-http", HTTP_TYPE.aliases), **URL_FORM},
    ),
    "droid": EntryFormat(
        stdio={"type": STDIO_TYPE, **PROGRAM_FORM, "disabled": False},
        http={"type": HTTP_TYPE, **URL_FORM, "disabled": False},
    ),
    # One invalid entry makes OpenCode reject the whole file.
    "opencode": EntryFormat(
        stdio={
            "type": FormatConstant("local", is_required=True),
            "command": COMMAND_LINE_FIELD,
            "environment": ENV_FIELD,
        },
        http={"type": FormatConstant("remote", is_required=True), **URL_FORM},
    ),
    "crush": EntryFormat(
        stdio={"type": FormatConstant("stdio", is_required=True), **PROGRAM_FORM},
        http={"type": FormatConstant("http", is_required=True), **URL_FORM},
    ),
    # Without `transport`, OpenClaw connects with SSE, which fails.
    "openclaw": EntryFormat(
        stdio=PROGRAM_FORM,
        http={"transport": FormatConstant("streamable-http", is_required=True), **URL_FORM},
    ),
    "nanocoder": EntryFormat(
        stdio={"transport": STDIO_TYPE, **PROGRAM_FORM},
        http={"transport": FormatConstant("http", is_required=True), **URL_FORM},
    ),
    "mcporter": EntryFormat(
        stdio=PROGRAM_FORM,
        http={"baseUrl": URL_FIELD, "headers": HEADERS_FIELD},
        alternative_forms=(
            URL_FORM,
            {"serverUrl": URL_FIELD, "headers": HEADERS_FIELD},
            {"command": COMMAND_LINE_FIELD, "env": ENV_FIELD},
        ),
    ),
    "codex": CODEX,
    # Grok uses the format of Codex in everything that was observed.
    "grok": EntryFormat(stdio=PROGRAM_FORM, http=CODEX.http),
    "goose": EntryFormat(
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
    ),
    "hermes": EntryFormat(
        stdio={**PROGRAM_FORM, "enabled": True},
        http={**URL_FORM, "enabled": True},
    ),
    "continue": EntryFormat(
        stdio={"name": KEY_FIELD, **PROGRAM_FORM},
        http={
            "name": KEY_FIELD,
            "type": FormatConstant("streamable-http", HTTP_TYPE.aliases),
            "url": URL_FIELD,
            "requestOptions": {"headers": HEADERS_FIELD},
        },
    ),
    "gptme": EntryFormat(
        stdio={"name": KEY_FIELD, "enabled": True, **PROGRAM_FORM},
        http={"name": KEY_FIELD, "enabled": True, **URL_FORM},
    ),
    # Augment Code in VS Code, whose whole file is one list of entries.
    "named-typed": EntryFormat(
        stdio={"name": KEY_FIELD, "type": STDIO_TYPE, **PROGRAM_FORM},
        http={"name": KEY_FIELD, "type": HTTP_TYPE, **URL_FORM},
    ),
}
"""The formats by their names in `clients.toml`."""
