"""Client applications: the fields of a row in `clients.toml`.

A row is data. `locations` resolves its paths, `entry_format` renders its entries, and `links`
builds its install links.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from paddock.installer.config_files.document import NamedElementStep
from paddock.installer.entry_format import EntryFormat

if TYPE_CHECKING:
    from pathlib import PurePath


OperatingSystem: TypeAlias = Literal["linux", "macos", "windows"]
OPERATING_SYSTEMS: tuple[OperatingSystem, ...] = ("linux", "macos", "windows")
LinkEncoding: TypeAlias = Literal["percent", "base64"]
SAFE_KEY_PATTERN = r"[A-Za-z0-9_-]+"
"""Entry names that every client accepts."""


@dataclass(frozen=True, slots=True)
class ConfigLocation:
    """The path template of a configuration file that lists a client application's servers.

    In the template, `~` is the home directory, `${NAME:-default}` is an environment variable, and
    `*` in a directory name matches any text. If a variable without a default is not set, the
    location is skipped.
    """

    path_template: str
    marker_path: str = ""
    """A path that exists only if the client uses this location rather than another one."""
    is_shared: bool = False
    """True if other programs use the directory too, so its existence does not show that the client
    is installed."""


@dataclass(frozen=True, slots=True)
class InstallLinkFormat:
    """The format of a link that installs a server into a client application."""

    url_template: str
    """The URL, with the placeholders `{name}`, `{config}` and `{type}`."""
    payload_kind: Literal["entry", "named-entry", "servers", "parameters"] = "entry"
    """The data that replaces `{config}`."""
    encoding: tuple[LinkEncoding, ...] = ("percent",)
    """The encodings that are applied to this data, in order."""
    requires_package_runner: bool = False
    """True if a link can only start package runners such as uvx, not a program by its path."""


@dataclass(frozen=True, slots=True, eq=False)
class Client:
    """An application that servers can be installed into."""

    id: str
    """The name on the command line: `claude-code`."""
    name: str
    """The display name: `Claude Code`."""
    canonical: str = ""
    """The name in Wolfram's AgentTools: `ClaudeCode`."""
    aliases: tuple[str, ...] = ()
    kind: Literal["chat", "coding"] = "coding"
    """Selects the built-in server that is installed by default."""
    url: str = ""
    places: Mapping[OperatingSystem, tuple[ConfigLocation, ...]] = field(default_factory=dict)
    """The client's configuration locations on each system, the preferred one first."""
    all_places: bool = False
    """True to write every location that exists, not only the first."""
    merges_files: bool = False
    """True if the client merges all existing files, so that entries can hide each other."""
    project: tuple[str, ...] = ()
    """A project's config files, relative to its directory. Paddock uses the first that exists, or
    else creates the first of all."""
    format: Literal["json", "toml", "yaml"] = "json"
    dialect: Literal["strict", "comments", "jsonc"] = "jsonc"
    """The JSON that the client reads: standard, with comments, or with trailing commas as well.
    If no limit is documented, `jsonc`: a file in use is evidently one that the client can read."""
    path: tuple[str, ...] = ("mcpServers",)
    """The keys that lead from the root to the servers."""
    paths_by_file: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Other such keys, for files with these names."""
    listed: bool = False
    """True if the servers are a list of entries with a `name`; otherwise they are a mapping."""
    shape: EntryFormat = field(default_factory=lambda: EntryFormat({}))
    defaults: Mapping[tuple[str, ...], object] = field(default_factory=dict)
    """Other values that a file must contain, by path; existing values are not changed."""
    project_defaults: Mapping[tuple[str, ...], object] | None = None
    """The same for the files of projects, if different."""
    key_pattern: str = SAFE_KEY_PATTERN
    """A regular expression that matches valid entry names."""
    marks: frozenset[str] = frozenset()
    """Entry fields that only this client writes, which identify its files."""
    known_as: tuple[str, ...] = ()
    """Other path endings of its files, with wildcards."""
    environment: Literal["all", "few"] = "few"
    """Variables that servers inherit: all, or only HOME, PATH and a few more. `few` if unknown."""
    patience: float = 30.0
    """Seconds the client waits for a server to start; 30 if unknown."""
    variable: str = ""
    """The syntax of a reference to the environment variable `NAME`; empty if not supported."""
    starts_programs: bool = True
    """False if the client runs on another machine and accepts only URLs."""
    splits_command: bool = False
    """True if spaces in the command path break it on Windows."""
    steps: tuple[str, ...] = ()
    """Manual steps after an installation, one sentence each."""
    project_steps: tuple[str, ...] = ()
    """Additional steps after an installation into a project."""
    quirks: tuple[str, ...] = ()
    """Facts about the client, one sentence each, for its section of the documentation."""
    programs: tuple[str, ...] = ()
    """Names of its program on the PATH."""
    processes: tuple[str, ...] = ()
    """Names of its processes, if it overwrites its file while it runs."""
    signs: tuple[str, ...] = ()
    """Templates of other paths whose existence shows that the client is installed."""
    links: tuple[InstallLinkFormat, ...] = ()
    """Its install links: first one that opens the application, then one for web pages."""

    @property
    def supports_http(self) -> bool:
        """True if an entry can contain the URL of a server."""
        return self.shape.http is not None

    @property
    def has_file(self) -> bool:
        """True if the client has config files; otherwise users paste an entry or follow a link."""
        return bool(self.project or any(self.places.values()))

    def get_follow_up_steps(self, *, is_project: bool) -> tuple[str, ...]:
        """Return the manual steps after an installation for the user or into a project."""
        return (*self.steps, *self.project_steps) if is_project else self.steps

    def get_servers_path(self, file: PurePath | None = None) -> tuple[str, ...]:
        """Return the keys that lead to the servers in a file."""
        name = "" if file is None else file.name.casefold()
        return dict(self.paths_by_file).get(name, self.path)

    def get_entry_path(
        self, key: str, file: PurePath | None = None
    ) -> tuple[str | NamedElementStep, ...]:
        """Return the path of one server's entry in a file."""
        return (*self.get_servers_path(file), NamedElementStep(key) if self.listed else key)
