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
    )
    from paddock.protocol.request import Request, Result
    from paddock.protocol.tasks import TaskStore

Json = dict[str, Any]
Declared = TypeVar("Declared")
Ready = TypeVar("Ready")


class Prepared(Generic[Declared, Ready]):
    """What the items of a catalogue have been made ready into, each when it was first needed."""

    def __init__(self, catalogue: Catalogue[Declared], make: Callable[[Declared], Ready]) -> None:
        self._catalogue = catalogue
        self._make = make
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
        item = self._catalogue.get(key)
        if item is None:
            return None
        try:
            self._ready[key] = ready = self._make(item)
        except PaddockError as error:
            raise ProtocolError(str(error)) from None
        return ready


class CatalogueOperations:
    """Answers from one offering's catalogues."""

    def __init__(self, offering: Offering) -> None:
        self._offering = offering
        self._listings: dict[str, Listing] = {}
        self._invocations: Prepared[Tool, Invocation] = Prepared(
            offering.tools, lambda tool: Invocation(tool, offering)
        )
        self._renderings: Prepared[Prompt, Rendering] = Prepared(
            offering.prompts, lambda prompt: Rendering(prompt, offering)
        )
        self._readings: Prepared[Resource, Reading] = Prepared(
            offering.resources, lambda resource: Reading(resource, offering)
        )
        self._template_readings: Prepared[ResourceTemplate, Reading] = Prepared(
            offering.templates, lambda template: Reading(template, offering)
        )
        self._completion_pace = Pace()
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

    def list_tools(self, request: Request) -> Result:
        """Answer `tools/list`."""
        return self._list(request, "tools", self._offering.tools, tool_entry)

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

    def list_prompts(self, request: Request) -> Result:
        """Answer `prompts/list`."""
        return self._list(
            request,
            "prompts",
            self._offering.prompts,
            lambda prompt: prompt_entry(Rendering(prompt, self._offering)),
        )

    def get_prompt(self, request: Request) -> None:
        """Begin `prompts/get`."""
        params = cast("GetPromptParams", request.params)
        rendering = self._renderings.get(params.name)
        if rendering is None:
            raise InvalidParamsError(f"Unknown prompt: {params.name}")
        given = params.arguments if isinstance(params.arguments, dict) else {}
        rendering.check(given)
        self._begin(
            request,
            rendering.pace,
            lambda: rendering.call(given, request),
            lambda value: rendering.result(value, given),
            f"Prompt {params.name!r}",
            is_async=rendering.is_async,
        )

    def list_resources(self, request: Request) -> Result | None:
        """Answer `resources/list`, or begin to: what skills say of themselves is on a disk."""
        if len(self._offering.skills):
            self._skills().list_resources(request, self._resource_entry)
            return None
        return self._list(request, "resources", self._offering.resources, self._resource_entry)

    def list_templates(self, request: Request) -> Result:
        """Answer `resources/templates/list`."""
        return self._list(
            request,
            "resourceTemplates",
            self._offering.templates,
            lambda template: template_entry(Reading(template, self._offering)),
        )

    def read_resource(self, request: Request) -> None:
        """Begin `resources/read`."""
        uri = cast("ReadResourceParams", request.params).uri
        reading, variables = self._find(uri)
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
        params = cast("CompleteParams", request.params)
        item = self._completed(params)
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

    def _resource_entry(self, resource: Resource) -> Json | None:
        if not resource.listed:
            return None
        return resource_entry(Reading(resource, self._offering))

    def _list(
        self,
        request: Request,
        key: str,
        catalogue: Catalogue[Any],
        entry: Callable[[Any], Json | None],
    ) -> Result:
        listing = self._listings.get(key)
        size = self._offering.page_size
        if listing is None or listing.revision != catalogue.revision:
            revision = catalogue.revision
            listing = Listing(revision, encoded(catalogue, entry), key, size)
            self._listings[key] = listing
        cursor = cast("ListParams", request.params).cursor
        if size is not None and listing.entries:
            return page(key, listing.entries, cursor if isinstance(cursor, str) else None, size)
        if isinstance(cursor, str):
            raise bad_cursor(cursor)
        return listing.members

    def _find(self, uri: str) -> tuple[Reading | SkillReading, dict[str, str]]:
        exact = self._readings.get(uri)
        if exact is not None:
            return exact, {}
        if len(self._offering.skills) and (file := self._skills().reading(uri)) is not None:
            return file, {}
        for key in self._offering.templates.names():
            try:
                reading = self._template_readings.get(key)
            except ProtocolError:  # reported when it is listed, and no concern of the others
                continue
            variables = None if reading is None else reading.match(uri)
            if reading is not None and variables is not None:
                return reading, variables
        raise ResourceNotFoundError(uri)

    def _completed(self, params: CompleteParams) -> Prompt | ResourceTemplate:
        reference = params.ref
        item: Prompt | ResourceTemplate | None
        if reference.type == "ref/prompt":
            item = self._offering.prompts.get(str(reference.name))
        else:
            item = self._offering.templates.get(str(reference.uri))
        if item is None:
            named = reference.name if reference.type == "ref/prompt" else reference.uri
            raise InvalidParamsError(f"Unknown {reference.type}: {named}")
        return item
