"""Builds server entries: the program to start or URL to call, in a form that a client accepts.

`build_entry` makes an entry that does not depend on the client; `adapt_entry` adjusts it to one
client's limitations. Commands are absolute, and only the variables that a server needs are passed
to it, because clients start servers in other directories and environments than the user's shell.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.errors import LoadError, PaddockError
from paddock.extensions.errors import ExtensionError
from paddock.files import path_exists
from paddock.installer.client_app import SAFE_KEY_PATTERN
from paddock.installer.entry_format import ConfigEntry, FormatConstant, FormatField
from paddock.named_servers.api import get_server
from paddock.named_servers.definition import make_safe_key
from paddock.named_servers.launch_command import build_launch_command, build_launch_environment
from paddock.named_servers.named_server import NamedServer
from paddock.named_servers.names import OPTIONS_VARIABLE, ServerDefinitionError, ServerNotFoundError
from paddock.serving.target import PathTarget

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.base_server import BaseServer
    from paddock.installer.client_app import Client
    from paddock.installer.entry_format import EntryFormat


ServerReference = str | os.PathLike[str] | NamedServer
"""A named server, by its name or as an object, or the path of a file or directory."""
ToolOptionValues = Mapping[str, Mapping[str, object]]
EnvironmentVariables = Mapping[str, str | None]
"""Environment variables; None makes the client pass on its own value."""

FIND_ENGINES = "paddock.kernels.wolfram.engines:find_engines"
"""Imported only if the user names no server, because it takes 30 ms to load."""
DEFAULT_SERVERS = {"chat": "Wolfram", "coding": "WolframLanguage"}
"""The server to install by default, by kind of client."""
DEFAULT_SERVERS_WITHOUT_ENGINE = {"coding": "PythonDevelopment"}
"""Exceptions on machines where no engine evaluates the Wolfram Language."""
GENERIC_FILE_STEMS = frozenset({"server", "main", "app", "__init__", "__main__"})
"""File names that do not describe a server; the name of the directory is used instead."""
PYTHON_EXECUTABLE_PATTERN = r"(python|pythonw|pypy)[0-9.]*t?|py"
PYTHON_FLAG_PATTERN = r"-[BEIOPRSbdiqsuv]+|-[WX].+"
"""Python's flags that run no code."""
UV_PROGRAMS = frozenset({"uv", "uvx"})
HEADER_LABEL = "header"
PYTHONPATH_VARIABLE = "PYTHONPATH"
NAME_PLACEHOLDER = "NAME"
"""The name of the variable in `Client.variable`."""
MAX_WINDOWS_PATH_CHARACTERS = 32768


class EntryError(PaddockError):
    """An entry cannot be built: its name, a variable, a header or its URL is not valid."""

    code = "invalid-entry"


@dataclass(frozen=True)
class InstallableServer:
    """A server to install into a client: a named server, or a server in a file or directory."""

    name: str
    """The name of a named server; otherwise the absolute path."""
    key: str
    """The default key of the entry in the client's configuration file."""
    description: str = ""
    named_server: NamedServer | None = None
    """None for a file or directory that is not a server definition."""

    def load(self) -> BaseServer:
        """Load the server, which runs its code.

        Raises:
            PaddockError: A part of the server is missing or broken.
        """
        return (self.named_server or PathTarget(self.name)).load()


def resolve_installable(server: ServerReference | None, client: Client) -> InstallableServer:
    """Find the server to install by its name or path.

    A string that looks like a path is a path. Any other string is the name of a server, or else the
    path of an existing file.

    Args:
        server: The name, the path or the named server. None selects the built-in server for this
            kind of client.
        client: The client into which the server will be installed.

    Raises:
        ServerNotFoundError: There is no such server.
        ExtensionError: A qualified name does not lead to a server.
        ServerDefinitionError: The server's definition is not valid.
        LoadError: The file or directory does not exist.
    """
    if server is None:
        server = _select_default_server(client)
    if isinstance(server, NamedServer):
        return _wrap_named_server(server)
    if not isinstance(server, str):
        return _wrap_path(os.fspath(server))
    if _is_path_argument(server):
        return _wrap_path(server)
    try:
        return _wrap_named_server(get_server(server))
    except (ServerNotFoundError, ExtensionError):
        if path_exists(Path(server)):
            return _wrap_path(server)
        raise


