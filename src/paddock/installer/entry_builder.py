"""What a client is told about a server: which command to start, with which variables, or which URL.

A server is named, or stands in a file or directory. The entry relies on nothing that the client
might not have: the command is absolute, and only variables go with it that the server needs. How
an entry is written down is the business of the client's shape.

An entry as one client can use it, where clients differ in more than the form.

Variables whose values are to stay out of the file are named in the way of the client, and read
back from there; programs get a path that the client does not break.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
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

    from paddock.installer.client_app import Client
    from paddock.installer.entry_format import EntryFormat


ServerReference = str | os.PathLike[str] | NamedServer
"""A named server, by its name or as it is, or the path of a file or directory."""
ToolOptionValues = Mapping[str, Mapping[str, object]]
EnvironmentVariables = Mapping[str, str | None]
"""Values for variables of the environment; None is the value that the client has of it."""

DEFAULT_SERVERS = {"chat": "Wolfram", "coding": "WolframLanguage"}
"""Which server a client of each kind gets when none is named."""
DEFAULT_SERVERS_WITHOUT_ENGINE = {"coding": "PythonDevelopment"}
"""The same for those that get another one where nothing evaluates the Wolfram Language."""
GENERIC_FILE_STEMS = frozenset({"server", "main", "app", "__init__", "__main__"})
"""Names of files that say nothing: the directory that they are in says more."""
PYTHON_EXECUTABLE_PATTERN = r"(python|pythonw|pypy)[0-9.]*t?|py"
PYTHON_FLAG_PATTERN = r"-[BEIOPRSbdiqsuv]+|-[WX].+"
"""Flags of Python that run nothing by themselves."""
UV_PROGRAMS = frozenset({"uv", "uvx"})
HEADER_LABEL = "header"
PYTHONPATH_VARIABLE = "PYTHONPATH"


class EntryError(PaddockError):
    """An entry cannot be as it was asked for: its name, its variables or its URL."""

    code = "invalid-entry"


@dataclass(frozen=True)
class InstallableServer:
    """A server that can be put into a client."""

    name: str
    """The name of a named server; else the absolute path."""
    key: str
    """What it is called in clients' files unless the user says otherwise."""
    description: str = ""
    named_server: NamedServer | None = None

    def check_definition(self) -> None:
        """Make sure that everything can be found that the server is made of.

        Raises:
            PaddockError: when it cannot.
        """
        if self.named_server is not None:
            self.named_server.load()

    def check_options(self, options: ToolOptionValues) -> None:
        """Make sure that the tools have these options, and can take these values.

        Raises:
            OptionError: when they cannot.
        """
        if self.named_server is not None:
            self.named_server.load().set_tool_options(options)
        else:
            PathTarget(self.name).load().set_tool_options(options)


