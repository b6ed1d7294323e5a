"""What an offering answers to the protocol's methods.

Lists are kept as encoded bytes until something changes. A single item that cannot be served is
reported and left out; the others are not affected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from msgspec import UNSET

from paddock.authoring.completion import suggest
from paddock.authoring.entries import tool_entry
from paddock.authoring.failures import describe, is_reportable
from paddock.authoring.invocation import Invocation
from paddock.authoring.listing import Listing, bad_cursor, encoded, page
from paddock.authoring.mounted import Mounted
from paddock.authoring.reading import Reading, resource_entry, template_entry
from paddock.authoring.rendering import Rendering, prompt_entry
from paddock.authoring.results import finished
from paddock.errors import PaddockError
from paddock.protocol.errors import (
    METHOD_NOT_FOUND,
    InvalidParamsError,
    ProtocolError,
    ResourceNotFoundError,
)
from paddock.protocol.extensions import SKILLS
from paddock.protocol.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.catalogue import Catalogue
    from paddock.authoring.offering import Offering
    from paddock.authoring.prompt import Prompt
    from paddock.authoring.resource import Resource, ResourceTemplate
    from paddock.authoring.skill_operations import SkillOperations
    from paddock.authoring.skill_reading import SkillReading
    from paddock.authoring.tool import Tool
    from paddock.protocol.facts import ServerFacts
    from paddock.protocol.model.params import (
        CompleteParams,
        GetPromptParams,
        ListParams,
        ReadResourceParams,
        Reference,
    )
    from paddock.protocol.request import Outcome, Request, Result
    from paddock.protocol.tasks import TaskStore

Json = dict[str, Any]
Declared = TypeVar("Declared")
Ready = TypeVar("Ready")


class Prepared(Generic[Declared, Ready]):
    """What the items of a catalogue have been made ready into, each when it was first needed."""

    def __init__(
        self,
        catalogue: Catalogue[Declared],
        make: Callable[[Declared], Ready],
        make_mounted: Callable[[Mounted], Any] = lambda mounted: mounted,
    ) -> None:
        self._catalogue = catalogue
        self._make = make
        self._make_mounted = make_mounted
        self._ready: dict[str, Ready] = {}
        self._revision = -1

    def get(self, key: str) -> Ready | None:
        """The item of this key, ready for use; None when there is no such item.

        Raises:
            ProtocolError: when it is declared wrongly.
        """
        if self._revision != self._catalogue.revision:
            self._revision = self._catalogue.revision
            self._ready.clear()
        return self._ready.get(key) or self._prepare(key)

    def _prepare(self, key: str) -> Ready | None:
        item = self._catalogue.find(key)
        if item is None:
            return None
        try:
            ready: Ready | None = (
                self._make_mounted(item) if isinstance(item, Mounted) else self._make(item)
            )
        except PaddockError as error:
            raise ProtocolError(str(error)) from None
        if ready is not None:
            self._ready[key] = ready
        return ready


class CatalogueOperations:
    """Answers from one offering's catalogues."""

    def __init__(self, offering: Offering) -> None:
        self._offering = offering
        self._listings: dict[str, Listing] = {}
        self._invocations: Prepared[Tool, Invocation] = Prepared(
            offering.tools,
            lambda tool: Invocation(tool, offering),
            lambda mounted: mounted.source.tool(mounted.name),
        )
        self._renderings: Prepared[Prompt, Rendering | Mounted] = Prepared(
            offering.prompts, lambda prompt: Rendering(prompt, offering)
        )
        self._readings: Prepared[Resource, Reading | Mounted] = Prepared(
            offering.resources, lambda resource: Reading(resource, offering)
        )
        self._template_readings: Prepared[ResourceTemplate, Reading | Mounted] = Prepared(
            offering.templates, lambda template: Reading(template, offering)
        )
        self._completion_pace = Pace()
        self._catalogues: dict[str, Catalogue[Any]] = {
            "tools": offering.tools,
            "prompts": offering.prompts,
            "resources": offering.resources,
            "templates": offering.templates,
        }
        self._tasks: TaskStore | None = None
        self._skill_operations: SkillOperations | None = None

    @property
    def facts(self) -> ServerFacts:
        """What the server says about itself."""
        return self._offering.facts

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
        if self._offering.state_key is None:
            import secrets  # noqa: PLC0415 - hashing is 4 MB that few servers need

            self._offering.state_key = secrets.token_bytes(32)
        return self._offering.state_key

    def list_tools(self, request: Request) -> Outcome:
        """Answer `tools/list`."""
        return self._list(request, "tools", "tools")

    def call_tool(self, request: Request) -> None:
        """Begin `tools/call`."""
        name = request.params.name  # type: ignore[attr-defined]  # of tools/call
        ready = self._invocations.get(name)
        if ready is None:
            raise InvalidParamsError(f"Unknown tool: {name}")
        if request.exchange is not None:
            ready.admit(request)
        request.pace = ready.pace
        if ready.is_async:
            request.async_work = ready.run_async
        else:
            request.work = ready.run
        tool = ready.tool
        wish = request.params.task  # type: ignore[attr-defined]  # of tools/call
        if tool.task != "forbidden" or wish is not UNSET:
            request.terms = request.era.task_terms(request, tool.task)
            if request.terms is not None and not tool.task_from_handler:
                request.detach()

    def list_prompts(self, request: Request) -> Outcome:
        """Answer `prompts/list`."""
        return self._list(request, "prompts", "prompts")

    def get_prompt(self, request: Request) -> None:
        """Begin `prompts/get`."""
        self.render(request, cast("GetPromptParams", request.params).name)

    def render(self, request: Request, name: str) -> None:
        """Begin `prompts/get` for the prompt of this name."""
        params = cast("GetPromptParams", request.params)
        rendering = self._renderings.get(name)
        if rendering is None:
            raise InvalidParamsError(f"Unknown prompt: {name}")
        if isinstance(rendering, Mounted):
            rendering.source.render(request, rendering.name)
            return
        given = params.arguments if isinstance(params.arguments, dict) else {}
        rendering.check(given)
        self._begin(
            request,
            rendering.pace,
            lambda: rendering.call(given, request),
            lambda value: rendering.result(value, given),
            f"Prompt {name!r}",
            is_async=rendering.is_async,
        )

    def list_resources(self, request: Request) -> Outcome:
        """Answer `resources/list`, or begin to: what skills say of themselves is on a disk."""
        if not len(self._offering.skills):
            return self._list(request, "resources", "resources")
        skills = self._skills()
        return self._settled(
            request,
            lambda: skills.list_resources(request, lambda item: self._entry("resources", item)),
        )

    def list_templates(self, request: Request) -> Outcome:
        """Answer `resources/templates/list`."""
        return self._list(request, "resourceTemplates", "templates")

    def read_resource(self, request: Request) -> None:
        """Begin `resources/read`."""
        uri = cast("ReadResourceParams", request.params).uri
        self._settled(request, lambda: self.read(request, uri))

    def read(self, request: Request, uri: str) -> None:
        """Begin `resources/read` for the resource of this URI."""
        mounts = self._offering.mounts
        aliased = None if mounts is None or uri in self._offering.resources else mounts.aliased(uri)
        if aliased is not None:
            aliased[0].read(request, aliased[1])
            return
        reading, variables = self._find(uri)
        if isinstance(reading, Mounted):
            is_template = reading.kind == "templates"
            reading.source.read(request, uri if is_template else reading.name)
            return
        self._begin(
            request,
            reading.pace,
            lambda: reading.call(uri, variables, request),
            lambda value: reading.result(value, uri),
            f"Resource {uri!r}",
            is_async=reading.is_async,
        )

    def list_skills(self, request: Request) -> None:
        """Begin `skills/list`."""
        self._require_skills(request)
        self._skills().list_skills(request)

    def get_skill(self, request: Request) -> None:
        """Begin `skills/get`."""
        self._require_skills(request)
        self._skills().get_skill(request)

    def read_directory(self, request: Request) -> None:
        """Begin `resources/directory/read`."""
        self._require_skills(request, "directoryRead")
        self._skills().read_directory(request)

    def complete(self, request: Request) -> None:
        """Begin `completion/complete`."""
        self.suggest(request, cast("CompleteParams", request.params).ref)

    def suggest(self, request: Request, reference: Reference) -> None:
        """Begin `completion/complete` for this prompt or resource template."""
        params = cast("CompleteParams", request.params)
        item = self._completed(reference)
        if isinstance(item, Mounted):
            item.source.suggest(request, item.reference())
            return
        source = item.completions.get(params.argument.name)
        settled: dict[str, str] = {}
        if params.context is not UNSET and params.context.arguments is not UNSET:
            settled = params.context.arguments
        where = f"{item.name!r}, argument {params.argument.name!r}"
        self._begin(
            request,
            self._completion_pace,
            lambda: suggest(source, params.argument.value, settled, where),
            lambda found: found,
            f"The completion of {where}",
        )

    def _begin(
        self,
        request: Request,
        pace: Pace,
        call: Callable[[], Any],
        finish: Callable[[Any], Json],
        what: str,
        *,
        is_async: bool = False,
    ) -> None:
        """Give a request the work of calling a function of the author's."""

        def failed(fault: BaseException) -> ProtocolError:
            if isinstance(fault, ProtocolError) or not is_reportable(fault, request):
                raise fault
            if request.followed is not None:
                request.followed.failed(fault)
            return ProtocolError(describe(fault, what, is_masked=self._offering.mask_errors))

        def work(_request: Request) -> Json:
            try:
                return finish(finished(call()))
            except BaseException as fault:  # noqa: BLE001 - told to the client, or raised again
                raise failed(fault) from None

        async def async_work(_request: Request) -> Json:
            try:
                return finish(await call())
            except BaseException as fault:  # noqa: BLE001 - told to the client, or raised again
                raise failed(fault) from None

        request.pace = pace
        if is_async:
            request.async_work = async_work
        else:
            request.work = work

    @property
    def revision(self) -> int:
        """A number that grows with each change of what is offered."""
        own = sum(catalogue.revision for catalogue in self._catalogues.values())
        return own + (0 if self._offering.mounts is None else self._offering.mounts.revision)

    def may_have(self, kind: str, key: str) -> bool:
        """Whether there is an item of this name, or may be."""
        return self._catalogues[kind].find(key) is not None

    def keys(self, kind: str) -> list[str]:
        """The names of everything of a kind that is offered here."""
        return list(self._catalogues[kind].offered())

    def entry(self, kind: str, key: str) -> Json | None:
        """How lists show the item of this name."""
        return self._entry(kind, self._catalogues[kind].find(key))

    def tool(self, name: str) -> Invocation | None:
        """The tool of this name, ready to be called."""
        return self._invocations.get(name)

    def watch(self, uri: str) -> None:
        """A client wants to be told when a resource changes."""
        if self._offering.mounts is not None:
            self._offering.mounts.watch(uri)

    def _require_skills(self, request: Request, setting: str | None = None) -> None:
        """Let a method not exist unless the extension that it belongs to is declared."""
        settings = self.facts.extension(SKILLS)
        if settings is None or (setting is not None and not settings.get(setting)):
            raise ProtocolError(f"Method not found: {request.method}", rpc_code=METHOD_NOT_FOUND)

    def _skills(self) -> SkillOperations:
        if self._skill_operations is None:
            from paddock.authoring.skill_operations import (  # noqa: PLC0415 - few have skills
                SkillOperations,
            )

            self._skill_operations = SkillOperations(self._offering)
        return self._skill_operations

    def _entry(self, kind: str, item: Any) -> Json | None:
        """How lists show an item; None where they do not."""
        if isinstance(item, Mounted):
            return item.entry()
        if kind == "tools":
            self._check_view(item)
            return tool_entry(item)
        if kind == "prompts":
            return prompt_entry(Rendering(item, self._offering))
        if kind == "templates":
            return template_entry(Reading(item, self._offering))
        return resource_entry(Reading(item, self._offering)) if item.listed else None

    def _check_view(self, tool: Tool) -> None:
        """Report a tool whose page no client will get; now all resources are there."""
        if not isinstance(tool.ui, str):
            return
        mounts = self._offering.mounts
        try:
            if mounts is None or mounts.aliased(tool.ui) is None:
                self._find(tool.ui)
        except ResourceNotFoundError:
            import logging  # noqa: PLC0415 - only when something is declared wrongly

            text = "%r names the view %s, but there is no resource at that address"
            logging.getLogger("paddock").warning(text, tool, tool.ui)
        except ProtocolError:
            pass  # it is there, but declared wrongly: reported when resources are listed

    def _when_settled(self, request: Request, begin: Callable[[], Outcome]) -> None:
        """Begin once it is known what mounted servers offer."""
        mounts = self._offering.mounts

        async def work(_request: Request) -> Result:
            if mounts is not None:
                await mounts.settled()
            request.async_work = None
            result = begin()
            if result is not None:
                return result
            if request.async_work is not None:
                return await request.async_work(request)
            return request.work(request)  # type: ignore[misc]  # has one or the other

        request.async_work = work

    def _settled(self, request: Request, begin: Callable[[], Outcome]) -> Outcome:
        """Begin at once, or once it is known what mounted servers offer."""
        mounts = self._offering.mounts
        if mounts is None or mounts.are_settled():
            return begin()
        self._when_settled(request, begin)
        return None

    def _list(self, request: Request, key: str, kind: str) -> Outcome:
        return self._settled(request, lambda: self._listed(request, key, kind))

    def _listed(self, request: Request, key: str, kind: str) -> Result:
        catalogue = self._catalogues[kind]
        listing = self._listings.get(key)
        size = self._offering.page_size
        if listing is None or listing.revision != catalogue.revision:
            revision = catalogue.revision
            entries = encoded(catalogue.offered().values(), lambda item: self._entry(kind, item))
            listing = Listing(revision, entries, key, size)
            self._listings[key] = listing
        cursor = cast("ListParams", request.params).cursor
        if size is not None and listing.entries:
            return page(key, listing.entries, cursor if isinstance(cursor, str) else None, size)
        if isinstance(cursor, str):
            raise bad_cursor(cursor)
        return listing.members

    def _find(self, uri: str) -> tuple[Reading | SkillReading | Mounted, dict[str, str]]:
        exact = self._readings.get(uri)
        if exact is not None:
            return exact, {}
        if len(self._offering.skills) and (file := self._skills().reading(uri)) is not None:
            return file, {}
        for key in self._offering.templates.offered():
            try:
                reading = self._template_readings.get(key)
            except ProtocolError:  # reported when it is listed, and no concern of the others
                continue
            variables = None if reading is None else reading.match(uri)
            if reading is not None and variables is not None:
                return reading, variables
        raise ResourceNotFoundError(uri)

    def _completed(self, reference: Reference) -> Prompt | ResourceTemplate | Mounted:
        item: Prompt | ResourceTemplate | Mounted | None
        if reference.type == "ref/prompt":
            item = self._offering.prompts.find(str(reference.name))
        else:
            item = self._offering.templates.find(str(reference.uri))
        if item is None:
            named = reference.name if reference.type == "ref/prompt" else reference.uri
            raise InvalidParamsError(f"Unknown {reference.type}: {named}")
        return item
