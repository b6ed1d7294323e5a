"""What an offering answers to the protocol's methods.

Lists are kept as encoded bytes until something changes. A single item that cannot be served is
reported and left out; the others are not affected.
"""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING, Any, cast

from msgspec import UNSET

from paddock.authoring import invocation as invoking
from paddock.authoring import rendering as rendered
from paddock.authoring.completion import suggest
from paddock.authoring.failures import describe, is_reportable
from paddock.authoring.hints import encode
from paddock.authoring.invocation import Invocation
from paddock.authoring.reading import Reading, resource_entry, template_entry
from paddock.authoring.rendering import Rendering
from paddock.errors import PaddockError
from paddock.protocol.errors import InvalidParamsError, ProtocolError, ResourceNotFoundError
from paddock.protocol.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.catalogue import Catalogue
    from paddock.authoring.offering import Offering
    from paddock.authoring.prompt import Prompt
    from paddock.authoring.resource import Resource, ResourceTemplate
    from paddock.authoring.tool import Tool
    from paddock.protocol.facts import ServerFacts
    from paddock.protocol.model.params import (
        CallToolParams,
        CompleteParams,
        GetPromptParams,
        ListParams,
        ReadResourceParams,
    )
    from paddock.protocol.request import Request, Result

Json = dict[str, Any]


class Listing:
    """One list, encoded."""

    __slots__ = ("entries", "members", "revision")

    def __init__(self, revision: int, entries: list[bytes], key: str) -> None:
        self.revision = revision
        self.entries = entries
        self.members = _members(key, entries)


class CatalogueOperations:
    """Answers from one offering's catalogues."""

    def __init__(self, offering: Offering) -> None:
        self._offering = offering
        self._listings: dict[str, Listing] = {}
        self._tools = offering.tools.get
        self._completion_pace = Pace()

    @property
    def facts(self) -> ServerFacts:
        """What the server says about itself."""
        return self._offering.facts

    @property
    def state_key(self) -> bytes:
        """The secret of the offering, made up if none was given."""
        if self._offering.state_key is None:
            import secrets  # noqa: PLC0415 - hashing is 4 MB that few servers need

            self._offering.state_key = secrets.token_bytes(32)
        return self._offering.state_key

    def list_tools(self, request: Request) -> Result:
        """Answer `tools/list`."""
        return self._list(
            request,
            "tools",
            self._offering.tools,
            lambda tool: invoking.entry(self._invocation(tool)),
        )

    def call_tool(self, request: Request) -> None:
        """Begin `tools/call`."""
        name = cast("CallToolParams", request.params).name
        tool = self._tools(name)
        if tool is None:
            raise InvalidParamsError(f"Unknown tool: {name}")
        ready = tool.invocation or self._ready(tool)
        request.pace = ready.pace
        if ready.is_async:
            request.async_work = ready.run_async
        else:
            request.work = ready.run

    def list_prompts(self, request: Request) -> Result:
        """Answer `prompts/list`."""
        return self._list(
            request,
            "prompts",
            self._offering.prompts,
            lambda prompt: rendered.entry(self._rendering(prompt)),
        )

    def get_prompt(self, request: Request) -> None:
        """Begin `prompts/get`."""
        params = cast("GetPromptParams", request.params)
        prompt = self._offering.prompts.get(params.name)
        if prompt is None:
            raise InvalidParamsError(f"Unknown prompt: {params.name}")
        rendering = _served(lambda: self._rendering(prompt))
        given = params.arguments if isinstance(params.arguments, dict) else {}
        rendering.check(given)
        self._begin(
            request,
            rendering,
            lambda: rendering.call(given, request),
            lambda value: rendering.result(value, given),
            f"Prompt {params.name!r}",
        )

    def list_resources(self, request: Request) -> Result:
        """Answer `resources/list`."""
        return self._list(
            request,
            "resources",
            self._offering.resources,
            lambda resource: resource_entry(self._reading(resource)),
        )

    def list_templates(self, request: Request) -> Result:
        """Answer `resources/templates/list`."""
        return self._list(
            request,
            "resourceTemplates",
            self._offering.templates,
            lambda template: template_entry(self._reading(template)),
        )

    def read_resource(self, request: Request) -> None:
        """Begin `resources/read`."""
        uri = cast("ReadResourceParams", request.params).uri
        reading, variables = self._find(uri)
        self._begin(
            request,
            reading,
            lambda: reading.call(uri, variables, request),
            lambda value: reading.result(value, uri),
            f"Resource {uri!r}",
        )

    def complete(self, request: Request) -> None:
        """Begin `completion/complete`."""
        params = cast("CompleteParams", request.params)
        item = self._completed(params)
        source = item.completions.get(params.argument.name)
        settled: dict[str, str] = {}
        if params.context is not UNSET and params.context.arguments is not UNSET:
            settled = params.context.arguments
        where = f"{item.name!r}, argument {params.argument.name!r}"
        request.pace = self._completion_pace
        request.work = lambda _request: suggest(source, params.argument.value, settled, where)

    def _begin(
        self,
        request: Request,
        ready: Rendering | Reading,
        call: Callable[[], Any],
        finish: Callable[[Any], Json],
        what: str,
    ) -> None:
        """Give a request the work of calling a prompt's or a resource's handler."""

        def failed(fault: BaseException) -> ProtocolError:
            if isinstance(fault, ProtocolError) or not is_reportable(fault, request):
                raise fault
            return ProtocolError(describe(fault, what, is_masked=self._offering.mask_errors))

        def work(_request: Request) -> Json:
            try:
                return finish(call())
            except BaseException as fault:  # noqa: BLE001 - told to the client, or raised again
                raise failed(fault) from None

        async def async_work(_request: Request) -> Json:
            try:
                return finish(await call())
            except BaseException as fault:  # noqa: BLE001 - told to the client, or raised again
                raise failed(fault) from None

        request.pace = ready.pace
        if ready.is_async:
            request.async_work = async_work
        else:
            request.work = work

    def _list(
        self, request: Request, key: str, catalogue: Catalogue[Any], entry: Callable[[Any], Json]
    ) -> Result:
        listing = self._listings.get(key)
        if listing is None or listing.revision != catalogue.revision:
            revision = catalogue.revision
            listing = Listing(revision, _encoded(catalogue, entry), key)
            self._listings[key] = listing
        cursor = cast("ListParams", request.params).cursor
        size = self._offering.page_size
        if size is None or (not isinstance(cursor, str) and len(listing.entries) <= size):
            if isinstance(cursor, str):
                raise _bad_cursor(cursor)
            return listing.members
        return _page(key, listing.entries, cursor if isinstance(cursor, str) else None, size)

    def _find(self, uri: str) -> tuple[Reading, dict[str, str]]:
        resource = self._offering.resources.get(uri)
        if resource is not None:
            return _served(lambda: self._reading(resource)), {}
        for template in self._offering.templates:
            if template.handler is None:
                continue
            reading = _served(lambda template=template: self._reading(template))  # type: ignore[misc]  # bound now
            variables = reading.template.match(uri) if reading.template else None
            if variables is not None:
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

    def _ready(self, tool: Tool) -> Invocation:
        ready: Invocation = _served(lambda: self._invocation(tool))
        return ready

    def _invocation(self, tool: Tool) -> Invocation:
        if tool.invocation is None:
            tool.invocation = Invocation(tool, self._offering)
        return tool.invocation

    def _rendering(self, prompt: Prompt) -> Rendering:
        if prompt.rendering is None:
            prompt.rendering = Rendering(prompt, self._offering)
        return prompt.rendering

    def _reading(self, item: Resource | ResourceTemplate) -> Reading:
        if item.reading is None:
            item.reading = Reading(item, self._offering)
        return item.reading