def resolve_installable(server: ServerReference | None, client: Client) -> InstallableServer:
    """The server that is meant; None is the one that suits a client of this kind.

    Raises:
        ServerNotFoundError: when there is no such server.
        ExtensionError: when a qualified name leads nowhere.
        ServerDefinitionError: when it is broken.
        LoadError: when there is no such file or directory.
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
    from paddock.kernels.wolfram.engines import find_engines  # noqa: PLC0415 - seldom asked

    can_evaluate = any(
        engine.location and "evaluation" in engine.capabilities for engine in find_engines()
    )
    usual = DEFAULT_SERVERS[client.kind]
    return usual if can_evaluate else DEFAULT_SERVERS_WITHOUT_ENGINE.get(client.kind, usual)


def build_entry(
    server: InstallableServer,
    *,
    env: EnvironmentVariables | None = None,
    http: str | None = None,
    headers: Mapping[str, str] | None = None,
    options: ToolOptionValues | None = None,
) -> ConfigEntry:
    """The entry for a server, with what the user wants to have in it.

    A variable without a value is to be passed on by the client; how, `suited` knows.

    Raises:
        EntryError: when that cannot be.
        OptionError: when the tools of the server do not have such options.
    """
    if http is not None:
        if env or options:
            raise EntryError(
                "variables and options go to a program that the client starts, not to a URL",
                hint="give them to the server where it is started",
            )
        _check_url(http)
        sent = _check_text_values(headers or {}, HEADER_LABEL)
        return ConfigEntry(url=http, headers=sent, description=server.description)
    if headers:
        raise EntryError("headers go with a URL only", hint="give the URL too: --http URL")
    given = env or {}
    passed = _check_variable_names([name for name, value in given.items() if value is None])
    known = {name: value for name, value in given.items() if value is not None}
    variables = _check_text_values(known, "variable")
    if options:
        server.check_options(options)
        variables[OPTIONS_VARIABLE] = json.dumps(options, separators=(",", ":"))
    launch = build_launch_command(server.name if _is_served_by_name(server) else Path(server.name))
    needed = {**build_launch_environment(), **_get_import_path_variable()}
    return ConfigEntry(
        command=launch.command,
        args=tuple(launch.args),
        env={**needed, **variables},
        description=server.description,
        working_directory=str(Path.home()),
        forwarded_variables=passed,
    )


def check_key(client: Client, key: str) -> None:
    """Make sure that a client takes a key.

    Raises:
        EntryError: when it does not, with one that it takes.
    """
    if not re.fullmatch(client.key_pattern, key):
        raise EntryError(
            f"{client.name} cannot have a server called {key!r}",
            hint=f"name it {make_safe_key(key)!r}: letters, digits, - and _ are safe everywhere",
        )


def choose_entry_key(client: Client, server: InstallableServer, name: str | None) -> str:
    """The key of the entry: what the user says, or the server's own, as the client takes it."""
    if name is not None:
        check_key(client, name)
        return name
    return server.key if re.fullmatch(SAFE_KEY_PATTERN, server.key) else make_safe_key(server.key)


def find_started_server(entry: ConfigEntry) -> str | None:
    """The server that an entry starts, by name or path; None when it does not start Paddock.

    The program is Paddock's own, a Python with `-m paddock`, or uv. What hands it to another one,
    such as a container, is somebody else's.
    """
    rest = _find_serve_arguments(entry)
    if rest is None:
        return None
    if "--named" in rest[:-1]:
        return rest[rest.index("--named") + 1]
    return next((part for part in rest if not part.startswith("-")), None)


def _find_serve_arguments(entry: ConfigEntry) -> tuple[str, ...] | None:
    """What follows on `paddock serve` in the command of an entry."""
    program = re.split(r"[/\\]", entry.command or "")[-1].casefold().removesuffix(".exe")
    args = entry.args
    if program == "paddock":
        return args[1:] if args[:1] == ("serve",) else None
    if program in UV_PROGRAMS:
        pairs = enumerate(itertools.pairwise(args))
        start = next((place for place, pair in pairs if pair == ("paddock", "serve")), None)
        return None if start is None else args[start + 2 :]
    if entry.command != sys.executable and not re.fullmatch(PYTHON_EXECUTABLE_PATTERN, program):
        return None
    flags = tuple(itertools.takewhile(lambda arg: arg != "-m", args))
    is_plain = all(re.fullmatch(PYTHON_FLAG_PATTERN, flag) for flag in flags)
    rest = args[len(flags) :]
    return rest[3:] if is_plain and rest[:3] == ("-m", "paddock", "serve") else None


def has_server_name(entry: ConfigEntry) -> bool:
    """Whether an entry that starts Paddock names its server, and not a path."""
    return "--named" in entry.args


def merge_entry_data(
    shape: EntryFormat, old: object, entry: ConfigEntry, key: str
) -> dict[str, object]:
    """The data of an entry in the place of an older one of ours, with what the user did to that.

    Variables that the user has added stay, and so do settings of the client such as approvals.
    """
    before = shape.parse_entry(old)
    if before is None or not isinstance(old, dict) or (before.url is None) != (entry.url is None):
        return shape.render_entry(entry, key)
    passed = (name for name in before.forwarded_variables if name not in entry.env)
    merged = ConfigEntry(
        command=entry.command,
        args=entry.args,
        env=_merge_environment(before.env, entry),
        url=entry.url,
        headers={**before.headers, **entry.headers},
        description=entry.description,
        working_directory=before.working_directory or entry.working_directory,
        forwarded_variables=tuple(dict.fromkeys((*passed, *entry.forwarded_variables))),
    )
    new = shape.render_entry(merged, key)
    managed = _list_managed_fields(shape)
    return {**new, **{name: value for name, value in old.items() if name not in managed}}