def _select_default_server(client: Client) -> str:
    """Return the name of the default built-in server for a client.

    Another server is selected if no Wolfram Language engine that can evaluate code is installed on
    this machine.
    """
    can_evaluate = any(
        engine.location and "evaluation" in engine.capabilities
        for engine in resolve_name(FIND_ENGINES)()
    )
    default = DEFAULT_SERVERS[client.kind]
    return default if can_evaluate else DEFAULT_SERVERS_WITHOUT_ENGINE.get(client.kind, default)


def _is_path_argument(text: str) -> bool:
    is_rooted = text.startswith(("./", "../", "/", "~", ".\\", "..\\")) or Path(text).is_absolute()
    return is_rooted or text in (".", "..") or text.endswith((".py", ".toml")) or ":" in text


def _wrap_named_server(server: NamedServer) -> InstallableServer:
    """Return a named server as an `InstallableServer`.

    Raises:
        ServerDefinitionError: The definition is not valid.
    """
    if server.is_remote:
        _ = server.definition  # raises an error whose hint says how to install the extension
    if server.problem is not None:
        raise ServerDefinitionError(
            f"the server {server.name!r} cannot be installed: {server.problem}",
            hint=f"inspect its definition: paddock show {server.name}",
        )
    return InstallableServer(server.name, server.key, server.description or "", server)


def _wrap_path(text: str) -> InstallableServer:
    """Return the server at a path as an `InstallableServer`.

    The path leads to a server definition (`.toml`), a Python file or a directory.

    Raises:
        LoadError: The file or directory does not exist.
    """
    path = str(Path(text).expanduser().absolute())
    if path.endswith(".toml"):
        if not Path(path).is_file():
            raise LoadError(f"the file {path} does not exist", hint="check the path")
        server = _wrap_named_server(get_server(Path(path)))
        return InstallableServer(path, server.key, server.description, server.named_server)
    target = PathTarget(path)
    file = Path(target.path)
    name = file.parent.name if file.stem in GENERIC_FILE_STEMS else file.stem
    return InstallableServer(path, make_safe_key(name), target.metadata.description or "")


def build_entry(
    server: InstallableServer,
    *,
    env: EnvironmentVariables | None = None,
    http: str | None = None,
    headers: Mapping[str, str] | None = None,
    options: ToolOptionValues | None = None,
) -> ConfigEntry:
    """Build the entry that a client uses to start a server or connect to it.

    The result does not depend on the client. `adapt_entry` and the client's format convert it.

    Args:
        server: The server to start. If `http` is given, only its description is used.
        env: Environment variables for the server. Those whose value is None become
            `forwarded_variables`, which `adapt_entry` turns into the client's syntax.
        http: The URL of a running server, to connect to instead of starting a program.
        headers: Headers for requests to that URL.
        options: Option values for tools, by tool name.

    Raises:
        EntryError: A variable, a header or the URL is not valid, or they cannot be combined.
        OptionError: The server's tools do not have these options.
    """
    if http is not None:
        if env or options:
            raise EntryError(
                "variables and options apply to a program that the client starts, not to a URL",
                hint="set them where the server is started",
            )
        _check_url(http)
        checked_headers = _check_text_values(headers or {}, HEADER_LABEL)
        return ConfigEntry(url=http, headers=checked_headers, description=server.description)
    if headers:
        raise EntryError("headers apply only to a URL", hint="add the URL: --http URL")
    return _build_program_entry(server, env or {}, options)


def _build_program_entry(
    server: InstallableServer, env: EnvironmentVariables, options: ToolOptionValues | None
) -> ConfigEntry:
    """Build the entry that starts a server with the command of this Paddock installation.

    Tool options are passed to the server in an environment variable. They are checked here, because
    an error in them would otherwise appear only in the server's log.
    """
    forwarded_names = _check_variable_names([name for name, value in env.items() if value is None])
    given_values = {name: value for name, value in env.items() if value is not None}
    variables = _check_text_values(given_values, "variable")
    if options:
        server.load().set_tool_options(options)
        variables[OPTIONS_VARIABLE] = json.dumps(options, separators=(",", ":"))
    is_served_by_name = server.named_server is not None and server.named_server.name == server.name
    launch = build_launch_command(server.name if is_served_by_name else Path(server.name))
    return ConfigEntry(
        command=launch.command,
        args=tuple(launch.args),
        env={**build_launch_environment(), **_get_import_path_variable(), **variables},
        description=server.description,
        working_directory=str(Path.home()),
        forwarded_variables=forwarded_names,
    )


