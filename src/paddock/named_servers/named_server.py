"""The `NamedServer` class, which has the properties of a named server and can run it.

Creating the object is discovery. Reading its properties is inspection: code runs only to load its
tools, prompts and resources, on first use. Running the server is execution.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack

from paddock.authoring.author_code import is_loading_author_code
from paddock.authoring.resource import Resource
from paddock.errors import PaddockError
from paddock.extensions.names import normalize_key
from paddock.named_servers.definition import canonical_key
from paddock.named_servers.installations import read_installations
from paddock.named_servers.launch_command import build_launch_command, build_launch_environment
from paddock.named_servers.loader import get_origin
from paddock.named_servers.server_builder import build_server
from paddock.named_servers.server_ref import ServerRef
from paddock.named_servers.stored_form import to_plain_table
from paddock.serving.stdio import serve_target

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.authoring.prompt import Prompt
    from paddock.authoring.resource import ResourceTemplate
    from paddock.authoring.tool import Tool
    from paddock.named_servers.definition import ServerDefinition
    from paddock.named_servers.installations import Installation
    from paddock.named_servers.sources import DefinitionSource, ServerOutline
    from paddock.server import Server
    from paddock.serving.http import HttpOptions

PROPERTY_NAMES = (
    *("name", "title", "description", "version", "transport", "location", "key", "instructions"),
    *("tools", "tool_names", "prompts", "prompt_names", "resources", "resource_names", "options"),
    *("initialization", "installations", "configuration", "json_configuration", "problem"),
)
T = TypeVar("T")


class _DefinitionProperty(Generic[T]):
    """A property of `NamedServer` that returns the same field of its definition."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, server: NamedServer, owner: type | None = None) -> T:
        value: T = getattr(server.definition, self._name)
        return value


class NamedServer:
    """A named server: the user's own, a built-in one, or one from an extension.

    Properties, including other ones in the definition, can also be read by key, as in
    `server["tools"]` or `server["Tools"]`.
    """

    def __init__(
        self, source: DefinitionSource, definition: ServerDefinition | None = None
    ) -> None:
        self._source = source
        self._definition = definition
        self._server: Server | None = None

    def __repr__(self) -> str:
        return f"NamedServer({self.name!r})"

    def __getitem__(self, name: str) -> Any:
        for key in (name, canonical_key(name), normalize_key(name)):
            if key in PROPERTY_NAMES:
                return getattr(self, key)
        return self.definition.extra[name]

    @property
    def definition(self) -> ServerDefinition:
        """The definition of the server.

        Raises:
            PaddockError: The definition cannot be read.
        """
        if self._definition is None:
            self._definition = self._source.read()
        return self._definition

    @property
    def outline(self) -> ServerOutline:
        """A summary for lists. Trust level: discovery, unlike `definition`.

        Raises:
            PaddockError: The definition is missing or cannot be read.
        """
        return self._source.read_outline()

    @property
    def name(self) -> str:
        """The name of the server."""
        return self.definition.name if self._source.is_standalone_file else self._source.name

    @property
    def title(self) -> str | None:
        """The display name."""
        return self._summary_source.title

    @property
    def description(self) -> str | None:
        """The purpose of the server."""
        return self._summary_source.description

    @property
    def version(self) -> str:
        """The version of the server."""
        return self._summary_source.version

    transport = _DefinitionProperty[str]()
    """The default transport."""
    instructions = _DefinitionProperty["str | None"]()
    """Instructions for models that use the server."""
    options = _DefinitionProperty[dict[str, dict[str, Any]]]()
    """Option values by tool name."""
    initialization = _DefinitionProperty[Any]()
    """A reference to the function that runs when the server starts."""

    @property
    def location(self) -> Path | str:
        """The file of the definition, `built-in`, or the name of its extension."""
        return self._source.location

    @property
    def is_remote(self) -> bool:
        """True if its extension is not installed but listed in a catalogue."""
        return self._source.is_remote

    @property
    def key(self) -> str:
        """The default name of the entry in client config files."""
        return self.definition.config_key

    @property
    def tools(self) -> list[Tool]:
        """The tools, loaded on first use."""
        return list(self._get_loaded_server().tools)

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools, as clients see them."""
        return [tool.name for tool in self.tools]

    @property
    def prompts(self) -> list[Prompt]:
        """The prompts, loaded on first use."""
        return list(self._get_loaded_server().prompts)

    @property
    def prompt_names(self) -> list[str]:
        """The names of the prompts, as clients see them."""
        return [prompt.name for prompt in self.prompts]

    @property
    def resources(self) -> list[Resource | ResourceTemplate]:
        """The resources and resource templates, loaded on first use."""
        server = self._get_loaded_server()
        return [*server.resources, *server.templates]

    @property
    def resource_names(self) -> list[str]:
        """The URIs and URI templates of the resources."""
        return [
            resource.uri if isinstance(resource, Resource) else resource.uri_template
            for resource in self.resources
        ]

    @property
    def installations(self) -> list[Installation]:
        """The records of its installations in clients."""
        return read_installations(self.name)

    @property
    def configuration(self) -> dict[str, Any]:
        """The entry for most clients' config files: `{"mcpServers": {name: {"command": …}}}`."""
        source = self._source
        target = source.file if source.is_standalone_file else source.stable_name
        entry: dict[str, Any] = build_launch_command(target)._asdict()
        environment = build_launch_environment()
        if environment:
            entry["env"] = environment
        return {"mcpServers": {self.key: entry}}

    @property
    def json_configuration(self) -> str:
        """The configuration for most clients, as JSON for pasting."""
        return json.dumps(self.configuration, indent=2, ensure_ascii=False)

    @property
    def problem(self) -> str | None:
        """The error raised when the definition is read, or None."""
        try:
            _ = self.definition
        except PaddockError as error:
            return str(error)
        return None

    @property
    def properties(self) -> dict[str, Any]:
        """All properties in the definition, as a table."""
        return to_plain_table(self.definition)

    def load(self) -> Server:
        """Build a new `Server` from the definition, without starting it.

        Raises:
            PaddockError: The definition cannot be read, or an item cannot be loaded.
        """
        return build_server(self.definition, get_origin(self._source))

    def run(self, http: str | None = None, **options: Unpack[HttpOptions]) -> None:
        """Serve on standard input and output until the client disconnects, or over HTTP.

        Has no effect in a file that is being loaded by a server or by `paddock serve`.
        """
        if is_loading_author_code():
            return
        file = str(self._source.file) if self._source.is_standalone_file else None
        target = ServerRef(self.name if file else self._source.stable_name, file=file)
        if http is None:
            serve_target(target)
            return
        # Imported here, because asyncio takes 45 ms and is only needed for HTTP.
        from paddock.serving.http import serve_target_http

        serve_target_http(target, http, **options)

    @property
    def _summary_source(self) -> ServerDefinition | ServerOutline:
        # The definition of a server that is not installed cannot be read.
        return self.outline if self.is_remote and self._definition is None else self.definition

    def _get_loaded_server(self) -> Server:
        if self._server is None:
            self._server = self.load()
        return self._server
