"""Tools at run time: their list entries, and the invoker that handles `tools/call`.

List entries are not kept here, because `authoring.methods` caches the encoded list. An invoker is
created when a tool is first called, so tools that are never called cost no more memory than their
declarations.

Invalid arguments and failing handlers lead to an error result, which the model can read and react
to. Only protocol violations are reported as JSON-RPC errors.
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
    create_parameter_decoder,
    create_schema_decoder,
    create_signature_decoder,
    create_struct_decoder,
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
from paddock.authoring.handler_reference import resolve_handler
from paddock.authoring.header_parameters import check_mirrored_headers, find_header_parameters
from paddock.authoring.results import (
    OutputSchema,
    build_error_result,
    convert_result,
    dump_json,
    run_if_coroutine,
)
from paddock.authoring.schema import JSON_SCHEMA_DIALECT, build_arguments_schema
from paddock.authoring.signature import (
    HandlerSignature,
    is_coroutine_function,
    list_struct_parameters,
)
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
    from collections.abc import Callable

    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.header_parameters import HeaderParameter
    from paddock.authoring.tool import Tool
    from paddock.protocol.request import Request, Result


Json = dict[str, Any]


def build_tool_entry(tool: Tool) -> Json:
    """Return a tool's entry in `tools/list`, such as `{"name": "add", "inputSchema": …}`.

    Raises:
        DefinitionError: The declaration of the tool is invalid.
    """
    signature = _read_signature(tool)
    input_schema = _select_input_schema(tool, signature)
    # The result is not needed. This call reports misplaced annotations when the tool is listed.
    find_header_parameters(input_schema, tool.name)
    entry: Json = {"name": tool.name, "inputSchema": input_schema}
    optional_members = {
        "title": tool.title,
        "description": signature.description if tool.description is None else tool.description,
        "outputSchema": _create_output_schema(tool, signature).output_schema,
        "annotations": tool.annotations,
        "execution": None if tool.task == "forbidden" else {"taskSupport": tool.task},
        "icons": tool.icons,
        "_meta": _build_meta(tool),
    }
    entry.update({key: value for key, value in optional_members.items() if value})
    return entry


def _build_meta(tool: Tool) -> Json:
    """Return a tool's `_meta`, such as `{"ui": {"resourceUri": "ui://weather/view"}}`.

    The `ui` field belongs to the MCP Apps extension. The tool's UI settings are merged into the
    `_meta` declared by the author, which may also have a `ui` field.
    """
    meta = dict(tool.meta or {})
    if tool.ui is None and tool.visibility is None:
        return meta
    ui_settings = {**meta.get("ui", {})}
    if tool.ui is not None:
        ui_settings["resourceUri"] = tool.ui if isinstance(tool.ui, str) else tool.ui.uri
    if tool.visibility is not None:
        ui_settings["visibility"] = list(tool.visibility)
    return {**meta, "ui": ui_settings}


def get_input_schema(tool: Tool) -> Json:
    """Return the JSON Schema of a tool's arguments."""
    return _select_input_schema(tool, _read_signature(tool))


def _read_signature(tool: Tool) -> HandlerSignature:
    """Return the signature of a tool's handler: its parameters, return type and docstring.

    If the tool declares its arguments, the handler's parameters are not read, because their type
    hints may have no schema.
    """
    handler = resolve_handler(tool.handler)
    declarations = (tool.arguments, tool.parameters, tool.input_schema)
    has_declaration = any(declaration is not None for declaration in declarations)
    signature = HandlerSignature(handler, Context, tool.name, reads_parameters=not has_declaration)
    if tool.arguments is not None:
        signature.parameters = list_struct_parameters(tool.arguments)
    if isinstance(tool.handler, str):
        signature.return_type = tool.return_type
    return signature


def _select_input_schema(tool: Tool, signature: HandlerSignature) -> Json:
    """Return the declared schema, or else one built from the parameters or the signature."""
    if tool.input_schema is not None:
        return tool.input_schema
    if tool.parameters is not None:
        return build_parameter_schema(tool.parameters, JSON_SCHEMA_DIALECT)
    return build_arguments_schema(signature, tool.name)


def _create_declared_decoder(tool: Tool) -> Callable[[Any], Any] | None:
    """Return a function that decodes the arguments that a tool declares.

    The result is None if the tool declares no arguments. They are then derived from its handler's
    parameters.
    """
    if tool.input_schema is not None:
        return create_schema_decoder(tool.input_schema, tool.name)
    if tool.parameters is not None:
        return create_parameter_decoder(tool.parameters, tool.name)
    if tool.arguments is not None:
        return create_struct_decoder(tool.arguments, tool.name)
    return None


