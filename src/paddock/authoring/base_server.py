"""The contents of a server: its metadata, tools, prompts, resources and skills.

`BaseServer` only stores the contents. `authoring.methods` answers requests, and
`paddock.server.Server` adds methods that run the server.

The module is needed before the first answer, so it is loaded before msgspec and imports nothing
outside the standard library.
"""

from __future__ import annotations

from paddock.authoring.author_code import find_caller_file, resolve_path
from paddock.authoring.component_registry import ComponentRegistry, attach_item
from paddock.authoring.prompt import Prompt
from paddock.authoring.resource import Resource, ResourceTemplate
from paddock.authoring.skill import Skill, SkillRegistry, load_skills
from paddock.authoring.tool import Tool
from paddock.errors import DefinitionError, get_logger
from paddock.lazy_modules import LazyModule
from paddock.protocol.server_metadata import ServerMetadata
from paddock.protocol.versions import SKILLS_EXTENSION, UI_EXTENSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Self, TypeVar, overload

    from opentelemetry.trace import TracerProvider

    from paddock.authoring.app_view import AppView
    from paddock.authoring.mounted_items import MountTable
    from paddock.authoring.prompt import CompletionSource, PromptArgument
    from paddock.authoring.tool import Parameter
    from paddock.errors import PaddockError
    from paddock.protocol.content import Icon
    from paddock.protocol.request import TaskSupport
    from paddock.protocol.server_metadata import Json

    F = TypeVar("F", bound=Callable[..., Any])
    ServerItem = Tool | Prompt | Resource | ResourceTemplate | Skill
    SkillSource = Skill | str | os.PathLike[str]
    ChangeCallback = Callable[[str, str | None], int]
    from paddock.authoring import directory_loader, option_values
else:  # few servers need them, and they load msgspec
    directory_loader = LazyModule("paddock.authoring.directory_loader")
    option_values = LazyModule("paddock.authoring.option_values")

KNOWN_CAPABILITIES = frozenset(
    {
        *("completions", "experimental", "extensions", "logging"),
        *("prompts", "resources", "tasks", "tools"),
    }
)
MIN_STATE_KEY_BYTES = 32
MAX_MESSAGE_BYTES = 128 * 1024 * 1024


