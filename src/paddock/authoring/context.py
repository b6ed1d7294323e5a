"""What a handler sees of the request it works for.

A handler gets a `Context` by naming the type: `def search(query: str, ctx: Context)`. Everything
works the same in both eras; where they differ is the era's business.

Calling a handler that takes all arguments as one dictionary, of a tool or of a prompt.
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
from paddock.protocol.params import LOGGING_LEVELS
from paddock.protocol.pending_requests import PendingAnswer
from paddock.protocol.request import describe_object
from paddock.protocol.server_requests import covers_capabilities
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
    """One request, from its handler's side."""

    __slots__ = ("_options", "_question_count", "_request", "_server")

    def __init__(
        self, request: Request, offering: BaseServer, options: Mapping[str, Any] = NO_OPTIONS
    ) -> None:
        self._request = request
        self._server = offering
        self._options = options
        self._question_count = 0

    @property
    def server(self) -> BaseServer:
        """The server that the handler belongs to."""
        return self._server

    @property
    def state(self) -> Any:
        """What the server's lifespan has yielded."""
        state = self._request.connection.state
        return state.get_state(self._server) if isinstance(state, LifespanStates) else state

    @property
    def options(self) -> Mapping[str, Any]:
        """The values of the tool's options, as whoever runs the server has set them."""
        return self._options

    @property
    def request_id(self) -> int | str:
        """The id that the client gave the request."""
        return self._request.id

    @property
    def protocol_version(self) -> str:
        """The protocol version that the client speaks."""
        return self._request.era.get_version(self._request)

    @property
    def client_info(self) -> Json | None:
        """Who the client says it is."""
        return self._request.era.get_client_info(self._request)

    @property
    def client_capabilities(self) -> Json:
        """What the client says it can do."""
        return self._request.era.get_client_capabilities(self._request)

    def client_extension(self, name: str) -> Json | None:
        """The settings of an extension that the client has; None when it has not declared it."""
        extensions = self.client_capabilities.get("extensions")
        settings = extensions.get(name) if isinstance(extensions, dict) else None
        return settings if isinstance(settings, dict) else None

    def can_show(self, mime_type: str = APP_MIME_TYPE) -> bool:
        """Whether the client can show views; where it cannot, the result must say it all."""
        shown = (self.client_extension(UI_EXTENSION) or {}).get("mimeTypes")
        return isinstance(shown, list) and _normalize_media_type(mime_type) in map(
            _normalize_media_type, shown
        )

    @property
    def meta(self) -> Json:
        """The `_meta` of the request, all of it."""
        return self._request.decode_meta()

    @property
    def trace_context(self) -> TraceContext | None:
        """The W3C trace context that the request brought along; None when there is none."""
        return get_trace_context(self._request)

    @property
    def principal(self) -> Principal | None:
        """On whose behalf the request is made, where the server checks that; else None."""
        return self._request.principal

    @property
    def is_local(self) -> bool:
        """Whether the client is in this process or started it; over HTTP it is not, whoever it is.

        What a client that is not local says about files need not be about this machine.
        """
        return self._request.exchange is None

    def close_stream(self, retry_ms: int | None = None) -> bool:
        """Let the client go and come back for the answer; whether it was.

        For handlers that take long: in a session over HTTP no connection is kept open meanwhile.
        The client comes back after `retry_ms` milliseconds.
        """
        exchange = self._request.exchange
        return exchange is not None and exchange.close_for_reconnect(retry_ms)

    @property
    def is_cancelled(self) -> bool:
        """Whether the client has given up on the request."""
        return self._request.is_cancelled

    def require(self, **capabilities: Json) -> None:
        """End the handler unless the client has declared these capabilities: `sampling={}`.

        Questions do this by themselves; this is for asking before any work is done.
        """
        needed: dict[str, object] = {**capabilities}
        if not covers_capabilities(self.client_capabilities, needed):
            raise MissingCapabilityError(needed, "This request")

    def remember(self, value: Any) -> None:
        """Keep a JSON value in case a question ends the handler and it is run again.

        In the stateless era a question ends the handler, and the answer begins it anew. What it
        has found out by then need not be found out twice. The value travels with the client,
        signed and readable: nothing secret belongs into it.
        """
        self._request.remembered_value = msgspec.to_builtins(value, enc_hook=encode_hook)

    @property
    def remembered(self) -> Any:
        """What `remember` kept when the handler last ran for this call; None the first time."""
        return self._request.era.get_remembered_value(self._request)

    def detach(self, *, ttl_ms: int | None = None, message: str | None = None) -> bool:
        """Let the call go on as a task, if the tool and the client allow; whether it does.

        The client is answered at once and fetches the result later, within `ttl_ms` milliseconds.
        What was asked before is asked with the call itself, what is asked from now on with the
        task.
        """
        return self._request.detach(ttl_ms, message)

    @property
    def is_task(self) -> bool:
        """Whether the call goes on as a task."""
        return self._request.task is not None

    def raise_if_cancelled(self) -> None:
        """Stop here if the client has given up; for long loops in compiled code."""
        if self._request.is_cancelled:
            raise HandlerCancelled

    def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> bool:
        """Say how far the work has come; whether the client was told.

        Only clients that asked for it are told, and only of progress that is greater than before.
        A task shows the message as its status.
        """
        request = self._request
        if request.task is not None:
            if message is not None:
                request.task.set_status_message(message)
            return message is not None
        token = request.meta.progress_token if request.meta is not None else msgspec.UNSET
        last = request.last_progress
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
        """Send a log message to the client; whether it wanted it."""
        if level not in LOGGING_LEVELS:
            raise ValueError(
                f"unknown log level {level!r}; expected one of {', '.join(LOGGING_LEVELS)}"
            )
        wanted = self._request.era.get_log_level(self._request)
        if wanted is None or LOGGING_LEVELS.index(level) < LOGGING_LEVELS.index(wanted):
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
        """Ask the person at the client to fill in a form.

        The form is a type (a Struct, dataclass, TypedDict or pydantic model of plain fields, or
        one plain type) or a JSON Schema. In an `async def` handler await the answer, in a plain
        one call `.wait()`. `key` names the question for clients that answer it in a later request.
        """
        return self._ask_question(input_requests.elicitation(message, schema), key)

    def elicit_url(
        self, message: str, url: str, *, key: str | None = None, elicitation_id: str | None = None
    ) -> PendingAnswer[Elicited[Json]]:
        """Ask the person at the client to go to a web page, for what no form should hold.

        The answer says whether they agreed to go. With an id of your own, the client can be told
        when the page has done its work: `server.elicitation_complete(elicitation_id)`.
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
        """Have the client's model continue a conversation.

        Options are those of the protocol, in snake case: `system_prompt`, `temperature`,
        `stop_sequences`, `model_preferences`, `tools`, `tool_choice`, `metadata`.
        """
        return self._ask_question(
            input_requests.sampling(messages, max_tokens=max_tokens, **options), key
        )

    def roots(self, *, key: str | None = None) -> PendingAnswer[list[Root]]:
        """The directories that the client works in."""
        return self._ask_question(input_requests.roots(), key)

    def ask(self, **questions: ServerRequest) -> PendingAnswer[Json]:
        """Ask several questions at once; the answers by the same names.

        Questions are made with `paddock.elicitation`, `paddock.sampling` and `paddock.roots`.
        """
        return PendingAnswer(self._request, questions, lambda answers: answers)

    def _ask_question(self, ask: ServerRequest, key: str | None) -> PendingAnswer[Any]:
        self._question_count += 1
        name = key or f"input-{self._question_count}"
        return PendingAnswer(self._request, {name: ask}, lambda answers: cast("Any", answers[name]))


def _normalize_media_type(text: object) -> str:
    return "".join(str(text).split()).lower()


def _to_log_data(data: Any) -> Any:
    """Data for a log message: what is no JSON is told as text, and never fails the handler."""
    try:
        return msgspec.json.decode(msgspec.json.encode(data, enc_hook=encode_hook))
    except Exception:  # noqa: BLE001 - whatever the data's own code does
        return describe_object(data)


def bind_dict_handler(
    handler: Callable[..., Any], open_context: Callable[[Request], Context]
) -> Callable[[Any, Request], Any]:
    """A call with the arguments, and with the context if the handler wants it.

    It says so by the type of a parameter, or by a second parameter that has no default.
    """
    context, place, has_room = find_context_parameter(handler, Context)
    if context is None:
        if count_required_arguments(handler) > 1:
            return lambda arguments, request: handler(arguments, open_context(request))
        return lambda arguments, _request: handler(arguments)
    if place is None:
        return lambda arguments, request: handler(arguments, **{context: open_context(request)})
    if not has_room:
        return lambda _arguments, request: handler(open_context(request))
    if place == 0:
        return lambda arguments, request: handler(open_context(request), arguments)
    return lambda arguments, request: handler(arguments, open_context(request))
