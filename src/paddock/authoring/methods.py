"""Implementations of the protocol's methods for a server's items.

Lists are cached as encoded bytes until an item changes. An item with an invalid declaration is
reported and left out of lists, so that the other items can still be served.
"""

from __future__ import annotations

from os import urandom
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from msgspec import UNSET

from paddock.authoring.handler_errors import describe_error, is_handler_failure
from paddock.authoring.list_pages import PagedList, encode_entries
from paddock.authoring.mounted_items import MountedItem
from paddock.authoring.prompt_renderer import PromptRenderer, build_prompt_entry
from paddock.authoring.resource_reader import ResourceReader, build_resource_entry
from paddock.authoring.results import run_if_coroutine
from paddock.authoring.signature import count_required_arguments
from paddock.authoring.tool_invoker import ToolInvoker, build_tool_entry
from paddock.errors import PaddockError, get_logger
from paddock.lazy_modules import LazyModule
from paddock.protocol.errors import (
    METHOD_NOT_FOUND,
    InvalidParamsError,
    ProtocolError,
    ResourceNotFoundError,
)
from paddock.protocol.request import SlowHandlerTracker
from paddock.protocol.tasks import TaskStore
from paddock.protocol.versions import SKILLS_EXTENSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring import skill_methods
    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.component_registry import ComponentRegistry
    from paddock.authoring.mounted_items import CallableTool
    from paddock.authoring.prompt import CompletionSource, Prompt
    from paddock.authoring.resource import Resource, ResourceTemplate
    from paddock.authoring.skill_methods import SkillFileReader, SkillMethods
    from paddock.authoring.tool import Tool
    from paddock.protocol.params import (
        CompleteParams,
        CompletionReference,
        GetPromptParams,
        ListParams,
        ReadResourceParams,
    )
    from paddock.protocol.request import Operation, OperationResult, Request, Result
    from paddock.protocol.server_metadata import ServerMetadata
else:  # few servers have skills
    skill_methods = LazyModule("paddock.authoring.skill_methods")

MAX_COMPLETION_VALUES = 100


def complete_argument(
    source: CompletionSource | None, value: str, other_arguments: dict[str, str], where: str
) -> dict[str, Any]:
    """Return the result of `completion/complete`: the suggestions for an argument being typed.

    Args:
        source: The author's completions for the argument: a list of values to filter by prefix, or
            a function that returns filtered values. None offers no values.
        value: The text that the user has entered so far.
        other_arguments: Arguments that already have values. They are passed to the function if it
            has two parameters.
        where: A description of the argument, for error messages.
    """
    values = [] if source is None else _collect_values(source, value, other_arguments, where)
    first_values = values[:MAX_COMPLETION_VALUES]
    return {
        "completion": {
            "values": first_values,
            "total": len(values),
            "hasMore": len(values) > len(first_values),
        }
    }


def _collect_values(
    source: CompletionSource, value: str, other_arguments: dict[str, str], where: str
) -> list[str]:
    """Return all values that the author's completions offer for the text entered so far.

    Raises:
        ProtocolError: Some values are not strings.
    """
    if callable(source):
        takes_arguments = count_required_arguments(source) > 1
        values = list(
            run_if_coroutine(source(value, other_arguments) if takes_arguments else source(value))
        )
    elif isinstance(source, str):
        # Iterating over a string would offer its characters, so it is treated as a single value.
        values = [source]
    else:
        values = [option for option in source if str(option).startswith(value)]
    if not all(isinstance(option, str) for option in values):
        raise ProtocolError(f"The completions for {where} are not all strings")
    return values


Json = dict[str, Any]
ItemT = TypeVar("ItemT")
PreparedT = TypeVar("PreparedT")