def _get_import_path_variable() -> dict[str, str]:
    """Return PYTHONPATH if Paddock is importable only because of it, as in a source checkout."""
    source_directory = Path(__file__).parents[2]
    directories = os.environ.get(PYTHONPATH_VARIABLE, "").split(os.pathsep)
    if any(part and Path(part).absolute() == source_directory for part in directories):
        return {PYTHONPATH_VARIABLE: str(source_directory)}
    return {}


def _check_text_values(pairs: Mapping[str, str], label: str) -> dict[str, str]:
    """Check the names and values of environment variables or HTTP headers, and return them.

    Args:
        pairs: The values by name.
        label: The word for a pair in error messages. With `HEADER_LABEL`, the values must also be
            valid for headers.

    Raises:
        EntryError: A name or a value is not valid.
    """
    for name, value in pairs.items():
        if not isinstance(name, str) or not re.fullmatch(r"[^=\s\0:]+", name):
            raise EntryError(f"{name!r} is not a valid name for a {label}")
        if not isinstance(value, str):
            raise EntryError(
                f"the {label} {name} is of type {type(value).__name__}, expected a string",
                hint="clients drop entries that contain other values",
            )
        if "\0" in value:
            raise EntryError(f"the {label} {name} contains a null character")
        # A line break would let a value add headers to the client's requests.
        if label == HEADER_LABEL and not value.replace("\t", " ").isprintable():
            raise EntryError(f"the {label} {name} contains a line break or control character")
    return dict(pairs)


def _check_variable_names(names: list[str]) -> tuple[str, ...]:
    """Check the names of environment variables whose values the client passes on.

    Raises:
        EntryError: A name is not valid.
    """
    for name in names:
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            # The message does not contain the text, which may be a secret value without its name.
            raise EntryError(
                "a variable without a value must be a name of letters, digits and _",
                hint="give a name, or a name and a value: --env NAME=VALUE",
            )
    return tuple(names)


def _check_url(url: str) -> None:
    """Check that a text is an HTTP or HTTPS URL.

    Raises:
        EntryError: It is not. The message does not contain the text, which may contain a secret.
    """
    try:
        parts = urlsplit(url)
        has_host = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_valid = has_host and parts.port != 0 and url.isprintable() and " " not in url
    except ValueError:  # an unclosed bracket, or a port that is not a number
        is_valid = False
    if not is_valid:
        raise EntryError("--http is not a valid URL", hint="example: http://127.0.0.1:8000/mcp")


def check_key(client: Client, key: str) -> None:
    """Check that a client accepts an entry's key, which is the server's name.

    Raises:
        EntryError: The client does not accept the key. The hint suggests another one.
    """
    if not re.fullmatch(client.key_pattern, key):
        raise EntryError(
            f"{client.name} does not accept the server name {key!r}",
            hint=f"use --name {make_safe_key(key)}; letters, digits, - and _ are valid everywhere",
        )


def choose_entry_key(client: Client, server: InstallableServer, name: str | None) -> str:
    """Return the entry's key: the given name, or a safe form of the server's key."""
    if name is not None:
        check_key(client, name)
        return name
    return server.key if re.fullmatch(SAFE_KEY_PATTERN, server.key) else make_safe_key(server.key)


def find_started_server(entry: ConfigEntry) -> str | None:
    """Return the name or path of the server that a client's entry starts with Paddock.

    This recognizes Paddock's entries even if their installation has not been recorded. The entry's
    program must be Paddock, Python with `-m paddock`, or uv.

    Returns:
        None if the entry does not start Paddock, or starts it in another way, such as in a
        container.
    """
    arguments = _find_serve_arguments(entry)
    if arguments is None:
        return None
    if "--named" in arguments[:-1]:
        return arguments[arguments.index("--named") + 1]
    return next((argument for argument in arguments if not argument.startswith("-")), None)