def _merge_environment(before: Mapping[str, str], entry: ConfigEntry) -> dict[str, str]:
    """The variables of an entry, with those that the user added, in the order that they had."""
    kept = {name: value for name, value in before.items() if name not in entry.forwarded_variables}
    for name in (DATA_DIRECTORY_VARIABLE, OPTIONS_VARIABLE):
        kept.pop(name, None)
    env = dict(entry.env)
    theirs = [part for part in kept.pop(PYTHONPATH_VARIABLE, "").split(os.pathsep) if part]
    theirs = [part for part in theirs if not _is_paddock_import_path(part)]
    if theirs:
        ours = [part for part in env.get(PYTHONPATH_VARIABLE, "").split(os.pathsep) if part]
        env[PYTHONPATH_VARIABLE] = os.pathsep.join([*ours, *theirs])
    merged = {**kept, **env}
    return {name: merged[name] for name in dict.fromkeys([*before, *merged]) if name in merged}


def _is_paddock_import_path(directory: str) -> bool:
    """Whether we wrote this into the variable, so that Paddock is found."""
    return path_exists(Path(directory) / "paddock" / "version.py")


def _list_managed_fields(shape: EntryFormat) -> set[str]:
    """The fields of an entry that say what the server is, in every form that a client reads."""
    forms = [shape.stdio, *([shape.http] if shape.http else []), *shape.alternative_forms]
    return {
        name
        for form in forms
        for name, part in form.items()
        if isinstance(part, FormatField | FormatConstant) or (isinstance(part, Mapping) and part)
    }


def _is_path_argument(text: str) -> bool:
    is_rooted = text.startswith(("./", "../", "/", "~", ".\\", "..\\")) or Path(text).is_absolute()
    return is_rooted or text in (".", "..") or text.endswith((".py", ".toml")) or ":" in text


def _is_served_by_name(server: InstallableServer) -> bool:
    return server.named_server is not None and server.named_server.name == server.name


def _wrap_named_server(server: NamedServer) -> InstallableServer:
    if server.is_remote:
        _ = server.definition  # says how to install what brings it
    if server.problem is not None:
        raise ServerDefinitionError(
            f"the server {server.name!r} cannot be installed: {server.problem}",
            hint=f"see what it says: paddock show {server.name}",
        )
    return InstallableServer(server.name, server.key, server.description or "", server)


def _wrap_path(text: str) -> InstallableServer:
    path = str(Path(text).expanduser().absolute())
    if path.endswith(".toml"):
        if not Path(path).is_file():
            raise LoadError(f"there is no file {path}", hint="check the path")
        server = _wrap_named_server(get_server(Path(path)))
        return InstallableServer(path, server.key, server.description, server.named_server)
    target = PathTarget(path)
    stem = Path(target.path)
    name = stem.parent.name if stem.stem in GENERIC_FILE_STEMS else stem.stem
    return InstallableServer(path, make_safe_key(name), target.metadata.description or "")


def _get_import_path_variable() -> dict[str, str]:
    """The variable by which alone Paddock can be imported, where that is so."""
    home = Path(__file__).parents[2]
    given = os.environ.get(PYTHONPATH_VARIABLE, "").split(os.pathsep)
    if any(part and Path(part).absolute() == home for part in given):
        return {PYTHONPATH_VARIABLE: str(home)}
    return {}


def _check_text_values(pairs: Mapping[str, str], what: str) -> dict[str, str]:
    for name, value in pairs.items():
        if not isinstance(name, str) or not re.fullmatch(r"[^=\s\0:]+", name):
            raise EntryError(f"{name!r} cannot be the name of a {what}")
        if not isinstance(value, str):
            raise EntryError(
                f"the {what} {name} is of type {type(value).__name__}, expected a text",
                hint="clients drop entries with other values than text",
            )
        if "\0" in value:
            raise EntryError(f"the {what} {name} holds a zero byte")
        if what == HEADER_LABEL and not value.replace("\t", " ").isprintable():
            raise EntryError(f"the {what} {name} holds a line end or another control character")
    return dict(pairs)