class PreparedItems(Generic[ItemT, PreparedT]):
    """A cache of items that are ready to be used, such as the `ToolInvoker` of each tool.

    They are created on first use, because inspecting a handler and its types takes time.

    Args:
        registry: The items by key. When its revision changes, the cache is cleared.
        prepare_item: Prepares one of the server's own items.
        prepare_mounted: Prepares an item of a mounted server. By default, it is used unchanged.
    """

    def __init__(
        self,
        registry: ComponentRegistry[ItemT],
        prepare_item: Callable[[ItemT], PreparedT],
        prepare_mounted: Callable[[MountedItem], Any] = lambda mounted: mounted,
    ) -> None:
        self._registry = registry
        self._prepare_item = prepare_item
        self._prepare_mounted = prepare_mounted
        self._prepared_by_key: dict[str, PreparedT] = {}
        self._revision = -1

    def get(self, key: str) -> PreparedT | None:
        """Return the prepared item with this key, or None if the registry does not contain it.

        Args:
            key: The name of a tool or prompt, or the URI of a resource.

        Raises:
            ProtocolError: The declaration of the item is invalid.
        """
        # Items may be replaced at any time. The revision shows this without comparing them.
        if self._revision != self._registry.revision:
            self._revision = self._registry.revision
            self._prepared_by_key.clear()
        return self._prepared_by_key.get(key) or self._prepare(key)

    def _prepare(self, key: str) -> PreparedT | None:
        """Prepare, cache and return the item with this key, or return None if it is unknown.

        Raises:
            ProtocolError: The declaration of the item is invalid.
        """
        item = self._registry.find(key)
        if item is None:
            return None
        try:
            is_mounted = isinstance(item, MountedItem)
            prepare: Any = self._prepare_mounted if is_mounted else self._prepare_item
            prepared_item: PreparedT | None = prepare(item)
        except PaddockError as error:
            # Invalid declarations surface on the first request, because checking all of them at
            # startup would delay every server.
            raise ProtocolError(str(error)) from None
        if prepared_item is not None:
            self._prepared_by_key[key] = prepared_item
        return prepared_item


