"""The `Context` object, which gives a handler access to its request and its client.

A handler receives it by annotating a parameter: `def search(query: str, ctx: Context)`. The same
calls work in both protocol eras, because `request.era` implements the differences.
"""

from __future__ import annotations

from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

import msgspec

from paddock.authoring import input_requests
from paddock.authoring.mounted_items import LifespanStates
from paddock.authoring.signature import count_required_arguments, find_context_parameter
from paddock.authoring.type_hooks import encode_hook
from paddock.protocol.errors import MissingCapabilityError
from paddock.protocol.params import LOGGING_LEVELS, is_level_enabled
from paddock.protocol.request import describe_object
from paddock.protocol.server_requests import PendingAnswer, covers_capabilities
from paddock.protocol.thread_interrupt import HandlerCancelled
from paddock.protocol.trace_context import get_trace_context
from paddock.protocol.versions import APP_MIME_TYPE, UI_EXTENSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.input_requests import Elicited, Root, SampledMessage
    from paddock.protocol.content import Content, PromptMessage
    from paddock.protocol.principal import Principal
    from paddock.protocol.request import Request
    from paddock.protocol.server_requests import ServerRequest
    from paddock.protocol.trace_context import TraceContext


Json = dict[str, Any]
T = TypeVar("T")
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


