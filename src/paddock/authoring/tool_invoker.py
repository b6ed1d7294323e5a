"""Tools as `tools/list` shows them: their schemas and descriptions, from what is declared.

Nothing is kept: a list is encoded once and then served as bytes (`authoring.operations`), so that
ten thousand tools that are listed and never called cost no more than their declarations.

How one tool is called: its arguments read, its handler run, its result converted.

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
    build_parameter_schema,
    coerce_strings,
    create_parameter_reader,
    create_schema_reader,
    create_typed_reader,
    explain_error,
    get_error_path,
    is_json_object,
    repair_arguments,
)
from paddock.authoring.context import Context, bind_dict_handler
from paddock.authoring.handler_errors import (
    ArgumentsError,
    ToolError,
    describe_error,
    is_handler_failure,
)
from paddock.authoring.header_parameters import check_mirrored_headers, find_header_parameters
from paddock.authoring.output_schema import OutputSchema
from paddock.authoring.results import (
    build_error_result,
    convert_result,
    dump_json,
    run_if_coroutine,
)
from paddock.authoring.schema import JSON_SCHEMA_DIALECT, build_arguments_schema
from paddock.authoring.signature import HandlerSignature, is_coroutine_function
from paddock.errors import PaddockError
from paddock.protocol.errors import (
    InvalidParamsError,
    MissingCapabilityError,
    ProtocolError,
    ScopeError,
)
from paddock.protocol.jsonrpc import DECODE_ERRORS
from paddock.protocol.request import SlowHandlerTracker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.header_parameters import HeaderParameter
    from paddock.authoring.tool import Tool, ToolHandler
    from paddock.protocol.request import Request, Result


Json = dict[str, Any]


def build_tool_entry(tool: Tool) -> Json:
    """A tool as `tools/list` shows it."""
    signature = _read_signature(tool)
    schema = _select_input_schema(tool, signature)
    find_header_parameters(schema, tool.name)
    found: Json = {"name": tool.name, "inputSchema": schema}
    optional = {
        "title": tool.title,
        "description": signature.description if tool.description is None else tool.description,
        "outputSchema": _create_output_schema(tool, signature).output_schema,
        "annotations": tool.annotations,
        "execution": None if tool.task == "forbidden" else {"taskSupport": tool.task},
        "icons": tool.icons,
        "_meta": tool.meta
        if tool.ui is None and tool.visibility is None
        else _build_app_meta(tool),
    }
    found.update({key: value for key, value in optional.items() if value})
    return found


def _build_app_meta(tool: Tool) -> Json:
    """The `_meta` of a tool that has to do with a view."""
    meta = dict(tool.meta or {})
    settings = {**meta.get("ui", {})}
    if tool.ui is not None:
        settings["resourceUri"] = tool.ui if isinstance(tool.ui, str) else tool.ui.uri
    if tool.visibility is not None:
        settings["visibility"] = list(tool.visibility)
    return {**meta, "ui": settings}


def get_input_schema(tool: Tool) -> Json:
    """The schema of a tool's arguments."""
    return _select_input_schema(tool, _read_signature(tool))


def get_output_schema(tool: Tool) -> OutputSchema:
    """What a tool declares about its results."""
    return _create_output_schema(tool, _read_signature(tool))


def _read_signature(tool: Tool) -> HandlerSignature:
    is_explicit = tool.input_schema is not None or tool.parameters is not None
    return HandlerSignature(tool.handler, Context, tool.name, is_schema_needed=not is_explicit)


def _select_input_schema(tool: Tool, signature: HandlerSignature) -> Json:
    if tool.input_schema is not None:
        return tool.input_schema
    if tool.parameters is not None:
        return build_parameter_schema(tool.parameters, JSON_SCHEMA_DIALECT)
    return build_arguments_schema(signature, tool.name)


def _create_output_schema(tool: Tool, signature: HandlerSignature) -> OutputSchema:
    return OutputSchema(
        signature.return_type,
        where=tool.name,
        output_schema=tool.output_schema,
        return_type=tool.return_type,
        mime_type=tool.mime_type,
    )


class ToolInvoker:
    """One tool, ready to be called."""

    __slots__ = (
        "_call_handler",
        "_header_parameters",
        "_output_schema",
        "_read_arguments",
        "_server",
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
            self._header_parameters = find_header_parameters(
                get_input_schema(self.tool), self.tool.name
            )
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
        return build_error_result(
            text if failures is None else dump_json(failures(ToolError(text)))
        )

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
                return _accept_any_object, lambda _, request: handler(
                    Context(request, offering, options)
                )
            return _accept_any_object, lambda _, request: handler(
                **{context: Context(request, offering, options)}
            )
        read = create_typed_reader(signature.parameters, self.tool.name)
        astuple = msgspec.structs.astuple
        if context is None and not signature.keyword_only_names:
            return read, lambda arguments, _request: handler(*astuple(arguments))
        count, names = (
            len(signature.parameters) - len(signature.keyword_only_names),
            signature.keyword_only_names,
        )
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
