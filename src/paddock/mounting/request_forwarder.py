"""Forwarding of requests to an upstream, and of its results and questions to the client.

Forwarding uses coroutines only, so a slow upstream occupies no thread. The upstream's questions are
sent to the client in the client's own protocol era. If both sides are stateless, each round with
the upstream is a round with the client. When a session upstream asks a stateless client a question,
the upstream's call stays open until the client calls again with the answer.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from paddock.authoring.header_parameters import check_mirrored_headers, find_header_parameters
from paddock.authoring.results import build_error_result
from paddock.client.errors import AnswerError, PeerError
from paddock.errors import ConnectError, DefinitionError, PaddockError
from paddock.mounting.message_rewriter import (
    UpstreamError,
    build_call_params,
    build_completion_params,
    build_prompt_params,
    create_server_request,
    describe_failure,
    rewrite_result,
    to_protocol_error,
)
from paddock.protocol.errors import MISSING_CAPABILITY
from paddock.protocol.request import InputRequired, SlowHandlerTracker

if TYPE_CHECKING:
    from paddock.authoring.header_parameters import HeaderParameter
    from paddock.mounting.upstream import Upstream
    from paddock.mounting.upstream_calls import UpstreamCall
    from paddock.protocol.params import CallToolParams, CompletionReference
    from paddock.protocol.request import Request, Result, TaskSupport
    from paddock.protocol.server_requests import ServerRequest

Json = dict[str, Any]

MAX_QUESTION_ROUNDS = 16
"""Maximum number of rounds in which an upstream may answer one request with questions."""


class UpstreamSource:
    """The items of an upstream, as a `MountSource`."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    @property
    def revision(self) -> int:
        """A number that increases whenever the items change."""
        return self._upstream.lists.revision

    def can_offer(self, kind: str, key: str) -> bool:
        """Return whether the upstream has an item or its lists are not known yet."""
        lists = self._upstream.lists
        return not lists.has_entries or key in lists.get_entries(kind)

    def list_keys(self, kind: str) -> list[str]:
        """Return the names of all items of a kind, as last fetched."""
        return list(self._upstream.lists.get_entries(kind))

    def get_entry(self, kind: str, key: str) -> Json:
        """Return an item's list entry."""
        return self._upstream.lists.get_entries(kind)[key]

    def get_tool(self, name: str) -> RemoteToolInvoker:
        """Return a tool's invoker."""
        entry = self._upstream.lists.get_entries("tools").get(name, {})
        return RemoteToolInvoker(self._upstream, name, entry)

    def render_prompt(self, request: Request, name: str) -> None:
        """Prepare `prompts/get`."""
        self._set_work(request, build_prompt_params(request, name))

    def read_uri(self, request: Request, uri: str) -> None:
        """Prepare `resources/read`."""
        self._set_work(request, {"uri": uri})

    def complete_reference(self, request: Request, reference: CompletionReference) -> None:
        """Prepare `completion/complete`."""
        self._set_work(request, build_completion_params(request, reference))

    def watch(self, uri: str) -> None:
        """Subscribe to changes to a resource."""
        self._upstream.watch(uri)

    def _set_work(self, request: Request, params: Json) -> None:
        """Assign a request the coroutine that forwards it to the upstream, a mounted server.

        Args:
            request: The client's request.
            params: The parameters of the forwarded request.
        """
        upstream = self._upstream

        async def work(request: Request) -> Result:
            try:
                return await forward_request(upstream, request, params)
            except PaddockError as error:
                uri = str(params.get("uri", ""))
                raise to_protocol_error(error, upstream.owner, uri) from None

        request.async_work = work


