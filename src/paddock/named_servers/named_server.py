"""A named server as Python sees it: its properties, and running it.

Having it is discovery. Its properties are inspection: looking at them runs nothing but what its
tools and prompts are made of, and that only when they are asked for. Running it is execution.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Unpack

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
    *("tools", "tool_names", "prompts", "prompt_names", "resources", "resource_names"),
    *(
        "options",
        "initialization",
        "installations",
        "configuration",
        "json_configuration",
        "problem",
    ),
)


class NamedServer:
    """A server that is known by a name: the user's own, a built-in one, or an extension's.

    Every property can also be had by its name, `server["tools"]` or `server["Tools"]`, and so can
    whatever else the definition says.
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
        for own in (name, canonical_key(name), normalize_key(name)):
            if own in PROPERTY_NAMES:
                return getattr(self, own)
        return self.definition.extra[name]

    @property
    def definition(self) -> ServerDefinition:
        """What the server is made of.

        Raises:
            PaddockError: when the definition cannot be read.
        """
        if self._definition is None:
            self._definition = self._source.read()
        return self._definition

    @property
    def outline(self) -> ServerOutline:
        """What a list tells about it. Trust level: discovery, unlike that of `definition`.

        Raises:
            PaddockError: when the definition is missing, or cannot be read.
        """
        return self._source.outline()

    @property
    def name(self) -> str:
        """What the server is called."""
        return self.definition.name if self._is_standalone_file else self._source.name

    @property
    def title(self) -> str | None:
        """What people read."""
        return self._summary_source.title

    @property
    def description(self) -> str | None:
        """What the server is for."""
        return self._summary_source.description

    @property
    def version(self) -> str:
        """The version of the server."""
        return self._summary_source.version

    @property
    def transport(self) -> str:
        """How it is served unless asked otherwise."""
        return self.definition.transport

    @property
    def location(self) -> Path | str:
        """The file of the definition, `built-in`, or the name of the extension that brings it."""
        return self._source.location

    @property
    def is_remote(self) -> bool:
        """Whether its extension is not installed, and a catalogue is all that tells of it."""
        return self._source.is_remote

    @property
    def key(self) -> str:
        """What it is called in the files of clients."""
        return self.definition.config_key

    @property
    def instructions(self) -> str | None:
        """What a model should know before it uses the server."""
        return self.definition.instructions

    @property
    def options(self) -> dict[str, dict[str, Any]]:
        """Values for options of its tools."""
        return self.definition.options

    @property
    def initialization(self) -> Any:
        """The reference of the function that runs when the server starts."""
        return self.definition.initialization

    @property
    def tools(self) -> list[Tool]:
        """The tools, resolved now."""
        return list(self._get_loaded_server().tools)

    @property
    def tool_names(self) -> list[str]:
        """The names under which clients see the tools."""
        return [tool.name for tool in self.tools]

    @property
    def prompts(self) -> list[Prompt]:
        """The prompts, resolved now."""
        return list(self._get_loaded_server().prompts)

    @property
    def prompt_names(self) -> list[str]:
        """The names under which clients see the prompts."""
        return [prompt.name for prompt in self.prompts]

    @property
    def resources(self) -> list[Resource | ResourceTemplate]:
        """The resources and resource templates, resolved now."""
        server = self._get_loaded_server()
        return [*server.resources, *server.templates]

    @property
    def resource_names(self) -> list[str]:
        """The URIs, and the templates of URIs, under which clients see the resources."""
        found = self.resources
        return [one.uri if isinstance(one, Resource) else one.uri_template for one in found]

    @property
    def installations(self) -> list[Installation]:
        """Where it has been installed."""
        return read_installations(self.name)

    @property
    def configuration(self) -> dict[str, Any]:
        """What most clients want to have in their file, as data."""
        target = self._source.file if self._is_standalone_file else self._source.stable_name
        command, args = build_launch_command(target)
        entry: dict[str, Any] = {"command": command, "args": args}
        environment = build_launch_environment()
        if environment:
            entry["env"] = environment
        return {"mcpServers": {self.key: entry}}

    @property
    def json_configuration(self) -> str:
        """What most clients want to have in their file, as text to paste."""
        return json.dumps(self.configuration, indent=2, ensure_ascii=False)

    @property
    def problem(self) -> str | None:
        """Why the server is broken; None when its definition can be read."""
        try:
            _ = self.definition
        except PaddockError as error:
            return str(error)
        return None

    @property
    def properties(self) -> dict[str, Any]:
        """What the definition says, as a plain table, whatever it is."""
        return to_plain_table(self.definition)

    def load(self) -> Server:
        """The server, made anew; it is not started.

        Raises:
            PaddockError: when the definition cannot be read or something in it cannot be found.
        """
        return build_server(self.definition, get_origin(self._source))

    def run(self, http: str | None = None, **options: Unpack[HttpOptions]) -> None:
        """Serve standard input and output until the client leaves; or an address over HTTP.

        Does nothing while the file that calls it is loaded for what it defines.
        """
        if is_loading_author_code():
            return
        file = str(self._source.file) if self._is_standalone_file else None
        target = ServerRef(self.name if file else self._source.stable_name, file=file)
        if http is None:
            serve_target(target)
            return
        from paddock.serving.http import serve_target_http  # noqa: PLC0415 - asyncio is 45 ms

        serve_target_http(target, http, **options)

    @property
    def _is_standalone_file(self) -> bool:
        """Whether it is a file somewhere, that nobody finds by its name."""
        return self._source.is_standalone_file

    @property
    def _summary_source(self) -> ServerDefinition | ServerOutline:
        """What tells the title, the description and the version."""
        return self.outline if self.is_remote and self._definition is None else self.definition

    def _get_loaded_server(self) -> Server:
        if self._server is None:
            self._server = self.load()
        return self._server
