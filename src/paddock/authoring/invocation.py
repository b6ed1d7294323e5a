"""How one tool is called: its arguments read, its handler run, its result converted.

Worked out once per tool, when it is first needed. A wrong argument and a failing handler give a
result that the model can read; only a fault of the protocol is an error.
"""

from __future__ import annotations

from types import CoroutineType, MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from paddock.authoring.arguments import (
    EMPTY,
    declared_reader,
    hinted_reader,
    interpreted,
    is_object,
    mended,
    schema_reader,
)
from paddock.authoring.context import Context
from paddock.authoring.entries import declared_input, declared_structure
from paddock.authoring.failures import ArgumentsError, ToolError, describe, is_reportable
from paddock.authoring.mirroring import check_arguments, mirrors_of
from paddock.authoring.refusals import explain, place_of
from paddock.authoring.results import convert, error_result, finished, shown
from paddock.authoring.signature import Signature, is_coroutine_function
from paddock.authoring.whole_call import whole_call
from paddock.errors import PaddockError
from paddock.protocol.errors import (
    InvalidParamsError,
    MissingCapabilityError,
    ProtocolError,
    ScopeError,
)
from paddock.protocol.jsonrpc import DECODE_FAULTS
from paddock.protocol.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paddock.authoring.mirroring import Mirror
    from paddock.authoring.offering import Offering
    from paddock.authoring.tool import Handler, Tool
    from paddock.protocol.request import Request, Result


class Invocation:
    """One tool, ready to be called."""

    __slots__ = (
        "_call",
        "_mirrors",
        "_offering",
        "_read",
        "_structure",
        "is_async",
        "pace",
        "tool",
    )

    def __init__(self, tool: Tool, offering: Offering) -> None:
        self.tool = tool
        self.pace = Pace(is_trusted=tool.inline)
        self._offering = offering
        self._mirrors: tuple[Mirror, ...] | None = None
        self._structure = declared_structure(tool)
        self._read: Callable[[Any], Any]
        self._call: Callable[[Any, Request], Any]
        if tool.input_schema is not None:
            self._read = schema_reader(tool.input_schema, tool.name)
            self._call = self._whole_call()
        elif tool.parameters is not None:
            self._read = declared_reader(tool.parameters, tool.name)
            self._call = self._whole_call()
        else:
            signature = Signature(tool.handler, Context, tool.name)
            self._read, self._call = self._spread_call(signature)
        self.is_async = is_coroutine_function(tool.handler)

    def admit(self, request: Request) -> None:
        """Refuse a call that came over HTTP and must not reach the handler.

        Raises:
            ScopeError: when whoever calls may not.
            HeaderMismatchError: when a header differs from the argument that it mirrors.
        """
        exchange = request.exchange
        if exchange is None:
            return
        principal = request.principal
        if self.tool.scopes and (principal is None or not self.tool.scopes <= principal.scopes):
            raise ScopeError(self.tool.scopes, f"Tool {self.tool.name!r}")
        if not request.era.is_stateless:
            return
        if self._mirrors is None:
            self._mirrors = mirrors_of(declared_input(self.tool), self.tool.name)
        if self._mirrors:
            raw = request.params.arguments  # type: ignore[attr-defined]  # of tools/call
            check_arguments(self._mirrors, raw, exchange)

    def run(self, request: Request) -> Result:
        """Call the handler in this thread."""
        raw = request.params.arguments  # type: ignore[attr-defined]  # of tools/call
        try:
            try:
                arguments = self._read(EMPTY if raw is UNSET else raw)
            except DECODE_FAULTS:
                arguments = self._mended_arguments(raw)
            value = self._call(arguments, request)
            if value.__class__ is CoroutineType:
                value = finished(value)
            return convert(value, self._structure)
        except BaseException as fault:  # noqa: BLE001 - told to the model, or raised again
            return self._failed(fault, request)

    async def run_async(self, request: Request) -> Result:
        """Call the handler on the running event loop."""
        raw = request.params.arguments  # type: ignore[attr-defined]  # of tools/call
        try:
            try:
                arguments = self._read(EMPTY if raw is UNSET else raw)
            except DECODE_FAULTS:
                arguments = self._mended_arguments(raw)
            return convert(await self._call(arguments, request), self._structure)
        except BaseException as fault:  # noqa: BLE001 - told to the model, or raised again
            return self._failed(fault, request)

    def _mended_arguments(self, raw: object) -> Any:
        form = mended(raw)
        try:
            if self.tool.lenient:
                form = interpreted(form, declared_input(self.tool))
            return self._read(form)
        except DECODE_FAULTS as fault:
            if not is_object(raw):
                text = f"Invalid params of tools/call: arguments: {fault}"
                raise InvalidParamsError(text) from None
            text = explain(fault, declared_input(self.tool))
            name = self.tool.name
            text = f"Invalid arguments for tool {name!r}: {text}"
            raise ArgumentsError(text, place_of(fault)) from None

    def _failed(self, fault: BaseException, request: Request) -> bytes:
        if isinstance(fault, MissingCapabilityError) and not request.era.is_stateless:
            return error_result(fault.message)
        if isinstance(fault, ProtocolError) or not is_reportable(fault, request):
            raise fault
        if request.followed is not None:
            request.followed.failed(fault)
        what = f"Tool {self.tool.name!r}"
        failures = self.tool.failures
        if failures is not None and isinstance(fault, PaddockError):
            return error_result(shown(failures(fault)))
        text = describe(fault, what, is_masked=self._offering.mask_errors)
        return error_result(text if failures is None else shown(failures(ToolError(text))))

    def _parts(self) -> tuple[Handler, Offering, Mapping[str, Any]]:
        """What a call needs besides its request."""
        return self.tool.handler, self._offering, MappingProxyType(self.tool.option_values)

    def _whole_call(self) -> Callable[[Any, Request], Any]:
        """The handler takes the arguments as one dictionary."""
        handler, offering, options = self._parts()
        return whole_call(handler, lambda request: Context(request, offering, options))

    def _spread_call(
        self, signature: Signature
    ) -> tuple[Callable[[Any], Any], Callable[[Any, Request], Any]]:
        """The handler takes the arguments by its own parameters."""
        handler, offering, options = self._parts()
        context = signature.context
        if not signature.parameters:
            if context is None:
                return _read_none, lambda _arguments, _request: handler()
            if signature.context_place is not None:
                return _read_none, lambda _, request: handler(Context(request, offering, options))
            return _read_none, lambda _, request: handler(
                **{context: Context(request, offering, options)}
            )
        read = hinted_reader(signature.parameters, self.tool.name)
        astuple = msgspec.structs.astuple
        if context is None and not signature.keywords:
            return read, lambda arguments, _request: handler(*astuple(arguments))
        count, names = len(signature.parameters) - len(signature.keywords), signature.keywords
        place = signature.context_place

        def call(arguments: Any, request: Request) -> Any:
            values = astuple(arguments)
            positional, named = list(values[:count]), dict(zip(names, values[count:], strict=True))
            if place is not None:
                positional.insert(place, Context(request, offering, options))
            elif context is not None:
                named[context] = Context(request, offering, options)
            return handler(*positional, **named)

        return read, call


def _read_none(raw: Any) -> None:
    # Some clients fill in an argument of their own where a tool takes none: any object will do.
    msgspec.json.decode(raw, type=dict[str, Any])