class RemoteToolInvoker:
    """An upstream's tool that is ready to be called: the counterpart of `ToolInvoker`."""

    is_async = True
    task_support: TaskSupport = "forbidden"
    task_from_handler = False

    def __init__(self, upstream: Upstream, name: str, entry: Json) -> None:
        self._upstream = upstream
        self._name = name
        schema = entry.get("inputSchema")
        self._input_schema: Json = schema if isinstance(schema, dict) else {}
        self._header_parameters: tuple[HeaderParameter, ...] | None = None
        self.slow_tracker = SlowHandlerTracker()

    def check_http_request(self, request: Request) -> None:
        """Check the headers that mirror tool arguments in a tool call over HTTP.

        Stateless protocol versions require such headers for parameters with `x-mcp-header`.

        Raises:
            HeaderMismatchError: A header differs from the argument that it mirrors.
        """
        if request.exchange is None or not request.era.is_stateless:
            return
        if self._header_parameters is None:
            self._header_parameters = self._find_header_parameters()
        if self._header_parameters:
            raw_arguments = cast("CallToolParams", request.params).arguments
            check_mirrored_headers(self._header_parameters, raw_arguments, request.exchange)

    def _find_header_parameters(self) -> tuple[HeaderParameter, ...]:
        try:
            return find_header_parameters(self._input_schema, self._name)
        except DefinitionError:  # the upstream's schema is invalid, so clients mirror nothing
            return ()

    async def run_async(self, request: Request) -> Result:
        """Call the tool on the upstream, a mounted server, and return its result.

        If the upstream is unavailable, an error result is returned so that the model can react.

        Raises:
            ProtocolError: The upstream answered with an error.
        """
        try:
            params = build_call_params(request, self._name)
            return await forward_request(self._upstream, request, params)
        except PeerError as error:
            is_session = not request.era.is_stateless
            # A session client gets an error result, which its model sees, as from `ToolInvoker`.
            if is_session and error.rpc_code == MISSING_CAPABILITY:
                return build_error_result(error.message)
            raise to_protocol_error(error, self._upstream.owner) from None
        except (UpstreamError, AnswerError) as error:
            return build_error_result(describe_failure(error, self._upstream.owner))


async def forward_request(upstream: Upstream, request: Request, params: Json) -> Json:
    """Forward a client's request to an upstream, a mounted server, and return its result.

    Args:
        upstream: The upstream.
        request: The client's request.
        params: The parameters of the forwarded request.

    Raises:
        UpstreamError: The upstream is unavailable or does not answer in time.
        PeerError: The upstream answered with an error.
        InputRequired: The upstream has questions. The client must answer them and call again.
    """
    state = request.era.get_remembered_value(request)
    remembered_state = state if isinstance(state, dict) else {}
    forwarder = RequestForwarder(upstream, request, params, remembered_state)
    return rewrite_result(await forwarder.run(), request)