class Context:
    """The request that a handler is working on."""

    __slots__ = ("_options", "_question_count", "_request", "_server")

    def __init__(
        self, request: Request, server: BaseServer, options: Mapping[str, Any] = NO_OPTIONS
    ) -> None:
        self._request = request
        self._server = server
        self._options = options
        self._question_count = 0

    @property
    def server(self) -> BaseServer:
        """The server that owns the handler."""
        return self._server

    @property
    def state(self) -> Any:
        """The value that the server's lifespan yielded."""
        # With mounts, each server has its own lifespan and therefore its own state.
        state = self._request.connection.state
        return state.get_state(self._server) if isinstance(state, LifespanStates) else state

    @property
    def options(self) -> Mapping[str, Any]:
        """The values of the tool's options, as set by the server's operator."""
        return self._options

    @property
    def request_id(self) -> int | str:
        """The JSON-RPC id of the request."""
        return self._request.id

    @property
    def protocol_version(self) -> str:
        """The protocol version of the request."""
        return self._request.era.get_version(self._request)

    @property
    def client_info(self) -> Json | None:
        """The client's name and version, as reported by the client."""
        return self._request.era.get_client_info(self._request)

    @property
    def client_capabilities(self) -> Json:
        """The capabilities that the client declared."""
        return self._request.era.get_client_capabilities(self._request)

    def client_extension(self, name: str) -> Json | None:
        """Return the client's settings for an extension, or None if it was not declared."""
        extensions = self.client_capabilities.get("extensions")
        settings = extensions.get(name) if isinstance(extensions, dict) else None
        return settings if isinstance(settings, dict) else None

    def can_show(self, mime_type: str = APP_MIME_TYPE) -> bool:
        """Return whether the client can show views of this media type.

        If it cannot, the user sees only the result's text, which must then be complete.
        """
        # Equal media types may differ in case and whitespace (RFC 9110, section 8.3.1).
        mime_types = (self.client_extension(UI_EXTENSION) or {}).get("mimeTypes")
        return isinstance(mime_types, list) and _normalize_media_type(mime_type) in map(
            _normalize_media_type, mime_types
        )

    @property
    def meta(self) -> Json:
        """The `_meta` of the request."""
        return self._request.decode_meta()

    @property
    def trace_context(self) -> TraceContext | None:
        """The W3C trace context sent with the request, or None."""
        return get_trace_context(self._request)

    @property
    def principal(self) -> Principal | None:
        """The authenticated caller, or None if the server does not check callers."""
        return self._request.principal

    @property
    def is_local(self) -> bool:
        """Whether the client runs in this process or started it. False over HTTP.

        File paths sent by a client that is not local may refer to another machine.
        """
        return self._request.exchange is None

    def close_stream(self, retry_ms: int | None = None) -> bool:
        """Close the client's connection while the handler keeps running.

        Intended for slow handlers in an HTTP session, so that no connection has to stay open. The
        client reconnects after `retry_ms` milliseconds to fetch the result.

        Returns:
            False if the client could not resume the connection. It then stays open.
        """
        exchange = self._request.exchange
        return exchange is not None and exchange.close_for_reconnect(retry_ms)

    @property
    def is_cancelled(self) -> bool:
        """Whether the client cancelled the request."""
        return self._request.is_cancelled

    def require(self, **capabilities: Json) -> None:
        """Raise an error unless the client declared these capabilities, as in `sampling={}`.

        Requests to the client check the capabilities that they need. Call this method to fail
        early, before doing work whose result would be lost.
        """
        required_capabilities: dict[str, object] = {**capabilities}
        if not covers_capabilities(self.client_capabilities, required_capabilities):
            raise MissingCapabilityError(required_capabilities, "This request")

    def remember(self, value: Any) -> None:
        """Save a JSON value for the next run of this handler.

        In the stateless era, a request to the client ends the handler, and the client's response
        restarts it from the beginning. Results saved here do not have to be computed again. The
        value is stored by the client. It is signed but not encrypted, so do not save secrets.
        """
        self._request.remembered_value = msgspec.to_builtins(value, enc_hook=encode_hook)

    @property
    def remembered(self) -> Any:
        """The value that `remember` saved in the previous run of this call, or None."""
        return self._request.era.get_remembered_value(self._request)

    def detach(self, *, ttl_ms: int | None = None, message: str | None = None) -> bool:
        """Continue the call as a task if the tool and the client support it.

        The client gets a response immediately and fetches the result later, within `ttl_ms`
        milliseconds. Requests to the client from now on are sent as part of the task.

        Returns:
            True if the call runs as a task.
        """
        return self._request.detach(ttl_ms, message)

    @property
    def is_task(self) -> bool:
        """Whether the call runs as a task."""
        return self._request.task is not None

    def raise_if_cancelled(self) -> None:
        """Raise `HandlerCancelled` if the client cancelled the request.

        Paddock interrupts Python code automatically. Call this method in loops around compiled
        code, which cannot be interrupted.
        """
        if self._request.is_cancelled:
            raise HandlerCancelled

    def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> bool:
        """Report progress to the client and return whether a notification was sent.

        Nothing is sent unless the client asked for progress and the value has increased. A task
        shows the message as its status.

        Args:
            progress: The amount of work done so far, in any unit.
            total: The total amount of work, if known.
            message: A description of the current step.
        """
        request = self._request
        # Progress notifications must not follow the response, so a task uses its status instead.
        if request.task is not None:
            if message is not None:
                request.task.set_status_message(message)
            return message is not None
        token = request.meta.progress_token if request.meta is not None else msgspec.UNSET
        last = request.last_progress
        # The specification requires increasing values, and JSON has no infinity.
        if token is msgspec.UNSET or not isfinite(progress):
            return False
        if last is not None and progress <= last:
            return False
        request.last_progress = progress
        params: Json = {"progressToken": token, "progress": progress}
        if total is not None and isfinite(total):
            params["total"] = total
        if message is not None:
            params["message"] = message
        return request.notify("notifications/progress", params)

    def log(self, level: str, data: Any, logger: str | None = None) -> bool:
        """Send a log message to the client if its log level includes the message.

        Args:
            level: A protocol log level, from `debug` to `emergency`.
            data: The message, as text or any value that can be encoded as JSON.
            logger: The name of the logger.

        Returns:
            True if a notification was sent.
        """
        if level not in LOGGING_LEVELS:
            raise ValueError(
                f"unknown log level {level!r}; expected one of {', '.join(LOGGING_LEVELS)}"
            )
        if not is_level_enabled(level, self._request.era.get_log_level(self._request)):
            return False
        params: Json = {"level": level, "data": _to_log_data(data)}
        if logger is not None:
            params["logger"] = logger
        return self._request.notify("notifications/message", params)

    def debug(self, data: Any) -> bool:
        """Log at level `debug`."""
        return self.log("debug", data)

    def info(self, data: Any) -> bool:
        """Log at level `info`."""
        return self.log("info", data)

    def warning(self, data: Any) -> bool:
        """Log at level `warning`."""
        return self.log("warning", data)

    def error(self, data: Any) -> bool:
        """Log at level `error`."""
        return self.log("error", data)

    @overload
    def elicit(
        self, message: str, schema: type[T], *, key: str | None = None
    ) -> PendingAnswer[Elicited[T]]: ...
    @overload
    def elicit(
        self, message: str, schema: Json | None = None, *, key: str | None = None
    ) -> PendingAnswer[Elicited[Json]]: ...
    def elicit(self, message: str, schema: Any = None, *, key: str | None = None) -> Any:
        """Ask the client's user to fill in a form.

        Await the result in an `async def` handler, or call `.wait()` on it in a plain handler.

        Args:
            message: Text shown with the form.
            schema: The form's fields: a type (a Struct, dataclass, TypedDict or pydantic model of
                simple fields, or a single simple type) or a JSON Schema.
            key: Identifies the request for clients that answer in a later request.
        """
        return self._ask_question(input_requests.elicitation(message, schema), key)

    def elicit_url(
        self, message: str, url: str, *, key: str | None = None, elicitation_id: str | None = None
    ) -> PendingAnswer[Elicited[Json]]:
        """Ask the client's user to open a web page, for data that must not go into a form.

        The result states whether the user agreed. With an `elicitation_id`, the client can be
        notified when the page is done: `server.elicitation_complete(elicitation_id)`.
        """
        return self._ask_question(input_requests.url_elicitation(message, url, elicitation_id), key)

    def sample(
        self,
        messages: str | Content | PromptMessage | Sequence[str | Content | PromptMessage | Json],
        *,
        max_tokens: int = 1024,
        key: str | None = None,
        **options: Any,
    ) -> PendingAnswer[SampledMessage]:
        """Ask the client's model to continue a conversation.

        The options are those of the protocol, in snake case: `system_prompt`, `temperature`,
        `stop_sequences`, `model_preferences`, `tools`, `tool_choice`, `metadata`.
        """
        return self._ask_question(
            input_requests.sampling(messages, max_tokens=max_tokens, **options), key
        )

    def roots(self, *, key: str | None = None) -> PendingAnswer[list[Root]]:
        """Ask the client for the directories that it works in."""
        return self._ask_question(input_requests.roots(), key)

    def ask(self, **questions: ServerRequest) -> PendingAnswer[Json]:
        """Send multiple requests to the client together. The results have the same names.

        Create the requests with `paddock.elicitation`, `paddock.sampling` and `paddock.roots`.
        """
        return PendingAnswer(self._request, questions, lambda answers: answers)

    def _ask_question(self, question: ServerRequest, key: str | None) -> PendingAnswer[Any]:
        """Return the pending answer to a request that the handler sends to the client.

        Args:
            question: The request, such as an elicitation.
            key: Identifies the request. By default, the requests of a handler are numbered.
        """
        self._question_count += 1
        name = key or f"input-{self._question_count}"
        return PendingAnswer(
            self._request, {name: question}, lambda answers: cast("Any", answers[name])
        )


