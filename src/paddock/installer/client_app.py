"""One client: an application that servers are installed into, as a row of the table.

Rows are data. What a row says about places is worked out by `paths`, about entries by `shapes`,
about links by `links`; editing the files belongs to `editing` and to the installer.

The directories that rows of the table begin with, written as templates (see `client.Place`).
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
"""The names that every client takes."""


@dataclass(frozen=True, slots=True)
class ConfigLocation:
    """One file in which a client may keep its servers.

    The file is a template: `~` is the home directory, `${NAME:-default}` an environment variable,
    `*` in the name of a directory stands for any text. A place with a variable that has neither
    value nor default is none. `sign` is a path that exists only when this place is the one in use.
    """

    path_template: str
    marker_path: str = ""
    is_shared: bool = False
    """Whether its directory belongs to others too, and shows nothing by being there."""


@dataclass(frozen=True, slots=True)
class ConfigLocations:
    """The places of a client on each system; the first is written when none is there yet."""

    linux: tuple[ConfigLocation, ...] = ()
    macos: tuple[ConfigLocation, ...] = ()
    windows: tuple[ConfigLocation, ...] = ()

    def for_system(self, system: OperatingSystem) -> tuple[ConfigLocation, ...]:
        """The places on one system."""
        return {"linux": self.linux, "macos": self.macos, "windows": self.windows}[system]


@dataclass(frozen=True, slots=True)
class InstallLinkFormat:
    """How a link that installs a server is written.

    `text` holds `{name}`, `{config}` and so on; `config` says what stands for the server in it,
    and `encoding` how: percent-encoded, as base64, or both, one after the other.
    """

    url_template: str
    payload_kind: Literal["entry", "named-entry", "servers", "parameters"] = "entry"
    encoding: tuple[LinkEncoding, ...] = ("percent",)
    requires_package_runner: bool = False
    """Whether it starts no program by its path, and only uvx and its like."""


@dataclass(frozen=True, slots=True, eq=False)
class Client:
    """An application that servers can be installed into."""

    id: str
    """What users write: `claude-code`."""
    name: str
    """What users read: `Claude Code`."""
    canonical: str = ""
    """The name in Wolfram's AgentTools, for those who come from there: `ClaudeCode`."""
    aliases: tuple[str, ...] = ()
    kind: Literal["chat", "coding"] = "coding"
    """Which of the built-in servers suits it when none is named."""
    url: str = ""
    places: ConfigLocations = field(default_factory=ConfigLocations)
    all_places: bool = False
    """Whether every place that exists is written, and not just the first."""
    merges_files: bool = False
    """Whether it reads all of them that exist as one, so that entries hide each other."""
    project: tuple[str, ...] = ()
    """Files for one project, below its directory; the first is written when none is there yet."""
    format: Literal["json", "toml", "yaml"] = "json"
    dialect: Literal["strict", "comments", "jsonc"] = "jsonc"
    """What of JSON the client reads: nothing more, comments, or trailing commas too. The latter
    where nothing is known to be refused: a file that is in use is evidently read."""
    path: tuple[str, ...] = ("mcpServers",)
    """The keys that lead to the servers, from the root."""
    paths_by_file: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Other paths, in files of these names."""
    listed: bool = False
    """Whether the servers are a list of entries with a `name`, and not a mapping."""
    shape: EntryFormat = field(default_factory=lambda: EntryFormat({}))
    defaults: Mapping[tuple[str, ...], object] = field(default_factory=dict)
    """What a file needs beside the servers, by path; put in only where it is missing."""
    project_defaults: Mapping[tuple[str, ...], object] | None = None
    """The same for the file of a project, where it differs."""
    key_pattern: str = SAFE_KEY_PATTERN
    """The regular expression of the keys that the client takes."""
    marks: frozenset[str] = frozenset()
    """Fields of entries that only this client writes, to know its files by."""
    known_as: tuple[str, ...] = ()
    """Further ends of paths by which its files are known, with wildcards."""
    environment: Literal["all", "few"] = "few"
    """Whether servers get all of the client's environment, or HOME, PATH and a few; the latter
    where unknown."""
    patience: float = 30.0
    """Seconds that a server has to answer before the client gives it up; 30 where unknown."""
    variable: str = ""
    """How a value refers to an environment variable `NAME`; empty where it cannot."""
    starts_programs: bool = True
    """Whether it starts servers; where it runs elsewhere, it takes their URLs only."""
    splits_command: bool = False
    """Whether blanks in the path of the program break it on Windows."""
    steps: tuple[str, ...] = ()
    """What is left to the user after an installation, one sentence each."""
    project_steps: tuple[str, ...] = ()
    """The same after one into a project, besides."""
    quirks: tuple[str, ...] = ()
    """What is good to know, one sentence each; told on the page of the client only."""
    programs: tuple[str, ...] = ()
    """The names of its program on the PATH."""
    processes: tuple[str, ...] = ()
    """The names of its processes, where it overwrites the file while it runs."""
    signs: tuple[str, ...] = ()
    """Further templates of paths that show that it is there."""
    links: tuple[InstallLinkFormat, ...] = ()
    """Its links: first the one that opens the application, then one for web pages."""

    @property
    def supports_http(self) -> bool:
        """Whether it takes the address of a server."""
        return self.shape.http is not None

    @property
    def has_file(self) -> bool:
        """Whether its servers stand in a file; where they do not, the user pastes or clicks."""
        return bool(
            self.project or any(self.places.for_system(system) for system in OPERATING_SYSTEMS)
        )

    def get_follow_up_steps(self, *, is_project: bool) -> tuple[str, ...]:
        """What is left to the user after an installation for them, or into a project."""
        return (*self.steps, *self.project_steps) if is_project else self.steps

    def get_servers_path(self, file: PurePath | None = None) -> tuple[str, ...]:
        """The keys that lead to the servers in a file."""
        name = "" if file is None else file.name.casefold()
        return dict(self.paths_by_file).get(name, self.path)

    def get_entry_path(
        self, key: str, file: PurePath | None = None
    ) -> tuple[str | NamedElementStep, ...]:
        """The path of the entry for one server."""
        return (*self.get_servers_path(file), NamedElementStep(key) if self.listed else key)


CONFIG_DIRECTORY = "${XDG_CONFIG_HOME:-~/.config}"
APPLICATION_SUPPORT_DIRECTORY = "~/Library/Application Support"
APPDATA_DIRECTORY = "${APPDATA:-~/AppData/Roaming}"
LOCAL_APPDATA_DIRECTORY = "${LOCALAPPDATA:-~/AppData/Local}"


def locations_on_all_systems(*files: str | ConfigLocation) -> ConfigLocations:
    """The same places on all three systems."""
    places = tuple(_to_location(file) for file in files)
    return ConfigLocations(places, places, places)


def locations_by_system(
    *,
    linux: tuple[str | ConfigLocation, ...] = (),
    macos: tuple[str | ConfigLocation, ...] = (),
    windows: tuple[str | ConfigLocation, ...] = (),
) -> ConfigLocations:
    """Places that differ; none where the client does not run."""
    return ConfigLocations(
        *(tuple(_to_location(file) for file in files) for files in (linux, macos, windows))
    )


def application_locations(file: str) -> ConfigLocations:
    """A file in the directory that the system gives to applications."""
    return locations_by_system(
        linux=(f"{CONFIG_DIRECTORY}/{file}",),
        macos=(f"{APPLICATION_SUPPORT_DIRECTORY}/{file}",),
        windows=(f"{APPDATA_DIRECTORY}/{file}",),
    )


def _to_location(file: str | ConfigLocation) -> ConfigLocation:
    return file if isinstance(file, ConfigLocation) else ConfigLocation(file)