class RequestForwarder:
    """Forwards one request, possibly in multiple rounds of questions."""

    def __init__(
        self, upstream: Upstream, request: Request, params: Json, remembered_state: Json
    ) -> None:
        self._upstream = upstream
        self._request = request
        self._params = params
        self._remembered_state = remembered_state
        """State of the previous round of questions, returned by the client with its answers.

        It is empty in the first round. Otherwise, it has the member `call` if a session upstream
        keeps its call open, or the members `asks` and `state` if a stateless upstream expects the
        request again with the answers.
        """

    async def run(self) -> Json:
        """Send the request or continue an earlier round's call, and return the final result.

        Raises:
            InputRequired: The client must answer questions and repeat its request.
        """
        # In the previous round, a session upstream asked questions. Its call stayed open while the
        # stateless client collected the answers.
        is_resumed = "call" in self._remembered_state
        calls = self._upstream.calls
        if is_resumed:
            call = calls.resume_call(str(self._remembered_state["call"]), self._request)
        else:
            call = calls.begin_call(self._request)
        try:
            if is_resumed:
                self._pass_answers(call)
            else:
                await self._send_call(call, await self._build_first_params())
            result = await self._get_final_result(call)
        except InputRequired:
            # The client collects answers and calls again. In the meantime, the call of a session
            # upstream stays open, whereas a stateless upstream has already completed it.
            if not self._is_waiting_for_client(call):
                calls.end_call(call)
            raise
        except BaseException:
            # Without cancellation, the upstream would keep working even though the client has
            # disconnected.
            call.cancel("the client has cancelled the request")
            calls.end_call(call)
            raise
        calls.end_call(call)
        return result

    async def _send_call(self, call: UpstreamCall, params: Json) -> None:
        """Send a call to the upstream, retrying over a new connection if that fails.

        Args:
            call: The call.
            params: The parameters of the call.

        Raises:
            UpstreamError: Both connections ended.
        """
        reason = ""
        for _ in range(2):  # the connection may have ended unnoticed since the last call
            peer = await self._upstream.wait_for_peer()
            try:
                self._upstream.calls.request_log_level(peer, self._request)
                call.send(peer, params)
            except ConnectError as error:
                reason = str(error)
                self._upstream.mark_lost(peer, reason)
            else:
                return
        raise UpstreamError(self._upstream.label, reason)

    async def _get_final_result(self, call: UpstreamCall) -> Json:
        """Wait for a call's final result, forwarding the upstream's questions to the client.

        Raises:
            UpstreamError: The upstream does not answer in time, or asked too many times.
            InputRequired: The client must answer questions and repeat its request.
        """
        # A faulty upstream could ask questions endlessly, so the number of rounds is limited.
        for _ in range(MAX_QUESTION_ROUNDS):
            result = await self._get_next_result(call)
            if result.get("resultType") != "input_required":
                return result
            answers = await self._ask_client(self._parse_questions(result))
            next_params = {**self._params, "inputResponses": answers}
            if "requestState" in result:
                # A stateless upstream stores its state in the result and expects it to be returned
                # with the answers.
                next_params["requestState"] = result["requestState"]
            await self._send_call(call, next_params)
        raise UpstreamError(
            self._upstream.label, f"more than {MAX_QUESTION_ROUNDS} rounds of questions"
        )

    async def _get_next_result(self, call: UpstreamCall) -> Json:
        """Wait for the upstream's next result for a call, which may contain questions.

        Raises:
            InputRequired: A session upstream has questions for a stateless client.
            UpstreamError: The upstream did not answer in time, or the connection ended.
        """
        seconds = self._upstream.timeouts.call_timeout
        try:
            questions = await call.wait_for_questions(seconds)
        except TimeoutError:
            reason = f"no answer to {self._request.method} within {seconds:g} s"
            raise UpstreamError(self._upstream.label, reason) from None
        if questions:
            # The client returns this state with its answers. The keys record all questions, because
            # the client may answer only some of them.
            self._request.remembered_value = {"call": call.id, "keys": list(questions)}
            raise InputRequired(questions)
        try:
            return call.get_result()
        except ConnectError as error:
            # The connection may still work for other calls, so it is checked before it is closed.
            if call.peer is not None:
                self._upstream.mark_suspect(call.peer)
            raise UpstreamError(self._upstream.label, str(error)) from None

    def _pass_answers(self, call: UpstreamCall) -> None:
        """Pass on the answers in the client's request to the waiting upstream session."""
        self._request.remembered_value = self._remembered_state
        questions = call.get_open_questions(self._remembered_state["keys"])
        call.set_answers(cast("Json", self._request.era.request_input(self._request, questions)))

    def _is_waiting_for_client(self, call: UpstreamCall) -> bool:
        """Return whether a call stays open while the client collects answers.

        If it does, this records the time so that the call can be cancelled if the client does not
        call again.
        """
        state = self._request.remembered_value
        is_waiting = isinstance(state, dict) and state.get("call") == call.id
        if is_waiting:
            call.client_left_at = monotonic()
        return is_waiting

    async def _build_first_params(self) -> Json:
        """Return the parameters of the first call to the upstream.

        If the client has answered questions from a stateless upstream, they include the answers and
        the state that the upstream expects to be returned.
        """
        if "asks" not in self._remembered_state:
            return self._params
        self._request.remembered_value = self._remembered_state
        questions = _create_server_requests(self._remembered_state["asks"])
        next_params = {**self._params, "inputResponses": await self._ask_client(questions)}
        if self._remembered_state.get("state") is not None:
            next_params["requestState"] = self._remembered_state["state"]
        return next_params

    def _parse_questions(self, result: Json) -> dict[str, ServerRequest]:
        """Return the questions in a stateless upstream's result, by key.

        They are also stored in the client's request, because a stateless client must call again
        with its answers.

        Raises:
            AnswerError: The result does not have the expected form.
        """
        requests = result.get("inputRequests") or {}
        try:
            questions = {
                key: (question["method"], question.get("params") or {})
                for key, question in requests.items()
            }
        except (AttributeError, KeyError, TypeError):
            raise AnswerError(f"Expected requests as inputRequests, got {requests!r:.60}") from None
        self._request.remembered_value = {"asks": questions, "state": result.get("requestState")}
        return _create_server_requests(questions)

    async def _ask_client(self, questions: dict[str, ServerRequest]) -> Json:
        answers = self._request.era.request_input(self._request, questions)
        return answers if isinstance(answers, dict) else await answers.wait_async()


def _create_server_requests(questions: dict[str, tuple[str, Json]]) -> dict[str, ServerRequest]:
    """Convert an upstream's questions, given as method and params, to requests to the client."""
    return {
        key: create_server_request(method, params) for key, (method, params) in questions.items()
    }