class ServerMethods:
    """The protocol methods of one server, as the dispatcher calls them.

    A method either returns its result or assigns work to the request: an author's handler, which
    the transport runs in a suitable thread.
    """

    def __init__(self, server: BaseServer) -> None:
        self._server = server
        self._paged_lists: dict[str, PagedList] = {}
        self._tool_invokers: PreparedItems[Tool, CallableTool] = PreparedItems(
            server.tools,
            lambda tool: ToolInvoker(tool, server),
            lambda mounted: mounted.source.get_tool(mounted.source_name),
        )
        self._prompt_renderers: PreparedItems[Prompt, PromptRenderer | MountedItem] = PreparedItems(
            server.prompts, lambda prompt: PromptRenderer(prompt, server)
        )
        self._resource_readers: PreparedItems[Resource, ResourceReader | MountedItem] = (
            PreparedItems(server.resources, lambda resource: ResourceReader(resource, server))
        )
        self._template_readers: PreparedItems[ResourceTemplate, ResourceReader | MountedItem] = (
            PreparedItems(server.templates, lambda template: ResourceReader(template, server))
        )
        self._completion_tracker = SlowHandlerTracker()
        self._registries = server.registries
        self.tasks = TaskStore()
        """The calls that run as tasks."""
        self._skill_methods: SkillMethods | None = None
        self.methods: dict[str, Operation] = {
            "tools/list": lambda request: self._list_items(request, "tools", "tools"),
            "tools/call": self.begin_tool_call,
            "prompts/list": lambda request: self._list_items(request, "prompts", "prompts"),
            "prompts/get": self._begin_get_prompt,
            "resources/list": self._list_resources,
            "resources/templates/list": lambda request: self._list_items(
                request, "resourceTemplates", "templates"
            ),
            "resources/read": self._begin_read_resource,
            "resources/directory/read": self._read_directory,
            "skills/list": self._list_skills,
            "skills/get": self._get_skill,
            "completion/complete": self._complete,
        }

    @property
    def metadata(self) -> ServerMetadata:
        """The server's metadata."""
        return self._server.metadata

    @property
    def state_key(self) -> bytes:
        """The key for signing state that clients keep.

        Unless the author sets one, the key is random and known only to this process.
        """
        if self._server.state_key is None:
            # `secrets` would load OpenSSL, 4 MB of memory that few servers need.
            self._server.state_key = urandom(32)
        return self._server.state_key

    def begin_tool_call(self, request: Request) -> None:
        """Prepare `tools/call`: check the request and assign the handler's work to it.

        Runs in the thread that reads messages, so it must be fast. The transport runs the work, and
        uses the slow-handler tracker to choose a thread for it.

        Raises:
            ProtocolError: The tool does not exist, or the request is not allowed to call it.
        """
        name = request.params.name  # type: ignore[attr-defined]  # of tools/call
        invoker = self._tool_invokers.get(name)
        if invoker is None:
            raise InvalidParamsError(f"Unknown tool: {name}")
        if request.exchange is not None:
            invoker.check_http_request(request)
        # If the handler has been fast so far, the reading thread runs it without a thread switch.
        request.slow_tracker = invoker.slow_tracker
        if isinstance(invoker, ToolInvoker) and not invoker.is_async:
            request.work = invoker.run
        else:
            request.async_work = invoker.run_async
        task_params = request.params.task  # type: ignore[attr-defined]  # of tools/call
        # A client may also request a task from a tool that does not support tasks. The era then
        # rejects the call.
        if invoker.task_support != "forbidden" or task_params is not UNSET:
            request.task_factory = request.era.find_task_factory(request, invoker.task_support)
            if request.task_factory is not None and not invoker.task_from_handler:
                request.detach()

    def _begin_get_prompt(self, request: Request) -> None:
        """Prepare `prompts/get`."""
        self.render_prompt(request, cast("GetPromptParams", request.params).name)

    def render_prompt(self, request: Request, name: str) -> None:
        """Assign the work of `prompts/get` for the prompt with this name to a request.

        The transport runs the work, which calls the prompt's handler. Requests for a mounted
        server's prompts are passed to that server.

        Raises:
            InvalidParamsError: The prompt does not exist, or a required argument is missing.
        """
        renderer = self._prompt_renderers.get(name)
        if renderer is None:
            raise InvalidParamsError(f"Unknown prompt: {name}")
        if isinstance(renderer, MountedItem):
            renderer.source.render_prompt(request, renderer.source_name)
            return
        request_arguments = cast("GetPromptParams", request.params).arguments
        arguments = request_arguments if isinstance(request_arguments, dict) else {}
        renderer.require_arguments(arguments)
        self._set_work(
            request,
            renderer.slow_tracker,
            lambda: renderer.call_handler(arguments, request),
            lambda value: renderer.build_result(value, arguments),
            f"Prompt {name!r}",
            is_async=renderer.is_async,
        )

    def _list_resources(self, request: Request) -> OperationResult:
        """Return the result of `resources/list`, or assign work to the request and return None.

        Work is only needed if the server has skills. Their entries contain frontmatter that is read
        from disk, which must not block the thread that reads messages.
        """
        if not len(self._server.skills):
            return self._list_items(request, "resources", "resources")
        skills = self._get_skill_methods()
        return self._run_when_lists_ready(
            request,
            lambda: skills.list_resources(
                request, lambda item: self._build_entry("resources", item)
            ),
        )

    def _begin_read_resource(self, request: Request) -> None:
        """Prepare `resources/read`."""
        uri = cast("ReadResourceParams", request.params).uri
        self._run_when_lists_ready(request, lambda: self.read_uri(request, uri))

    def read_uri(self, request: Request, uri: str) -> None:
        """Assign the work of `resources/read` for the resource with this URI to a request.

        The transport runs the work, which calls the resource's handler. Requests for a mounted
        server's resources are passed to that server.

        Raises:
            ResourceNotFoundError: The URI does not match any resource.
        """
        mounts = self._server.mounts
        # The server's own resource takes precedence over the prefixed URI of a mounted server.
        mount_target = (
            None if mounts is None or uri in self._server.resources else mounts.resolve_alias(uri)
        )
        if mount_target is not None:
            mount_target[0].read_uri(request, mount_target[1])
            return
        reader, variables = self._find_reader(uri)
        if isinstance(reader, MountedItem):
            is_template = reader.kind == "templates"
            reader.source.read_uri(request, uri if is_template else reader.source_name)
            return
        self._set_work(
            request,
            reader.slow_tracker,
            lambda: reader.read(uri, variables, request),
            lambda value: reader.build_result(value, uri),
            f"Resource {uri!r}",
            is_async=reader.is_async,
        )

    def _list_skills(self, request: Request) -> None:
        """Prepare `skills/list`."""
        self._require_skills(request)
        self._get_skill_methods().list_skills(request)

    def _get_skill(self, request: Request) -> None:
        """Prepare `skills/get`."""
        self._require_skills(request)
        self._get_skill_methods().get_skill(request)

    def _read_directory(self, request: Request) -> None:
        """Prepare `resources/directory/read`."""
        self._require_skills(request, "directoryRead")
        self._get_skill_methods().read_directory(request)

    def _complete(self, request: Request) -> None:
        """Prepare `completion/complete`."""
        self.complete_reference(request, cast("CompleteParams", request.params).ref)

    def complete_reference(self, request: Request, reference: CompletionReference) -> None:
        """Assign the work of `completion/complete` to a request.

        Args:
            request: The request, with the argument that the user is typing.
            reference: The prompt or resource template that the argument belongs to.

        Raises:
            InvalidParamsError: The prompt or resource template does not exist.
        """
        params = cast("CompleteParams", request.params)
        item = self._find_completion_item(reference)
        if isinstance(item, MountedItem):
            item.source.complete_reference(request, item.get_reference())
            return
        source = item.completions.get(params.argument.name)
        other_arguments: dict[str, str] = {}
        if params.context is not UNSET and params.context.arguments is not UNSET:
            other_arguments = params.context.arguments
        where = f"{item.name!r}, argument {params.argument.name!r}"
        self._set_work(
            request,
            self._completion_tracker,
            lambda: complete_argument(source, params.argument.value, other_arguments, where),
            lambda completion: completion,
            f"The completion of {where}",
        )

    def _set_work(
        self,
        request: Request,
        slow_tracker: SlowHandlerTracker,
        call: Callable[[], Any],
        build_result: Callable[[Any], Json],
        label: str,
        *,
        is_async: bool = False,
    ) -> None:
        """Assign work to a request: call an author's function and convert its return value.

        The transport runs the work in a suitable thread or on the event loop. An exception in the
        function becomes a `ProtocolError`, whose message the client receives.

        Args:
            request: The request that the work is assigned to.
            slow_tracker: Decides whether the thread that reads messages may run the function.
            call: Calls the function. May return a coroutine.
            build_result: Converts the function's return value to the result of the method.
            label: A description of the function, for error messages.
            is_async: The function is a coroutine function, which runs on the event loop.
        """

        def to_protocol_error(error: BaseException) -> ProtocolError:
            if isinstance(error, ProtocolError) or not is_handler_failure(error, request):
                raise error
            if request.observation is not None:
                request.observation.record_exception(error)
            return ProtocolError(describe_error(error, label, is_masked=self._server.mask_errors))

        def work(_request: Request) -> Json:
            try:
                return build_result(run_if_coroutine(call()))
            except BaseException as error:  # noqa: BLE001 - sent to the client, or raised again
                raise to_protocol_error(error) from None

        async def async_work(_request: Request) -> Json:
            try:
                return build_result(await call())
            except BaseException as error:  # noqa: BLE001 - sent to the client, or raised again
                raise to_protocol_error(error) from None

        request.slow_tracker = slow_tracker
        if is_async:
            request.async_work = async_work
        else:
            request.work = work

    @property
    def revision(self) -> int:
        """A number that increases whenever an item is added, removed or changed."""
        own_revision = sum(registry.revision for registry in self._registries.values())
        return own_revision + (0 if self._server.mounts is None else self._server.mounts.revision)

    def can_offer(self, kind: str, key: str) -> bool:
        """Return whether an item with this name exists, or may exist on a mounted server."""
        return self._registries[kind].find(key) is not None

    def list_keys(self, kind: str) -> list[str]:
        """Return the names of all items of a kind."""
        return list(self._registries[kind].get_all_items())

    def get_entry(self, kind: str, key: str) -> Json | None:
        """Return the list entry of an item, or None if it is not listed."""
        return self._build_entry(kind, self._registries[kind].find(key))

    def get_tool(self, name: str) -> CallableTool | None:
        """Return the invoker of a tool, or None."""
        return self._tool_invokers.get(name)

    def watch(self, uri: str) -> None:
        """Subscribe to changes of a resource, if it belongs to a mounted server."""
        if self._server.mounts is not None:
            self._server.mounts.watch(uri)

    def _require_skills(self, request: Request, setting: str | None = None) -> None:
        """Raise a "method not found" error unless the skills extension is declared."""
        settings = self.metadata.get_extension_settings(SKILLS_EXTENSION)
        if settings is None or (setting is not None and not settings.get(setting)):
            raise ProtocolError(f"Method not found: {request.method}", rpc_code=METHOD_NOT_FOUND)

    def _get_skill_methods(self) -> SkillMethods:
        """Return the skill methods, loading them on first use."""
        if self._skill_methods is None:
            self._skill_methods = skill_methods.SkillMethods(self._server)
        return self._skill_methods

    def _build_entry(self, kind: str, item: Any) -> Json | None:
        """Return the entry of an item in a list such as `tools/list`, or None if it is not listed.

        Args:
            kind: `tools`, `prompts`, `resources` or `templates`.
            item: The item, which may belong to a mounted server.
        """
        if isinstance(item, MountedItem):
            return item.get_entry()
        if kind == "tools":
            self._check_tool_view(item)
            return build_tool_entry(item)
        if kind == "prompts":
            return build_prompt_entry(PromptRenderer(item, self._server))
        if kind == "resources" and not item.listed:
            return None
        return build_resource_entry(ResourceReader(item, self._server))

    def _check_tool_view(self, tool: Tool) -> None:
        """Log a warning if a tool refers to a UI resource (an HTML page) that does not exist.

        This is checked when tools are listed, because resources may be registered after tools.
        """
        if not isinstance(tool.ui, str):
            return
        mounts = self._server.mounts
        try:
            if mounts is None or mounts.resolve_alias(tool.ui) is None:
                self._find_reader(tool.ui)
        except ResourceNotFoundError:
            text = "%r refers to the UI resource %s, which does not exist"
            get_logger().warning(text, tool, tool.ui)
        except ProtocolError:
            pass  # an invalid declaration, reported when resources are listed

    def _run_when_lists_ready(
        self, request: Request, begin: Callable[[], OperationResult]
    ) -> OperationResult:
        """Start handling a request now, or as soon as the lists of mounted servers are known.

        Until the lists of a mounted server have arrived, its items cannot be found, and this
        server's lists would be incomplete.

        Args:
            request: The request.
            begin: Returns the result of the request, or assigns work to it and returns None.
        """
        mounts = self._server.mounts
        if mounts is None or mounts.are_lists_ready():
            return begin()

        async def work(_request: Request) -> Result:
            await mounts.wait_for_lists()
            request.async_work = None
            result = begin()
            if result is not None:
                return result
            # `begin` has assigned other work. It is run here, because the transport is already
            # running the work that waits.
            if request.async_work is not None:
                return await request.async_work(request)
            return request.work(request)  # type: ignore[misc]  # one of them is assigned

        request.async_work = work
        return None

    def _list_items(self, request: Request, key: str, kind: str) -> OperationResult:
        return self._run_when_lists_ready(request, lambda: self._build_page(request, key, kind))

    def _build_page(self, request: Request, key: str, kind: str) -> Result:
        """Return the requested page of a list, re-encoding the entries if items have changed.

        Args:
            request: The request, which may contain the cursor of a page.
            key: The member of the result that contains the list, such as `resourceTemplates`.
            kind: The kind of items in the list, such as `templates`.

        Raises:
            ProtocolError: The cursor is invalid.
        """
        registry = self._registries[kind]
        paged_list = self._paged_lists.get(key)
        if paged_list is None or paged_list.revision != registry.revision:
            # The revision is read before the entries. If an item changes while they are encoded,
            # the list is considered out of date and encoded again.
            revision = registry.revision
            entries = encode_entries(
                registry.get_all_items().values(), lambda item: self._build_entry(kind, item)
            )
            paged_list = PagedList(key, entries, self._server.page_size, revision)
            self._paged_lists[key] = paged_list
        cursor = cast("ListParams", request.params).cursor
        return paged_list.encode_page(cursor if isinstance(cursor, str) else None)

    def _find_reader(
        self, uri: str
    ) -> tuple[ResourceReader | SkillFileReader | MountedItem, dict[str, str]]:
        """Return the reader for a URI, and the values of the variables in the URI.

        The URI can identify a resource or a file in a skill, or match a template. For example,
        `weather://oslo/today` matches `weather://{city}/today` with the variables
        `{"city": "oslo"}`.

        Raises:
            ResourceNotFoundError: The URI does not match any of them.
        """
        resource_reader = self._resource_readers.get(uri)
        if resource_reader is not None:
            return resource_reader, {}
        has_skills = len(self._server.skills) > 0
        file_reader = self._get_skill_methods().find_reader(uri) if has_skills else None
        if file_reader is not None:
            return file_reader, {}
        for key in self._server.templates.get_all_items():
            try:
                reader = self._template_readers.get(key)
            except ProtocolError:
                # Invalid declarations are reported when templates are listed. They must not prevent
                # other templates from being read.
                continue
            variables = None if reader is None else reader.match(uri)
            if reader is not None and variables is not None:
                return reader, variables
        raise ResourceNotFoundError(uri)

    def _find_completion_item(
        self, reference: CompletionReference
    ) -> Prompt | ResourceTemplate | MountedItem:
        """Return the prompt or resource template that a completion request refers to.

        Raises:
            InvalidParamsError: The prompt or resource template does not exist.
        """
        is_prompt = reference.type == "ref/prompt"
        key = str(reference.name if is_prompt else reference.uri)
        registry = self._server.prompts if is_prompt else self._server.templates
        item = registry.find(key)
        if item is None:
            raise InvalidParamsError(f"Unknown {reference.type}: {key}")
        return item
