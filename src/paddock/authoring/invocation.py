"""How one tool is called: its arguments read, its handler run, its result converted.

Worked out once per tool, when it is first needed. A wrong argument and a failing handler give a
result that the model can read; only a fault of the protocol is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from paddock.authoring.arguments import (
    EMPTY,
    declared_reader,
    hinted_reader,
    is_object,
    mended,
    schema_reader,
)
from paddock.authoring.context import Context
from paddock.authoring.entries import declared_input, declared_structure
from paddock.authoring.failures import describe, is_reportable
from paddock.authoring.results import convert, error_result
from paddock.authoring.signature import Signature, count_positional, is_coroutine_function
from paddock.authoring.tool import NOTHING
from paddock.protocol.errors import InvalidParamsError, MissingCapabilityError, ProtocolError
from paddock.protocol.jsonrpc import DECODE_FAULTS
from paddock.protocol.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.offering import Offering
    from paddock.authoring.tool import Tool
    from paddock.protocol.request import Request, Result


class Invocation:
    """One tool, ready to be called."""

    __slots__ = (
        "_call",
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

    def run(self, request: Request) -> Result:
        """Call the handler in this thread."""
        raw = request.params.arguments  # type: ignore[attr-defined]  # of tools/call
        try:
            arguments = self._read(EMPTY if raw is UNSET else raw)
        except DECODE_FAULTS as fault:
            arguments = self._read_mended(raw)
            if arguments is NOTHING:
                return self._refused(raw, fault)
        try:
            return convert(self._call(arguments, request), self._structure)
        except BaseException as fault:  # noqa: BLE001 - told to the model, or raised again
            return self._failed(fault, request)

    async def run_async(self, request: Request) -> Result:
        """Call the handler on the running event loop."""
        raw = request.params.arguments  # type: ignore[attr-defined]  # of tools/call
        try:
            arguments = self._read(EMPTY if raw is UNSET else raw)
        except DECODE_FAULTS as fault:
            arguments = self._read_mended(raw)
            if arguments is NOTHING:
                return self._refused(raw, fault)
        try:
            value = await self._call(arguments, request)
            return convert(value, self._structure)
        except BaseException as fault:  # noqa: BLE001 - told to the model, or raised again
            return self._failed(fault, request)

    def _read_mended(self, raw: object) -> Any:
        better = mended(raw)
        try:
            return NOTHING if better is None else self._read(better)
        except DECODE_FAULTS:
            return NOTHING

    def _refused(self, raw: object, fault: Exception) -> bytes:
        if not is_object(raw):
            raise InvalidParamsError(f"Invalid params of tools/call: arguments: {fault}")
        taken = declared_input(self.tool).get("properties")
        known = ", ".join(taken) if isinstance(taken, dict) and taken else "none"
        return error_result(
            f"Invalid arguments for tool {self.tool.name!r}: {fault}. Parameters: {known}."
        )

    def _failed(self, fault: BaseException, request: Request) -> bytes:
        if isinstance(fault, MissingCapabilityError) and not request.era.is_stateless:
            return error_result(fault.message)
        if isinstance(fault, ProtocolError) or not is_reportable(fault, request):
            raise fault
        what = f"Tool {self.tool.name!r}"
        return error_result(describe(fault, what, is_masked=self._offering.mask_errors))

    def _whole_call(self) -> Callable[[Any, Request], Any]:
        """The handler takes the arguments as one dictionary, and the context if it has room."""
        handler, offering = self.tool.handler, self._offering
        if count_positional(handler) > 1:
            return lambda arguments, request: handler(arguments, Context(request, offering))
        return lambda arguments, _request: handler(arguments)

    def _spread_call(
        self, signature: Signature
    ) -> tuple[Callable[[Any], Any], Callable[[Any, Request], Any]]:
        """The handler takes the arguments by its own parameters."""
        handler, offering, context = self.tool.handler, self._offering, signature.context
        if not signature.parameters:
            if context is None:
                return _read_none, lambda _arguments, _request: handler()
            return _read_none, lambda _arguments, request: handler(
                **{context: Context(request, offering)}
            )
        read = hinted_reader(signature.parameters, self.tool.name)
        names = [taken.name for taken in signature.parameters]
        astuple = msgspec.structs.astuple
        if context is not None:

            def call(arguments: Any, request: Request) -> Any:
                values = dict(zip(names, astuple(arguments), strict=True))
                return handler(**values, **{context: Context(request, offering)})

            return read, call
        if any(taken.is_keyword_only for taken in signature.parameters):
            return read, lambda arguments, _request: handler(
                **dict(zip(names, astuple(arguments), strict=True))
            )
        return read, lambda arguments, _request: handler(*astuple(arguments))


def _read_none(raw: Any) -> None:
    # Some clients fill in an argument of their own where a tool takes none: any object will do.
    msgspec.json.decode(raw, type=dict[str, Any])
