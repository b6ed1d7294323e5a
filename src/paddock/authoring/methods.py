"""Suggestions for the value that somebody is typing for a prompt or a resource template.

What an offering answers to the protocol's methods.

Lists are kept as encoded bytes until something changes. A single item that cannot be served is
reported and left out; the others are not affected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from msgspec import UNSET

from paddock.authoring.handler_errors import describe_error, is_handler_failure
from paddock.authoring.list_pages import (
    PagedList,
    create_cursor_error,
    encode_entries,
    encode_page,
)
from paddock.authoring.mounted_items import MountedItem
from paddock.authoring.prompt_renderer import PromptRenderer, build_prompt_entry
from paddock.authoring.resource_reader import (
    ResourceReader,
    build_resource_entry,
    build_template_entry,
)
from paddock.authoring.results import run_if_coroutine
from paddock.authoring.signature import count_required_arguments
from paddock.authoring.tool_invoker import ToolInvoker, build_tool_entry
from paddock.errors import PaddockError
from paddock.protocol.errors import (
    METHOD_NOT_FOUND,
    InvalidParamsError,
    ProtocolError,
    ResourceNotFoundError,
)
from paddock.protocol.request import SlowHandlerTracker
from paddock.protocol.versions import SKILLS_EXTENSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.component_registry import ComponentRegistry
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
    from paddock.protocol.request import OperationResult, Request, Result
    from paddock.protocol.server_metadata import ServerMetadata
    from paddock.protocol.tasks import TaskStore


MAX_COMPLETION_VALUES = 100


def complete_argument(
    source: CompletionSource | None, value: str, settled: dict[str, str], where: str
) -> dict[str, Any]:
    """The result of `completion/complete`.

    A list is narrowed to what begins with the value; a function of the value (and of the
    arguments already settled, if it takes two) decides for itself.
    """
    found = [] if source is None else _collect_values(source, value, settled, where)
    shown = found[:MAX_COMPLETION_VALUES]
    return {
        "completion": {"values": shown, "total": len(found), "hasMore": len(found) > len(shown)}
    }


def _collect_values(
    source: CompletionSource, value: str, settled: dict[str, str], where: str
) -> list[str]:
    if callable(source):
        both = count_required_arguments(source) > 1
        found = list(run_if_coroutine(source(value, settled) if both else source(value)))
    elif isinstance(source, str):
        found = [source]
    else:
        found = [option for option in source if str(option).startswith(value)]
    if not all(isinstance(option, str) for option in found):
        raise ProtocolError(f"The completions for {where} are not all strings")
    return found


Json = dict[str, Any]
Declared = TypeVar("Declared")
Ready = TypeVar("Ready")


class PreparedItems(Generic[Declared, Ready]):
    """What the items of a catalogue have been made ready into, each when it was first needed."""

    def __init__(
        self,
        catalogue: ComponentRegistry[Declared],
        make: Callable[[Declared], Ready],
        make_mounted: Callable[[MountedItem], Any] = lambda mounted: mounted,
    ) -> None:
        self._registry = catalogue
        self._prepare_item = make
        self._prepare_mounted = make_mounted
        self._prepared_by_key: dict[str, Ready] = {}
        self._revision = -1

    def get(self, key: str) -> Ready | None:
        """The item of this key, ready for use; None when there is no such item.

        Raises:
            ProtocolError: when it is declared wrongly.
        """
        if self._revision != self._registry.revision:
            self._revision = self._registry.revision
            self._prepared_by_key.clear()
        return self._prepared_by_key.get(key) or self._prepare(key)

    def _prepare(self, key: str) -> Ready | None:
        item = self._registry.find(key)
        if item is None:
            return None
        try:
            ready: Ready | None = (
                self._prepare_mounted(item)
                if isinstance(item, MountedItem)
                else self._prepare_item(item)
            )
        except PaddockError as error:
            raise ProtocolError(str(error)) from None
        if ready is not None:
            self._prepared_by_key[key] = ready
        return ready


class ServerMethods:
    """Answers from one offering's catalogues."""

    def __init__(self, offering: BaseServer) -> None:
        self._server = offering
        self._paged_lists: dict[str, PagedList] = {}
        self._tool_invokers: PreparedItems[Tool, ToolInvoker] = PreparedItems(
            offering.tools,
            lambda tool: ToolInvoker(tool, offering),
            lambda mounted: mounted.source.get_tool(mounted.source_name),
        )
        self._prompt_renderers: PreparedItems[Prompt, PromptRenderer | MountedItem] = PreparedItems(
            offering.prompts, lambda prompt: PromptRenderer(prompt, offering)
        )
        self._resource_readers: PreparedItems[Resource, ResourceReader | MountedItem] = (
            PreparedItems(offering.resources, lambda resource: ResourceReader(resource, offering))
        )
        self._template_readers: PreparedItems[ResourceTemplate, ResourceReader | MountedItem] = (
            PreparedItems(offering.templates, lambda template: ResourceReader(template, offering))
        )
        self._completion_tracker = SlowHandlerTracker()
        self._registries: dict[str, ComponentRegistry[Any]] = {
            "tools": offering.tools,
            "prompts": offering.prompts,
            "resources": offering.resources,
            "templates": offering.templates,
        }
        self._tasks: TaskStore | None = None
        self._skill_methods: SkillMethods | None = None

    @property
    def metadata(self) -> ServerMetadata:
        """What the server says about itself."""
        return self._server.metadata

    @property
    def tasks(self) -> TaskStore:
        """The calls that go on after they have been answered."""
        if self._tasks is None:
            from paddock.protocol.tasks import TaskStore  # noqa: PLC0415 - few servers have any

            self._tasks = TaskStore()
        return self._tasks

    @property
    def state_key(self) -> bytes:
        """The secret of the offering, made up if none was given."""
        if self._server.state_key is None:
            import secrets  # noqa: PLC0415 - hashing is 4 MB that few servers need

            self._server.state_key = secrets.token_bytes(32)
        return self._server.state_key

    def list_tools(self, request: Request) -> OperationResult:
        """Answer `tools/list`."""
        return self._list_items(request, "tools", "tools")

    def begin_tool_call(self, request: Request) -> None:
        """Begin `tools/call`."""
        name = request.params.name  # type: ignore[attr-defined]  # of tools/call
        ready = self._tool_invokers.get(name)
        if ready is None:
            raise InvalidParamsError(f"Unknown tool: {name}")
        if request.exchange is not None:
            ready.check_http_request(request)
        request.slow_tracker = ready.slow_tracker
        if ready.is_async:
            request.async_work = ready.run_async
        else:
            request.work = ready.run
        tool = ready.tool
        wish = request.params.task  # type: ignore[attr-defined]  # of tools/call
        if tool.task != "forbidden" or wish is not UNSET:
            request.task_factory = request.era.find_task_factory(request, tool.task)
            if request.task_factory is not None and not tool.task_from_handler:
                request.detach()

    def list_prompts(self, request: Request) -> OperationResult:
        """Answer `prompts/list`."""
        return self._list_items(request, "prompts", "prompts")

    def begin_get_prompt(self, request: Request) -> None:
        """Begin `prompts/get`."""
        self.render_prompt(request, cast("GetPromptParams", request.params).name)

    def render_prompt(self, request: Request, name: str) -> None:
        """Begin `prompts/get` for the prompt of this name."""
        params = cast("GetPromptParams", request.params)
        rendering = self._prompt_renderers.get(name)
        if rendering is None:
            raise InvalidParamsError(f"Unknown prompt: {name}")
        if isinstance(rendering, MountedItem):
            rendering.source.render_prompt(request, rendering.source_name)
            return
        given = params.arguments if isinstance(params.arguments, dict) else {}
        rendering.require_arguments(given)
        self._set_work(
            request,
            rendering.slow_tracker,
            lambda: rendering.call_handler(given, request),
            lambda value: rendering.build_result(value, given),
            f"Prompt {name!r}",
            is_async=rendering.is_async,
        )

    def list_resources(self, request: Request) -> OperationResult:
        """Answer `resources/list`, or begin to: what skills say of themselves is on a disk."""
        if not len(self._server.skills):
            return self._list_items(request, "resources", "resources")
        skills = self._get_skill_methods()
        return self._run_when_lists_ready(
            request,
            lambda: skills.list_resources(
                request, lambda item: self._build_entry("resources", item)
            ),
        )

    def list_templates(self, request: Request) -> OperationResult:
        """Answer `resources/templates/list`."""
        return self._list_items(request, "resourceTemplates", "templates")

    def begin_read_resource(self, request: Request) -> None:
        """Begin `resources/read`."""
        uri = cast("ReadResourceParams", request.params).uri
        self._run_when_lists_ready(request, lambda: self.read_uri(request, uri))

    def read_uri(self, request: Request, uri: str) -> None:
        """Begin `resources/read` for the resource of this URI."""
        mounts = self._server.mounts
        aliased = (
            None if mounts is None or uri in self._server.resources else mounts.resolve_alias(uri)
        )
        if aliased is not None:
            aliased[0].read_uri(request, aliased[1])
            return
        reading, variables = self._find_reader(uri)
        if isinstance(reading, MountedItem):
            is_template = reading.kind == "templates"
            reading.source.read_uri(request, uri if is_template else reading.source_name)
            return
        self._set_work(
            request,
            reading.slow_tracker,
            lambda: reading.read(uri, variables, request),
            lambda value: reading.build_result(value, uri),
            f"Resource {uri!r}",
            is_async=reading.is_async,
        )

    def list_skills(self, request: Request) -> None:
        """Begin `skills/list`."""
        self._require_skills(request)
        self._get_skill_methods().list_skills(request)

    def get_skill(self, request: Request) -> None:
        """Begin `skills/get`."""
        self._require_skills(request)
        self._get_skill_methods().get_skill(request)

    def read_directory(self, request: Request) -> None:
        """Begin `resources/directory/read`."""
        self._require_skills(request, "directoryRead")
        self._get_skill_methods().read_directory(request)

    def complete(self, request: Request) -> None:
        """Begin `completion/complete`."""
        self.complete_reference(request, cast("CompleteParams", request.params).ref)

    def complete_reference(self, request: Request, reference: CompletionReference) -> None:
        """Begin `completion/complete` for this prompt or resource template."""
        params = cast("CompleteParams", request.params)
        item = self._find_completion_item(reference)
        if isinstance(item, MountedItem):
            item.source.complete_reference(request, item.get_reference())
            return
        source = item.completions.get(params.argument.name)
        settled: dict[str, str] = {}
        if params.context is not UNSET and params.context.arguments is not UNSET:
            settled = params.context.arguments
        where = f"{item.name!r}, argument {params.argument.name!r}"
        self._set_work(
            request,
            self._completion_tracker,
            lambda: complete_argument(source, params.argument.value, settled, where),
            lambda found: found,
            f"The completion of {where}",
        )

    def _set_work(
        self,
        request: Request,
        pace: SlowHandlerTracker,
        call: Callable[[], Any],
        finish: Callable[[Any], Json],
        what: str,
        *,
        is_async: bool = False,
    ) -> None:
        """Give a request the work of calling a function of the author's."""

        def to_protocol_error(fault: BaseException) -> ProtocolError:
            if isinstance(fault, ProtocolError) or not is_handler_failure(fault, request):
                raise fault
            if request.observation is not None:
                request.observation.record_exception(fault)
            return ProtocolError(describe_error(fault, what, is_masked=self._server.mask_errors))

        def work(_request: Request) -> Json:
            try:
                return finish(run_if_coroutine(call()))
            except BaseException as fault:  # noqa: BLE001 - told to the client, or raised again
                raise to_protocol_error(fault) from None

        async def async_work(_request: Request) -> Json:
            try:
                return finish(await call())
            except BaseException as fault:  # noqa: BLE001 - told to the client, or raised again
                raise to_protocol_error(fault) from None

        request.slow_tracker = pace
        if is_async:
            request.async_work = async_work
        else:
            request.work = work

    @property
    def revision(self) -> int:
        """A number that grows with each change of what is offered."""
        own = sum(catalogue.revision for catalogue in self._registries.values())
        return own + (0 if self._server.mounts is None else self._server.mounts.revision)

    def can_offer(self, kind: str, key: str) -> bool:
        """Whether there is an item of this name, or may be."""
        return self._registries[kind].find(key) is not None

    def list_keys(self, kind: str) -> list[str]:
        """The names of everything of a kind that is offered here."""
        return list(self._registries[kind].get_all_items())

    def get_entry(self, kind: str, key: str) -> Json | None:
        """How lists show the item of this name."""
        return self._build_entry(kind, self._registries[kind].find(key))

    def get_tool(self, name: str) -> ToolInvoker | None:
        """The tool of this name, ready to be called."""
        return self._tool_invokers.get(name)

    def watch(self, uri: str) -> None:
        """A client wants to be told when a resource changes."""
        if self._server.mounts is not None:
            self._server.mounts.watch(uri)

    def _require_skills(self, request: Request, setting: str | None = None) -> None:
        """Let a method not exist unless the extension that it belongs to is declared."""
        settings = self.metadata.get_extension_settings(SKILLS_EXTENSION)
        if settings is None or (setting is not None and not settings.get(setting)):
            raise ProtocolError(f"Method not found: {request.method}", rpc_code=METHOD_NOT_FOUND)

    def _get_skill_methods(self) -> SkillMethods:
        if self._skill_methods is None:
            from paddock.authoring.skill_methods import SkillMethods  # noqa: PLC0415 - few servers have skills

            self._skill_methods = SkillMethods(self._server)
        return self._skill_methods

    def _build_entry(self, kind: str, item: Any) -> Json | None:
        """How lists show an item; None where they do not."""
        if isinstance(item, MountedItem):
            return item.get_entry()
        if kind == "tools":
            self._check_tool_view(item)
            return build_tool_entry(item)
        if kind == "prompts":
            return build_prompt_entry(PromptRenderer(item, self._server))
        if kind == "templates":
            return build_template_entry(ResourceReader(item, self._server))
        return build_resource_entry(ResourceReader(item, self._server)) if item.listed else None

    def _check_tool_view(self, tool: Tool) -> None:
        """Report a tool whose page no client will get; now all resources are there."""
        if not isinstance(tool.ui, str):
            return
        mounts = self._server.mounts
        try:
            if mounts is None or mounts.resolve_alias(tool.ui) is None:
                self._find_reader(tool.ui)
        except ResourceNotFoundError:
            import logging  # noqa: PLC0415 - only when something is declared wrongly

            text = "%r names the view %s, but there is no resource at that address"
            logging.getLogger("paddock").warning(text, tool, tool.ui)
        except ProtocolError:
            pass  # it is there, but declared wrongly: reported when resources are listed

    def _defer_until_lists_ready(
        self, request: Request, begin: Callable[[], OperationResult]
    ) -> None:
        """Begin once it is known what mounted servers offer."""
        mounts = self._server.mounts

        async def work(_request: Request) -> Result:
            if mounts is not None:
                await mounts.wait_for_lists()
            request.async_work = None
            result = begin()
            if result is not None:
                return result
            if request.async_work is not None:
                return await request.async_work(request)
            return request.work(request)  # type: ignore[misc]  # has one or the other

        request.async_work = work

    def _run_when_lists_ready(
        self, request: Request, begin: Callable[[], OperationResult]
    ) -> OperationResult:
        """Begin at once, or once it is known what mounted servers offer."""
        mounts = self._server.mounts
        if mounts is None or mounts.are_lists_ready():
            return begin()
        self._defer_until_lists_ready(request, begin)
        return None

    def _list_items(self, request: Request, key: str, kind: str) -> OperationResult:
        return self._run_when_lists_ready(request, lambda: self._build_page(request, key, kind))

    def _build_page(self, request: Request, key: str, kind: str) -> Result:
        catalogue = self._registries[kind]
        listing = self._paged_lists.get(key)
        size = self._server.page_size
        if listing is None or listing.revision != catalogue.revision:
            revision = catalogue.revision
            entries = encode_entries(
                catalogue.get_all_items().values(), lambda item: self._build_entry(kind, item)
            )
            listing = PagedList(revision, entries, key, size)
            self._paged_lists[key] = listing
        cursor = cast("ListParams", request.params).cursor
        if size is not None and listing.entries:
            return encode_page(
                key, listing.entries, cursor if isinstance(cursor, str) else None, size
            )
        if isinstance(cursor, str):
            raise create_cursor_error(cursor)
        return listing.members

    def _find_reader(
        self, uri: str
    ) -> tuple[ResourceReader | SkillFileReader | MountedItem, dict[str, str]]:
        exact = self._resource_readers.get(uri)
        if exact is not None:
            return exact, {}
        if (
            len(self._server.skills)
            and (file := self._get_skill_methods().find_reader(uri)) is not None
        ):
            return file, {}
        for key in self._server.templates.get_all_items():
            try:
                reading = self._template_readers.get(key)
            except ProtocolError:  # reported when it is listed, and no concern of the others
                continue
            variables = None if reading is None else reading.match(uri)
            if reading is not None and variables is not None:
                return reading, variables
        raise ResourceNotFoundError(uri)

    def _find_completion_item(
        self, reference: CompletionReference
    ) -> Prompt | ResourceTemplate | MountedItem:
        item: Prompt | ResourceTemplate | MountedItem | None
        if reference.type == "ref/prompt":
            item = self._server.prompts.find(str(reference.name))
        else:
            item = self._server.templates.find(str(reference.uri))
        if item is None:
            named = reference.name if reference.type == "ref/prompt" else reference.uri
            raise InvalidParamsError(f"Unknown {reference.type}: {named}")
        return item