def _create_output_schema(tool: Tool, signature: HandlerSignature) -> OutputSchema:
    """Return a tool's output schema, from its declaration or its handler's return type."""
    return OutputSchema(
        signature.return_type,
        where=tool.name,
        output_schema=tool.output_schema,
        return_type=tool.return_type,
        mime_type=tool.mime_type,
    )


class ToolInvoker:
    """A tool that is ready to be called.

    It decodes the arguments, runs the handler, and converts the result. The functions that it uses
    depend on the tool's declaration, and are selected once when the invoker is created.
    """

    def __init__(self, tool: Tool, server: BaseServer) -> None:
        self.tool = tool
        self.task_support = tool.task
        self.task_from_handler = tool.task_from_handler
        self.slow_tracker = SlowHandlerTracker(is_trusted=tool.inline)
        self._server = server
        self._handler = resolve_handler(tool.handler)
        self._header_parameters: tuple[HeaderParameter, ...] | None = None
        signature = _read_signature(tool)
        self._output_schema = _create_output_schema(tool, signature)
        self._decode_arguments: Callable[[Any], Any]
        self._call_handler: Callable[[Any, Request], Any]
        decode_declared_arguments = _create_declared_decoder(tool)
        if decode_declared_arguments is not None:
            self._decode_arguments = decode_declared_arguments
            self._call_handler = self._bind_object_handler()
        else:
            self._decode_arguments, self._call_handler = self._bind_typed_handler(signature)
        self.is_async = is_coroutine_function(self._handler)

    def check_http_request(self, request: Request) -> None:
        """Check the scopes and mirrored headers of an HTTP call before the handler runs.

        Mirrored headers repeat annotated arguments, so that proxies can route calls by them.

        Raises:
            ScopeError: The access token lacks a required scope.
            HeaderMismatchError: A header differs from the argument that it mirrors.
        """
        exchange = request.exchange
        if exchange is None:
            return
        principal = request.principal
        if self.tool.scopes and (principal is None or not self.tool.scopes <= principal.scopes):
            raise ScopeError(self.tool.scopes, f"Tool {self.tool.name!r}")
        # Protocol versions with sessions have no mirrored headers.
        if not request.era.is_stateless:
            return
        if self._header_parameters is None:
            # They are determined on the first HTTP call, because building the schema is expensive
            # and calls over stdio have no headers.
            self._header_parameters = find_header_parameters(
                get_input_schema(self.tool), self.tool.name
            )
        if self._header_parameters:
            raw_arguments = request.params.arguments  # type: ignore[attr-defined]  # of tools/call
            check_mirrored_headers(self._header_parameters, raw_arguments, exchange)

    def run(self, request: Request) -> Result:
        """Call the handler in the current thread and return its encoded result.

        This is the `work` of a `tools/call` request whose handler is a plain function.
        """
        # `run` and `run_async` duplicate code, because a shared helper would cost a function call
        # on every request.
        raw_arguments = request.params.arguments  # type: ignore[attr-defined]  # of tools/call
        try:
            try:
                arguments = self._decode_arguments(
                    EMPTY_ARGUMENTS if raw_arguments is UNSET else raw_arguments
                )
            except DECODE_ERRORS:
                # Known client mistakes are corrected only if the arguments could not be decoded, so
                # that valid calls stay fast.
                arguments = self._decode_repaired_arguments(raw_arguments)
            value = self._call_handler(arguments, request)
            # A plain function returns a coroutine if it wraps an `async def` function.
            if value.__class__ is CoroutineType:
                value = run_if_coroutine(value)
            return convert_result(value, self._output_schema)
        except BaseException as error:  # noqa: BLE001 - sent to the model, or raised again
            return self._build_failure_result(error, request)

    async def run_async(self, request: Request) -> Result:
        """Call the handler on the running event loop and return its encoded result.

        This is the `async_work` of a `tools/call` request whose handler is a coroutine function.
        """
        raw_arguments = request.params.arguments  # type: ignore[attr-defined]  # of tools/call
        try:
            try:
                arguments = self._decode_arguments(
                    EMPTY_ARGUMENTS if raw_arguments is UNSET else raw_arguments
                )
            except DECODE_ERRORS:
                arguments = self._decode_repaired_arguments(raw_arguments)
            return convert_result(await self._call_handler(arguments, request), self._output_schema)
        except BaseException as error:  # noqa: BLE001 - sent to the model, or raised again
            return self._build_failure_result(error, request)

    def _decode_repaired_arguments(self, raw_arguments: object) -> Any:
        """Decode the arguments of a call after correcting known client mistakes.

        Raises:
            ArgumentsError: The arguments are invalid. The message explains to the model how to
                correct them.
            InvalidParamsError: The arguments are not an object.
        """
        repaired_arguments = repair_arguments(raw_arguments)
        try:
            if self.tool.lenient:
                repaired_arguments = coerce_strings(repaired_arguments, get_input_schema(self.tool))
            return self._decode_arguments(repaired_arguments)
        except DECODE_ERRORS as error:
            # A model can correct arguments of the wrong type if it sees the message. Arguments that
            # are not an object are the client's mistake and cause a JSON-RPC error.
            if not is_json_object(raw_arguments):
                text = f"Invalid params of tools/call: arguments: {error}"
                raise InvalidParamsError(text) from None
            explanation = explain_error(error, get_input_schema(self.tool))
            text = f"Invalid arguments for tool {self.tool.name!r}: {explanation}"
            raise ArgumentsError(text, get_error_path(error)) from None

    def _build_failure_result(self, error: BaseException, request: Request) -> bytes:
        """Return the result of a call whose handler has failed, or re-raise the error.

        Argument errors and handler errors become results with `isError`, which the model can see.
        Protocol errors and exceptions that cancel or suspend a request are re-raised for
        `Request.run`.

        If the tool has a `failures` function, it converts the error to JSON data for the result.
        """
        # Protocol versions with sessions do not specify a JSON-RPC error for missing capabilities,
        # so the model gets a result. Stateless clients get the specified error.
        if isinstance(error, MissingCapabilityError) and not request.era.is_stateless:
            return build_error_result(error.message)
        if isinstance(error, ProtocolError) or not is_handler_failure(error, request):
            raise error
        if request.observation is not None:
            request.observation.record_exception(error)
        failures = self.tool.failures
        if failures is not None and isinstance(error, PaddockError):
            return build_error_result(dump_json(failures(error)))
        text = describe_error(error, f"Tool {self.tool.name!r}", is_masked=self._server.mask_errors)
        return build_error_result(
            text if failures is None else dump_json(failures(ToolError(text)))
        )

    def _bind_object_handler(self) -> Callable[[Any, Request], Any]:
        """Return a function that passes the arguments to the handler as one object."""
        handler, server = self._handler, self._server
        options = MappingProxyType(self.tool.option_values)
        return bind_dict_handler(handler, lambda request: Context(request, server, options))

    def _bind_typed_handler(
        self, signature: HandlerSignature
    ) -> tuple[Callable[[Any], Any], Callable[[Any, Request], Any]]:
        """Return an argument decoder, and a function that calls the handler with the arguments.

        Both run on every call, so handlers without parameters and handlers with only positional
        parameters have their own short functions. `call_handler` below handles all others.

        Args:
            signature: The handler's signature, whose parameters are the tool's arguments.
        """
        handler, server = self._handler, self._server
        options = MappingProxyType(self.tool.option_values)
        context = signature.context_parameter
        if not signature.parameters:
            if context is None:
                return _accept_any_object, lambda _arguments, _request: handler()
            if signature.context_position is not None:
                return _accept_any_object, lambda _, request: handler(
                    Context(request, server, options)
                )
            return _accept_any_object, lambda _, request: handler(
                **{context: Context(request, server, options)}
            )
        decode = create_signature_decoder(signature.parameters, self.tool.name)
        astuple = msgspec.structs.astuple
        if context is None and not signature.keyword_only_names:
            return decode, lambda arguments, _request: handler(*astuple(arguments))
        keyword_names = signature.keyword_only_names
        # astuple() returns fields in the order of the parameters: positional ones first.
        positional_count = len(signature.parameters) - len(keyword_names)
        context_position = signature.context_position

        def call_handler(arguments: Any, request: Request) -> Any:
            values = astuple(arguments)
            positional_arguments = list(values[:positional_count])
            keyword_arguments = dict(zip(keyword_names, values[positional_count:], strict=True))
            if context_position is not None:
                positional_arguments.insert(context_position, Context(request, server, options))
            elif context is not None:
                keyword_arguments[context] = Context(request, server, options)
            return handler(*positional_arguments, **keyword_arguments)

        return decode, call_handler


def _accept_any_object(raw_arguments: Any) -> None:
    """Check that the arguments of a tool without parameters are an object, and ignore them.

    Some clients send an extra argument to such tools.
    """
    msgspec.json.decode(raw_arguments, type=dict[str, Any])