def _served(make: Callable[[], Any]) -> Any:
    """What `make` makes; a wrong declaration becomes an error that the client can read."""
    try:
        return make()
    except PaddockError as error:
        raise ProtocolError(str(error)) from None


def _encoded(catalogue: Catalogue[Any], entry: Callable[[Any], Json]) -> list[bytes]:
    entries = []
    for item in catalogue:
        try:
            entries.append(encode(entry(item)))
        except (PaddockError, TypeError, NotImplementedError, ValueError) as error:
            import logging  # noqa: PLC0415 - only when something is declared wrongly

            logging.getLogger("paddock").error("%r is left out: %s", item, error)
    return entries


def _members(key: str, entries: list[bytes]) -> bytes:
    return b'"%b":[%b]' % (key.encode(), b",".join(entries))


def _page(key: str, entries: list[bytes], cursor: str | None, size: int) -> bytes:
    start = 0 if cursor is None else _offset(key, cursor, len(entries))
    end = start + size
    members = _members(key, entries[start:end])
    if end >= len(entries):
        return members
    following = binascii.b2a_base64(f"{key}:{end}".encode(), newline=False)
    return members + b',"nextCursor":%b' % encode(following.decode())


def _offset(key: str, cursor: str, count: int) -> int:
    try:
        kind, _, number = binascii.a2b_base64(cursor, strict_mode=True).decode().partition(":")
        offset = int(number)
    except ValueError:
        raise _bad_cursor(cursor) from None
    if kind != key or not 0 < offset < count:
        raise _bad_cursor(cursor)
    return offset


def _bad_cursor(cursor: str) -> InvalidParamsError:
    return InvalidParamsError(f"Unknown cursor {cursor!r}: list again without one")