def _normalize_media_type(text: object) -> str:
    return "".join(str(text).split()).lower()


def _to_log_data(data: Any) -> Any:
    """Convert log message data to JSON values, or to text if that fails."""
    try:
        # This is a round trip through JSON, because only here can a failure be replaced by text.
        return msgspec.json.decode(msgspec.json.encode(data, enc_hook=encode_hook))
    except Exception:  # noqa: BLE001 - methods of the data can raise anything; a log call must not
        return describe_object(data)


def bind_dict_handler(
    handler: Callable[..., Any], open_context: Callable[[Request], Context]
) -> Callable[[Any, Request], Any]:
    """Return a function that calls a handler with its arguments as one dictionary.

    The handler also receives a `Context` if a parameter has that type or if there is a second
    required parameter.

    Args:
        handler: An author's function, such as `def add(arguments, context)`.
        open_context: Creates the context for a request.
    """
    # The signature is examined once rather than on each call, so each parameter order has its own
    # function.
    context = find_context_parameter(handler, Context)
    if context is None:
        if count_required_arguments(handler) > 1:
            return lambda arguments, request: handler(arguments, open_context(request))
        return lambda arguments, _request: handler(arguments)
    if context.position is None:
        name = context.name
        return lambda arguments, request: handler(arguments, **{name: open_context(request)})
    if context.is_only_parameter:
        return lambda _arguments, request: handler(open_context(request))
    if context.position == 0:
        return lambda arguments, request: handler(open_context(request), arguments)
    return lambda arguments, request: handler(arguments, open_context(request))