def _check_variable_names(names: list[str]) -> tuple[str, ...]:
    for name in names:
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise EntryError(
                "a variable without a value has to be a name: letters, digits and _",
                hint="give a name, or a name and a value: --env NAME=VALUE",
            )
    return tuple(names)


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_url = is_url and parts.port != 0 and url.isprintable() and " " not in url
    except ValueError:  # brackets that are not closed, a port that is none
        is_url = False
    if not is_url:
        # Not the text itself, which may hold a secret.
        raise EntryError(
            "what is given for --http is no URL", hint="as in http://127.0.0.1:8000/mcp"
        )


NAME_PLACEHOLDER = "NAME"
"""What stands for the name of a variable in the table."""
MAX_WINDOWS_PATH_CHARACTERS = 32768
"""Characters of a path on Windows, at most."""


def get_short_path(path: str) -> str:
    """The old form of a path, without blanks, where Windows keeps one; else the path itself."""
    if sys.platform != "win32":
        return path
    import ctypes  # noqa: PLC0415 - for one client on one system

    buffer = ctypes.create_unicode_buffer(MAX_WINDOWS_PATH_CHARACTERS)
    length = ctypes.windll.kernel32.GetShortPathNameW(path, buffer, MAX_WINDOWS_PATH_CHARACTERS)
    return buffer.value if 0 < length < MAX_WINDOWS_PATH_CHARACTERS else path


def adapt_entry(
    client: Client,
    entry: ConfigEntry,
    *,
    shorten: Callable[[str], str] | None = get_short_path if sys.platform == "win32" else None,
) -> ConfigEntry:
    """An entry as a client can start it.

    Args:
        client: The client.
        entry: What is meant.
        shorten: Gives a path without blanks for one that has some; None where blanks do no harm.

    Raises:
        EntryError: when the client cannot refer to variables, or there is no path without blanks.
    """
    if entry.forwarded_variables:
        entry = _add_variable_references(client, entry)
    if shorten is not None and client.splits_command and " " in (entry.command or ""):
        entry = _shorten_command(client, entry, shorten)
    return entry


def resolve_variables(client: Client, entry: ConfigEntry) -> dict[str, str]:
    """The variables that an entry has the client give to the server, with their values here.

    A variable that is referred to and is not set is empty, as it is in clients.
    """
    values = {name: _resolve_variable_reference(client, value) for name, value in entry.env.items()}
    here = {name: os.environ[name] for name in entry.forwarded_variables if name in os.environ}
    return {**here, **values}


def _add_variable_references(client: Client, entry: ConfigEntry) -> ConfigEntry:
    if client.shape.has_variable_list:
        return entry
    if not client.variable:
        raise _make_reference_error(client, entry.forwarded_variables)
    references = {
        name: client.variable.replace(NAME_PLACEHOLDER, name) for name in entry.forwarded_variables
    }
    return replace(entry, env={**entry.env, **references}, forwarded_variables=())


def _make_reference_error(client: Client, names: tuple[str, ...]) -> EntryError:
    options = " ".join(f"--env {name}" for name in names)
    if client.environment == "all":
        hint = f"leave out {options}: it gives servers all variables that it is started with"
    else:
        valued = " ".join(f"--env {name}=VALUE" for name in names)
        hint = f"give the value, which stands in the file then: {valued}"
    return EntryError(
        f"{client.name} cannot refer to environment variables in its file: {', '.join(names)}",
        hint=hint,
    )


def _resolve_variable_reference(client: Client, value: str) -> str:
    if not client.variable:
        return value
    pattern = re.escape(client.variable).replace(NAME_PLACEHOLDER, r"([A-Za-z_][A-Za-z0-9_]*)")
    return re.sub(pattern, lambda found: os.environ.get(found[1], ""), value)


def _shorten_command(
    client: Client, entry: ConfigEntry, shorten: Callable[[str], str]
) -> ConfigEntry:
    command = entry.command or ""
    short = shorten(command)
    if " " in short:
        raise EntryError(
            f"{client.name} cannot start a program with blanks in its path: {command}",
            hint="install Paddock into a directory without blanks",
        )
    return replace(entry, command=short)