def _find_serve_arguments(entry: ConfigEntry) -> tuple[str, ...] | None:
    """Return the arguments after `paddock serve` in an entry's command.

    Returns:
        None if the command does not start a Paddock server.
    """
    program = re.split(r"[/\\]", entry.command or "")[-1].casefold().removesuffix(".exe")
    args = entry.args
    if program == "paddock":
        return args[1:] if args[:1] == ("serve",) else None
    # uv's own options, such as --from, come before the program that it runs.
    if program in UV_PROGRAMS:
        pairs = enumerate(itertools.pairwise(args))
        start = next((index for index, pair in pairs if pair == ("paddock", "serve")), None)
        return None if start is None else args[start + 2 :]
    if entry.command != sys.executable and not re.fullmatch(PYTHON_EXECUTABLE_PATTERN, program):
        return None
    # If another flag before -m runs code, such as -c, the entry does not start Paddock.
    flags = tuple(itertools.takewhile(lambda argument: argument != "-m", args))
    if not all(re.fullmatch(PYTHON_FLAG_PATTERN, flag) for flag in flags):
        return None
    module_arguments = args[len(flags) :]
    is_serve = module_arguments[:3] == ("-m", "paddock", "serve")
    return module_arguments[3:] if is_serve else None


def has_server_name(entry: ConfigEntry) -> bool:
    """Return whether an entry that starts Paddock names its server, rather than a path."""
    return "--named" in entry.args


def merge_entry_data(
    shape: EntryFormat, old: object, entry: ConfigEntry, key: str
) -> dict[str, object]:
    """Return the data of a new entry, including the user's changes to the old one.

    Variables and headers that the user has added are preserved, and so are the client's own
    settings, such as approvals. Nothing is preserved if the old entry cannot be parsed, or if only
    one of the entries is a URL.

    Args:
        shape: The format of the client's entries.
        old: The data of the old entry, which starts the same server.
        entry: The new entry.
        key: The key of both entries.
    """
    old_entry = shape.parse_entry(old)
    if old_entry is None or not isinstance(old, dict):
        return shape.render_entry(entry, key)
    has_other_transport = (old_entry.url is None) != (entry.url is None)
    if has_other_transport:
        return shape.render_entry(entry, key)
    old_forwarded_names = (name for name in old_entry.forwarded_variables if name not in entry.env)
    merged_entry = ConfigEntry(
        command=entry.command,
        args=entry.args,
        env=_merge_environment(old_entry.env, entry),
        url=entry.url,
        headers={**old_entry.headers, **entry.headers},
        description=entry.description,
        # The user may have chosen another directory. Paddock's servers do not depend on it.
        working_directory=old_entry.working_directory or entry.working_directory,
        forwarded_variables=tuple(
            dict.fromkeys((*old_forwarded_names, *entry.forwarded_variables))
        ),
    )
    data = shape.render_entry(merged_entry, key)
    managed_fields = _list_managed_fields(shape)
    return {**data, **{name: old[name] for name in old if name not in managed_fields}}


def _merge_environment(old_env: Mapping[str, str], entry: ConfigEntry) -> dict[str, str]:
    """Return a new entry's environment variables, including those that the user has added.

    Directories that the user has added to `PYTHONPATH` are preserved too, and so is the order of
    the variables.

    Args:
        old_env: The variables of the old entry.
        entry: The new entry.
    """
    kept_variables = {
        name: value for name, value in old_env.items() if name not in entry.forwarded_variables
    }
    # Paddock sets these variables. An old value that is not set again is outdated.
    for name in (DATA_DIRECTORY_VARIABLE, OPTIONS_VARIABLE):
        kept_variables.pop(name, None)
    new_env = dict(entry.env)
    user_directories = [
        directory
        for directory in kept_variables.pop(PYTHONPATH_VARIABLE, "").split(os.pathsep)
        if directory and not _is_paddock_import_path(directory)
    ]
    if user_directories:
        own_directories = [
            directory
            for directory in new_env.get(PYTHONPATH_VARIABLE, "").split(os.pathsep)
            if directory
        ]
        new_env[PYTHONPATH_VARIABLE] = os.pathsep.join([*own_directories, *user_directories])
    merged = {**kept_variables, **new_env}
    return {name: merged[name] for name in dict.fromkeys([*old_env, *merged]) if name in merged}


def _is_paddock_import_path(directory: str) -> bool:
    return path_exists(Path(directory) / "paddock" / "version.py")


def _list_managed_fields(shape: EntryFormat) -> set[str]:
    """Return the names of the entry fields that Paddock writes, in any of the entry's forms.

    All other fields are the client's own settings.
    """
    return {
        name
        for form in shape.all_forms
        for name, part in form.items()
        if isinstance(part, FormatField | FormatConstant) or (isinstance(part, Mapping) and part)
    }