class BaseServer:
    """A server's metadata and the items that it offers.

    Args:
        name: The server's name, as clients see it.
        version: The version of this server, not of the protocol.
        instructions: Guidance for models that use the server.
        capabilities: Capabilities to declare. By default, everything that the server supports.
        lifespan: A function that takes the server and returns a context manager, plain or
            asynchronous. It is entered once per connection, before the first request is answered;
            the value that it yields is `ctx.state`.
        page_size: Maximum number of list entries per page. By default, lists have one page.
        state_key: At least 32 secret bytes for signing the state that clients keep for the server
            between two requests. Needed only if another process may receive the second request.
        mask_errors: Hide the text of handler exceptions from clients.
        max_message: Maximum size of a client message, in bytes.
        cache_ttl_ms: How long clients may cache lists and resources, in milliseconds.
        cache_scope: `public` if caches may share them between users, otherwise `private`.
        skills: Skills, or directories that are or contain skills. Relative paths are resolved
            against the file that creates the server.
        authorization: Access control for HTTP. By default, every client that can connect is
            allowed.
        auto_register_dir: A directory with `tools/`, `prompts/`, `resources/` and `skills/`. A
            relative path is resolved against the file that creates the server.
        tracing: True, or a tracer provider, to create an OpenTelemetry span for each request. By
            default, spans are created if OpenTelemetry is configured when the server starts.
    """

    def __init__(
        self,
        name: str,
        *,
        version: str = "0.0.0",
        title: str | None = None,
        description: str | None = None,
        instructions: str | None = None,
        website_url: str | None = None,
        icons: Sequence[Icon | Json] | None = None,
        capabilities: Mapping[str, object] | None = None,
        tools: Tool | Iterable[Tool] = (),
        prompts: Prompt | Iterable[Prompt] = (),
        resources: Resource | ResourceTemplate | Iterable[Resource | ResourceTemplate] = (),
        skills: SkillSource | Iterable[SkillSource] = (),
        lifespan: Callable[[Any], Any] | None = None,
        page_size: int | None = None,
        state_key: bytes | None = None,
        mask_errors: bool = False,
        max_message: int = MAX_MESSAGE_BYTES,
        cache_ttl_ms: int = 0,
        cache_scope: str = "private",
        authorization: Any = None,
        auto_register_dir: str | os.PathLike[str] | None = None,
        tracing: TracerProvider | bool | None = None,
    ) -> None:
        _check_arguments(name, capabilities, page_size, state_key)
        # The handshake is answered before the rest of the library is imported, so everything that
        # it needs is in one small object.
        self.metadata = ServerMetadata(
            name,
            version=version,
            title=title,
            description=description,
            instructions=instructions,
            website_url=website_url,
            icons=_to_plain_icons(icons),
            capabilities=capabilities,
            cache_ttl_ms=cache_ttl_ms,
            cache_scope=cache_scope,
        )
        self.lifespan_function = lifespan
        self.can_list_before_lifespan = False
        """Whether lists can be answered before the lifespan is entered.

        Set by `paddock.named_servers`.
        """
        self.mounts: MountTable | None = None
        """The mounted servers, if any; see `paddock.mounting`."""
        self.page_size = page_size
        self.state_key = state_key
        self.mask_errors = mask_errors
        self.max_message = max_message
        self.authorization = authorization
        self.tracing = tracing
        # Fail at declaration. Otherwise a missing package would be noticed only at the first call.
        if tracing:
            _require_opentelemetry()
        self._connections: dict[ChangeCallback, Callable[[], object] | None] = {}
        self._deferred_changes: set[str] | None = None
        self._subscribers: dict[str, list[Callable[[str], object]]] = {}
        self.tools: ComponentRegistry[Tool] = ComponentRegistry(
            lambda: self._notify_change("tools")
        )
        self.prompts: ComponentRegistry[Prompt] = ComponentRegistry(
            lambda: self._notify_change("prompts")
        )
        # The protocol has no notifications for templates and skills. The resource notification
        # covers them.
        notify_resources = lambda: self._notify_change("resources")  # noqa: E731 - used three times
        self.resources: ComponentRegistry[Resource] = ComponentRegistry(notify_resources)
        self.templates: ComponentRegistry[ResourceTemplate] = ComponentRegistry(notify_resources)
        self.skills = SkillRegistry(notify_resources, self.register)
        self.registries: dict[str, ComponentRegistry[Any]] = {
            "tools": self.tools,
            "prompts": self.prompts,
            "resources": self.resources,
            "templates": self.templates,
        }
        """The registries that mounted servers can contribute items to, by kind of item."""
        # `find_caller_file` counts stack frames, so it must be called directly in the constructor.
        for items in (tools, prompts, resources, _collect_skills(skills, find_caller_file())):
            self.register(items)
        if auto_register_dir is not None:
            self._register_directory(auto_register_dir, find_caller_file())

    @property
    def name(self) -> str:
        """The server's name, as clients see it."""
        return self.metadata.name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def register(self, items: ServerItem | Iterable[ServerItem]) -> Self:
        """Add one or more tools, prompts, resources, templates or skills to the server.

        An item replaces a registered item with the same name or URI. Returns the server.

        Raises:
            DefinitionError: `items` is something else.
        """
        if isinstance(items, Tool):
            self._register_tool(items)
        elif isinstance(items, Prompt):
            self.prompts.add(items.name, items)
        elif isinstance(items, Resource):
            self._declare_ui_extension(items.uri)
            self.resources.add(items.uri, items)
        elif isinstance(items, ResourceTemplate):
            self._declare_ui_extension(items.uri_template)
            self.templates.add(items.uri_template, items)
        elif isinstance(items, Skill):
            # Declared when the first skill is added, because a server without skills must not
            # announce the extension.
            self.metadata.declare_extension(SKILLS_EXTENSION, {"directoryRead": True})
            self.skills.add(items.path, items)
        elif hasattr(items, "__iter__") and not isinstance(items, str | bytes | dict):
            self._register_all(items)
        else:
            raise DefinitionError(
                f"cannot register {items!r}",
                hint="expected Tool, Prompt, Resource, ResourceTemplate, Skill, or several of them",
            )
        return self

    def _declare_ui_extension(self, uri: str) -> None:
        if uri.startswith("ui://"):
            self.metadata.declare_extension(UI_EXTENSION, {})

    def _register_tool(self, tool: Tool) -> None:
        """Add a tool and, if its UI is a resource, that resource."""
        if tool.ui is not None or tool.visibility is not None:
            self.metadata.declare_extension(UI_EXTENSION, {})
        if isinstance(tool.ui, Resource):
            self.resources.add(tool.ui.uri, tool.ui)
        self.tools.add(tool.name, tool)

    def skill(
        self,
        directory: str | os.PathLike[str],
        *,
        prefix: str = "",
        listed: bool = True,
        relative_to: str | None = None,
    ) -> Self:
        """Add the skill in a directory with a SKILL.md, and return the server.

        `Skill.from_directory` documents the arguments. A relative path is resolved against the
        file `relative_to`, by default the calling file.
        """
        path = resolve_path(directory, relative_to or find_caller_file())
        return self.register(Skill.from_directory(path, prefix=prefix, listed=listed))

    def _register_all(self, items: Iterable[ServerItem]) -> None:
        """Register multiple items, then notify clients once for each list that has changed.

        Clients fetch a list again after each notification. If each item triggered one, registering
        100 tools would make them fetch the list 100 times.
        """
        # An iterable may contain iterables of items. Only the outermost call sends notifications.
        is_outermost = self._deferred_changes is None
        if is_outermost:
            self._deferred_changes = set()
        try:
            for item in items:
                self.register(item)
        finally:
            if is_outermost:
                changed_kinds, self._deferred_changes = self._deferred_changes or set(), None
                for kind in sorted(changed_kinds):
                    self._notify_change(kind)

    def auto_register(
        self, directory: str | os.PathLike[str], *, relative_to: str | None = None
    ) -> Self:
        """Add the items defined in a directory's `tools/`, `prompts/`, `resources/`, `skills/`.

        A relative path is resolved against the file `relative_to`, by default the calling file. A
        file that cannot be loaded is reported on standard error and in the log, and does not
        prevent other files from loading.
        """
        self._register_directory(directory, relative_to or find_caller_file())
        return self

    def _register_directory(
        self, directory: str | os.PathLike[str], relative_to: str | None
    ) -> None:
        """Register the items defined by the files in a directory; see `auto_register`."""
        for items in directory_loader.load_directory(directory, relative_to):
            self.register(items)

    if TYPE_CHECKING:

        @overload
        def tool(self, function: F, /, **options: object) -> F: ...
        @overload
        def tool(
            self,
            named: str | None = None,
            /,
            *,
            name: str | None = None,
            title: str | None = None,
            description: str | None = None,
            parameters: Sequence[Parameter] | None = None,
            input_schema: Mapping[str, Any] | None = None,
            output_schema: Mapping[str, Any] | None = None,
            return_type: object = None,
            mime_type: str | None = None,
            annotations: Mapping[str, Any] | None = None,
            icons: Sequence[Icon | Json] | None = None,
            meta: Mapping[str, Any] | None = None,
            inline: bool = False,
            lenient: bool = False,
            scopes: Iterable[str] = (),
            task: TaskSupport = "forbidden",
            task_from_handler: bool = False,
            ui: str | AppView | None = None,
            visibility: Sequence[str] | None = None,
            options: Mapping[str, object] | None = None,
            failures: Callable[[PaddockError], Mapping[str, object]] | None = None,
        ) -> Callable[[F], F]: ...
        def tool(self, function: object = None, /, **options: object) -> object:
            """Register a function as a tool, described by its name, docstring and type hints."""
    else:

        def tool(self, function=None, /, *, name=None, **options):
            """Register a function as a tool, described by its name, docstring and type hints.

            Use it bare or with fields of `Tool`. Returns the function unchanged.
            """
            if isinstance(function, str):
                function, name = None, function
            if function is None:
                return lambda function: self.tool(function, name=name, **options)
            tool = Tool(name or _get_function_name(function), function, **options)
            self._register_tool(tool)
            attach_item(function, tool)
            return function

    if TYPE_CHECKING:

        @overload
        def prompt(self, function: F, /, **options: object) -> F: ...
        @overload
        def prompt(
            self,
            /,
            *,
            name: str | None = None,
            title: str | None = None,
            description: str | None = None,
            arguments: Sequence[PromptArgument] | None = None,
            icons: Sequence[Icon | Json] | None = None,
            meta: Json | None = None,
            completions: Mapping[str, CompletionSource] | None = None,
        ) -> Callable[[F], F]: ...
        def prompt(self, function: object = None, /, **options: object) -> object:
            """Register a function as a prompt; it returns the prompt's text or messages."""
    else:

        def prompt(self, function=None, /, *, name=None, **options):
            """Register a function as a prompt; it returns the prompt's text or messages.

            Use it bare or with fields of `Prompt`. Returns the function unchanged.
            """
            if function is None:
                return lambda function: self.prompt(function, name=name, **options)
            prompt = Prompt(name or _get_function_name(function), handler=function, **options)
            self.register(prompt)
            attach_item(function, prompt)
            return function

    def resource(self, uri: str, /, **options: Any) -> Callable[[F], F]:
        """Register a function as a resource, or as a template if the URI contains variables."""
        if not isinstance(uri, str):
            raise DefinitionError(
                "@server.resource needs a URI", hint='write @server.resource("notes://today")'
            )
        item_type = ResourceTemplate if "{" in uri else Resource

        def decorate(function: F) -> F:
            fields = (
                options if "name" in options else {**options, "name": _get_function_name(function)}
            )
            item = item_type(uri, function, **fields)
            self.register(item)
            attach_item(function, item)
            return function

        return decorate

    def set_tool_options(self, values: Mapping[str, Mapping[str, object]]) -> Self:
        """Set tool option values, by tool name and option name, and return the server.

        Raises:
            OptionError: A tool or option does not exist, or a value is invalid.
        """
        configured_tools = []
        for name, values_by_option in values.items():
            tool = self.tools.get(name)
            if tool is None:
                raise option_values.create_unknown_tool_error(name, self.tools.names())
            configured_tools.append(tool.with_options(values_by_option))
        return self.register(configured_tools)

    def resource_updated(self, uri: str) -> int:
        """Notify the clients that have subscribed to a resource that it has changed.

        Returns the number of clients notified.
        """
        # The list is copied, because a callback may unsubscribe while the loop runs.
        for callback in list(self._subscribers.get(uri, ())):
            _notify_subscriber(callback, uri)
        return sum(announce("resources", uri) for announce in list(self._connections))

    def list_changed(self, kind: str) -> int:
        """Notify clients that a list has changed: `tools`, `prompts` or `resources`.

        Registering and removing items send this notification automatically. Returns the number of
        clients notified.
        """
        if kind not in ("tools", "prompts", "resources"):
            raise DefinitionError(f"unknown kind {kind!r}", hint="tools, prompts or resources")
        return sum(announce(kind, None) for announce in list(self._connections))

    def elicitation_complete(self, elicitation_id: str) -> int:
        """Notify the client that a page opened by `elicit_url` is complete.

        Returns the number of clients notified. Only session clients can be notified: the
        stateless protocol version has no such notification.
        """
        return sum(announce("elicitation", elicitation_id) for announce in list(self._connections))

    def subscribe(self, uri: str, callback: Callable[[str], object]) -> Self:
        """Call `callback` in this process whenever a resource changes."""
        self._subscribers.setdefault(uri, []).append(callback)
        return self

    def unsubscribe(self, uri: str, callback: Callable[[str], object]) -> Self:
        """Undo `subscribe`."""
        callbacks = self._subscribers.get(uri, [])
        if callback in callbacks:
            callbacks.remove(callback)
        return self

    def stop(self) -> None:
        """Close all connections gracefully, which ends `run`. Thread-safe."""
        for stop in list(self._connections.values()):
            if stop is not None:
                stop()

    def add_connection(self, announce: ChangeCallback, stop: Callable[[], object] | None) -> None:
        """Add a connection that receives the server's change notifications from now on.

        Called by transports, and by a server that mounts this one.

        Args:
            announce: Sends a change notification and returns the number of clients notified.
            stop: Closes the connection. None if this server is mounted in another one, which must
                not be stopped from here.
        """
        self._connections[announce] = stop
        # Mounted servers stay connected as long as a client is connected. A server that mounts this
        # one registers its own clients as holders, so only connections that can be stopped count.
        if self.mounts is not None and stop is not None:
            self.mounts.add_holder(announce)

    def remove_connection(self, announce: ChangeCallback) -> None:
        """Undo `add_connection`."""
        self._connections.pop(announce, None)
        if self.mounts is not None:
            self.mounts.remove_holder(announce)

    def set_mounts(self, mounts: MountTable) -> None:
        """Attach the table of mounted servers. Called by `paddock.mounting`."""
        self.mounts = mounts
        for announce, stop in list(self._connections.items()):
            if stop is not None:
                mounts.add_holder(announce)

    def update_from(self, other: BaseServer) -> None:
        """Replace the metadata and items with those of another server, and notify clients.

        Used when a server's definition changes while clients are connected. The definition is
        loaded as a new server, and this server takes over its contents. The state of the current
        lifespan is kept.
        """
        self.metadata = other.metadata
        self.lifespan_function = other.lifespan_function
        self.page_size, self.mask_errors = other.page_size, other.mask_errors
        self.max_message = other.max_message
        # The mounts are moved first, because their items must be in place before clients are
        # notified.
        if other.mounts is not None:
            other.mounts.move_to(self)
        elif self.mounts is not None:
            self.mounts.clear()
        kinds = ("tools", "prompts", "resources")
        had_items = {kind: self._has_items(kind) for kind in kinds}
        self.tools.replace_all((item.name, item) for item in other.tools)
        self.prompts.replace_all((item.name, item) for item in other.prompts)
        self.templates.replace_all((item.uri_template, item) for item in other.templates)
        self.resources.replace_all((item.uri, item) for item in other.resources)
        self.skills.replace_all((item.path, item) for item in other.skills)
        # Clients are also notified if all items of a kind are gone. Otherwise they would keep a
        # stale list.
        for kind in kinds:
            if had_items[kind] or self._has_items(kind):
                self._notify_change(kind)

    def _has_items(self, kind: str) -> bool:
        if kind == "resources" and (len(self.templates) or len(self.skills)):
            return True
        return len(self.registries[kind]) > 0

    def _notify_change(self, kind: str) -> None:
        """Notify clients of a changed list, or only record the change during bulk registration."""
        if self._deferred_changes is not None:
            self._deferred_changes.add(kind)
        elif self._connections:
            self.list_changed(kind)


