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
    EMPTY_ARGUMENTS,
    create_parameter_reader,
    create_typed_reader,
    coerce_strings,
    is_json_object,
    repair_arguments,
    create_schema_reader,
)
from paddock.authoring.context import Context
from paddock.authoring.entries import get_input_schema, get_output_schema
from paddock.authoring.failures import ArgumentsError, ToolError, describe_error, is_handler_failure
from paddock.authoring.mirroring import check_mirrored_headers, find_header_parameters
from paddock.authoring.refusals import explain_error, get_error_path
from paddock.authoring.results import convert_result, build_error_result, run_if_coroutine, dump_json
from paddock.authoring.signature import HandlerSignature, is_coroutine_function
from paddock.authoring.whole_call import bind_dict_handler
from paddock.errors import PaddockError
from paddock.protocol.errors import (
    InvalidParamsError,
    MissingCapabilityError,
    ProtocolError,
    ScopeError,
)
from paddock.protocol.jsonrpc import DECODE_ERRORS
from paddock.protocol.pace import SlowHandlerTracker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paddock.authoring.mirroring import HeaderParameter
    from paddock.authoring.offering import BaseServer
    from paddock.authoring.tool import ToolHandler, Tool
    from paddock.protocol.request import Request, Result


class ToolInvoker:
    """One tool, ready to be called."""

    __slots__ = (
        "_call_handler",
        "_header_parameters",
        "_server",
        "_read_arguments",
        "_output_schema",
        "is_async",
        "slow_tracker",
        "tool",
    )

    def __init__(self, tool: Tool, offering: BaseServer) -> None:
        self.tool = tool
        self.slow_tracker = SlowHandlerTracker(is_trusted=tool.inline)
        self._server = offering
        self._header_parameters: tuple[HeaderParameter, ...] | None = None
        self._output_schema = get_output_schema(tool)
        self._read_arguments: Callable[[Any], Any]
        self._call_handler: Callable[[Any, Request], Any]
        if tool.input_schema is not None:
            self._read_arguments = create_schema_reader(tool.input_schema, tool.name)
            self._call_handler = self._bind_dict_handler()
        elif tool.parameters is not None:
            self._read_arguments = create_parameter_reader(tool.parameters, tool.name)
            self._call_handler = self._bind_dict_handler()
        else:
            signature = HandlerSignature(tool.handler, Context, tool.name)
            self._read_arguments, self._call_handler = self._bind_typed_handler(signature)
        self.is_async = is_coroutine_function(tool.handler)

    def check_http_request(self, request: Request) -> None:
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
        if self._header_parameters is None:
            self._header_parameters = find_header_parameters(get_input_schema(self.tool), self.tool.name)
        if self._header_parameters:
            raw = request.params.arguments  # type: ignore[attr-defined]  # of tools/call
            check_mirrored_headers(self._header_parameters, raw, exchange)

    def run(self, request: Request) -> Result:
        """Call the handler in this thread."""
        raw = request.params.arguments  # type: ignore[attr-defined]  # of tools/call
        try:
            try:
                arguments = self._read_arguments(EMPTY_ARGUMENTS if raw is UNSET else raw)
            except DECODE_ERRORS:
                arguments = self._read_repaired_arguments(raw)
            value = self._call_handler(arguments, request)
            if value.__class__ is CoroutineType:
                value = run_if_coroutine(value)
            return convert_result(value, self._output_schema)
        except BaseException as fault:  # noqa: BLE001 - told to the model, or raised again
            return self._build_failure_result(fault, request)

    async def run_async(self, request: Request) -> Result:
        """Call the handler on the running event loop."""
        raw = request.params.arguments  # type: ignore[attr-defined]  # of tools/call
        try:
            try:
                arguments = self._read_arguments(EMPTY_ARGUMENTS if raw is UNSET else raw)
            except DECODE_ERRORS:
                arguments = self._read_repaired_arguments(raw)
            return convert_result(await self._call_handler(arguments, request), self._output_schema)
        except BaseException as fault:  # noqa: BLE001 - told to the model, or raised again
            return self._build_failure_result(fault, request)

    def _read_repaired_arguments(self, raw: object) -> Any:
        form = repair_arguments(raw)
        try:
            if self.tool.lenient:
                form = coerce_strings(form, get_input_schema(self.tool))
            return self._read_arguments(form)
        except DECODE_ERRORS as fault:
            if not is_json_object(raw):
                text = f"Invalid params of tools/call: arguments: {fault}"
                raise InvalidParamsError(text) from None
            text = explain_error(fault, get_input_schema(self.tool))
            name = self.tool.name
            text = f"Invalid arguments for tool {name!r}: {text}"
            raise ArgumentsError(text, get_error_path(fault)) from None

    def _build_failure_result(self, fault: BaseException, request: Request) -> bytes:
        if isinstance(fault, MissingCapabilityError) and not request.era.is_stateless:
            return build_error_result(fault.message)
        if isinstance(fault, ProtocolError) or not is_handler_failure(fault, request):
            raise fault
        if request.observation is not None:
            request.observation.record_exception(fault)
        what = f"Tool {self.tool.name!r}"
        failures = self.tool.failures
        if failures is not None and isinstance(fault, PaddockError):
            return build_error_result(dump_json(failures(fault)))
        text = describe_error(fault, what, is_masked=self._server.mask_errors)
        return build_error_result(text if failures is None else dump_json(failures(ToolError(text))))

    def _get_handler_and_options(self) -> tuple[ToolHandler, BaseServer, Mapping[str, Any]]:
        """What a call needs besides its request."""
        return self.tool.handler, self._server, MappingProxyType(self.tool.option_values)

    def _bind_dict_handler(self) -> Callable[[Any, Request], Any]:
        """The handler takes the arguments as one dictionary."""
        handler, offering, options = self._get_handler_and_options()
        return bind_dict_handler(handler, lambda request: Context(request, offering, options))

    def _bind_typed_handler(
        self, signature: HandlerSignature
    ) -> tuple[Callable[[Any], Any], Callable[[Any, Request], Any]]:
        """The handler takes the arguments by its own parameters."""
        handler, offering, options = self._get_handler_and_options()
        context = signature.context_parameter
        if not signature.parameters:
            if context is None:
                return _accept_any_object, lambda _arguments, _request: handler()
            if signature.context_position is not None:
                return _accept_any_object, lambda _, request: handler(Context(request, offering, options))
            return _accept_any_object, lambda _, request: handler(
                **{context: Context(request, offering, options)}
            )
        read = create_typed_reader(signature.parameters, self.tool.name)
        astuple = msgspec.structs.astuple
        if context is None and not signature.keyword_only_names:
            return read, lambda arguments, _request: handler(*astuple(arguments))
        count, names = len(signature.parameters) - len(signature.keyword_only_names), signature.keyword_only_names
        place = signature.context_position

        def call(arguments: Any, request: Request) -> Any:
            values = astuple(arguments)
            positional, named = list(values[:count]), dict(zip(names, values[count:], strict=True))
            if place is not None:
                positional.insert(place, Context(request, offering, options))
            elif context is not None:
                named[context] = Context(request, offering, options)
            return handler(*positional, **named)

        return read, call


def _accept_any_object(raw: Any) -> None:
    # Some clients fill in an argument of their own where a tool takes none: any object will do.
    msgspec.json.decode(raw, type=dict[str, Any])