def get_short_path(path: str) -> str:
    """Return the short (8.3) form of a path on Windows, which does not contain spaces.

    The path is returned unchanged on other systems, or if Windows has no short form for it.
    """
    if sys.platform != "win32":
        return path
    buffer = ctypes.create_unicode_buffer(MAX_WINDOWS_PATH_CHARACTERS)
    length = ctypes.windll.kernel32.GetShortPathNameW(path, buffer, MAX_WINDOWS_PATH_CHARACTERS)
    return buffer.value if 0 < length < MAX_WINDOWS_PATH_CHARACTERS else path


def adapt_entry(
    client: Client,
    entry: ConfigEntry,
    *,
    shorten: Callable[[str], str] | None = get_short_path if sys.platform == "win32" else None,
) -> ConfigEntry:
    """Convert an entry to a form that a client can use.

    References to environment variables get the client's syntax. On Windows, a path with spaces is
    shortened for clients that split commands at spaces.

    Args:
        client: The client.
        entry: An entry from `build_entry`.
        shorten: Returns the short form of a path; None to leave paths unchanged.

    Raises:
        EntryError: The client cannot refer to variables, or a path has no form without spaces.
    """
    if entry.forwarded_variables:
        entry = _add_variable_references(client, entry)
    if shorten is not None and client.splits_command and " " in (entry.command or ""):
        entry = _shorten_command(client, entry, shorten)
    return entry


def _add_variable_references(client: Client, entry: ConfigEntry) -> ConfigEntry:
    """Replace the list of forwarded variables with references in the client's syntax.

    A reference such as `${env:NAME}` makes the client pass its own value of the variable. The entry
    is returned unchanged if the format of the client has a list of variables.

    Raises:
        EntryError: The client supports neither references nor a list.
    """
    if client.shape.has_variable_list:
        return entry
    if not client.variable:
        raise _make_reference_error(client, entry.forwarded_variables)
    references = {
        name: client.variable.replace(NAME_PLACEHOLDER, name) for name in entry.forwarded_variables
    }
    return replace(entry, env={**entry.env, **references}, forwarded_variables=())


def _make_reference_error(client: Client, names: tuple[str, ...]) -> EntryError:
    """Return the error for a client that cannot refer to environment variables in its file.

    The hint is the best alternative: omit the variables, or give their values.
    """
    options = " ".join(f"--env {name}" for name in names)
    if client.environment == "all":
        hint = f"leave out {options}: servers inherit all variables of {client.name}"
    else:
        options_with_values = " ".join(f"--env {name}=VALUE" for name in names)
        hint = f"give the value, which is then written to the file: {options_with_values}"
    return EntryError(
        f"{client.name} cannot refer to environment variables in its file: {', '.join(names)}",
        hint=hint,
    )


def _shorten_command(
    client: Client, entry: ConfigEntry, shorten: Callable[[str], str]
) -> ConfigEntry:
    """Replace an entry's command with a path without spaces.

    Called for clients that split a command at spaces, and could not start the program otherwise.

    Raises:
        EntryError: The path has no form without spaces.
    """
    command = entry.command or ""
    short_command = shorten(command)
    if " " in short_command:
        raise EntryError(
            f"{client.name} cannot start a program with spaces in its path: {command}",
            hint="install Paddock into a directory without spaces",
        )
    return replace(entry, command=short_command)


def resolve_variables(client: Client, entry: ConfigEntry) -> dict[str, str]:
    """Return the environment variables that a client would pass to an entry's server.

    Used to start a server for a check as its client would. References are replaced with the values
    that the variables have in this process, or with an empty string if a variable is not set.
    """
    entry_variables = {
        name: _resolve_variable_reference(client, value) for name, value in entry.env.items()
    }
    forwarded_variables = {
        name: os.environ[name] for name in entry.forwarded_variables if name in os.environ
    }
    return {**forwarded_variables, **entry_variables}


def _resolve_variable_reference(client: Client, value: str) -> str:
    if not client.variable:
        return value
    pattern = re.escape(client.variable).replace(NAME_PLACEHOLDER, r"([A-Za-z_][A-Za-z0-9_]*)")
    return re.sub(pattern, lambda match: os.environ.get(match[1], ""), value)