def _check_arguments(
    name: str,
    capabilities: Mapping[str, object] | None,
    page_size: int | None,
    state_key: bytes | None,
) -> None:
    """Check the arguments of the `BaseServer` constructor, which has the same parameters.

    Raises:
        DefinitionError: An argument is invalid.
    """
    if not isinstance(name, str) or not name:
        raise DefinitionError(f"{name!r} cannot be the name of a server", hint="use a string")
    unknown = set(capabilities or ()) - KNOWN_CAPABILITIES
    if unknown:
        raise DefinitionError(
            f"unknown capabilities: {', '.join(sorted(unknown))}",
            hint=f"known are {', '.join(sorted(KNOWN_CAPABILITIES))}",
        )
    if state_key is not None and len(state_key) < MIN_STATE_KEY_BYTES:
        raise DefinitionError(
            f"state_key has {len(state_key)} bytes", hint=f"use at least {MIN_STATE_KEY_BYTES}"
        )
    if page_size is not None and page_size < 1:
        raise DefinitionError(f"page_size is {page_size}", hint="use 1 or more, or leave it out")


def _get_function_name(function: object) -> str:
    name = getattr(function, "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        raise DefinitionError(f"{function!r} has no name", hint="give one with name=…")
    return name


def _to_plain_icons(icons: Sequence[Icon | Json] | None) -> list[Json] | None:
    if not icons:
        return None
    return [icon if isinstance(icon, dict) else icon.to_json() for icon in icons]


def _collect_skills(
    skills: SkillSource | Iterable[SkillSource], relative_to: str | None
) -> Iterable[Skill]:
    """Return all skills in a server's `skills` argument as one flat list.

    The argument is a `Skill`, the path of a directory with skills, or an iterable of these.

    Raises:
        DefinitionError: The argument is something else.
    """
    if isinstance(skills, Skill):
        return [skills]
    if isinstance(skills, str):
        return load_skills(resolve_path(skills, relative_to))
    if hasattr(skills, "__fspath__"):
        return load_skills(resolve_path(skills.__fspath__(), relative_to))
    if not hasattr(skills, "__iter__"):
        raise DefinitionError(
            f"skills is {skills!r}", hint="expected Skill, the path of a directory, or several"
        )
    return [skill for source in skills for skill in _collect_skills(source, relative_to)]


def _notify_subscriber(callback: Callable[[str], object], uri: str) -> None:
    try:
        callback(uri)
    except Exception:  # noqa: BLE001 - a callback may raise anything
        get_logger().exception("A callback for %s failed", uri)


def _require_opentelemetry() -> None:
    """Check that OpenTelemetry, an optional dependency, is installed.

    Raises:
        DefinitionError: It is not installed.
    """
    try:
        import opentelemetry.trace  # noqa: F401 - an optional dependency
    except ImportError:
        raise DefinitionError(
            "tracing needs OpenTelemetry", hint="pip install opentelemetry-sdk"
        ) from None
