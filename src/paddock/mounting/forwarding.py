"""One request, forwarded: from the client through us to an upstream, and its answer back.

A coroutine and nothing else: a slow upstream costs no thread. Questions of the upstream are put to
the client in the client's own era. Where both are stateless, each round of the one is a round of
the other; a session's question to a stateless client keeps the session's call waiting until the
client calls again with the answer.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, cast

from paddock.authoring.header_parameters import check_mirrored_headers, find_header_parameters
from paddock.authoring.results import build_error_result
from paddock.authoring.tool import Tool
from paddock.client.errors import AnswerError, PeerError
from paddock.errors import ConnectError, DefinitionError
from paddock.mounting.rewriting import (
    UpstreamError,
    build_call_params,
    create_server_request,
    describe_failure,
    rewrite_result,
    to_protocol_error,
)
from paddock.protocol.errors import MISSING_CAPABILITY
from paddock.protocol.request import InputRequired, SlowHandlerTracker

if TYPE_CHECKING:
    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.header_parameters import HeaderParameter
    from paddock.client.peer import Peer
    from paddock.mounting.upstream_calls import UpstreamCall, UpstreamCallTable
    from paddock.protocol.params import CallToolParams
    from paddock.protocol.request import Request, Result
    from paddock.protocol.server_requests import ServerRequest

Json = dict[str, Any]

MAX_QUESTION_ROUNDS = 16
"""How often an upstream may answer one request of a session with questions."""


class CallTimeout(Protocol):
    """How long an upstream may take."""

    @property
    def call_timeout(self) -> float:
        """Seconds without any sign of life."""


class UpstreamConnection(Protocol):
    """As much of an upstream as a call needs."""

    label: str
    owner: BaseServer
    calls: UpstreamCallTable

    @property
    def timeouts(self) -> CallTimeout:
        """How long it may take."""

    async def wait_for_peer(self) -> Peer:
        """The connection to it."""

    def mark_lost(self, peer: Peer, reason: str) -> None:
        """A connection turned out to have ended."""

    def mark_suspect(self, peer: Peer) -> None:
        """A call over a connection has failed, which others may survive."""


class RemoteToolInvoker:
    """A tool of an upstream, ready to be called; stands in the place of an `Invocation`."""

    is_async = True

    def __init__(self, line: UpstreamConnection, name: str, entry: Json) -> None:
        self._upstream = line
        self._name = name
        self._header_parameters: tuple[HeaderParameter, ...] | None = None
        self.slow_tracker = SlowHandlerTracker()
        self.tool = Tool("upstream", self.run)
        self.tool.name = name
        schema = entry.get("inputSchema")
        self.tool.input_schema = schema if isinstance(schema, dict) else None

    def check_http_request(self, request: Request) -> None:
        """Refuse a call that came over HTTP with headers that differ from what they mirror.

        Raises:
            HeaderMismatchError: saying which header.
        """
        if request.exchange is None or not request.era.is_stateless:
            return
        if self._header_parameters is None:
            self._header_parameters = _find_upstream_headers(self.tool)
        if self._header_parameters:
            raw = cast("CallToolParams", request.params).arguments
            check_mirrored_headers(self._header_parameters, raw, request.exchange)

    def run(self, request: Request) -> Result:
        """Never: a call to an upstream waits, and no thread should."""
        raise NotImplementedError

    async def run_async(self, request: Request) -> Result:
        """Call the tool where it is; an upstream that fails gives a result that says so."""
        try:
            return await forward_request(
                self._upstream, request, build_call_params(request, self._name)
            )
        except PeerError as error:
            is_session = not request.era.is_stateless
            if is_session and error.rpc_code == MISSING_CAPABILITY:
                return build_error_result(error.message)
            raise to_protocol_error(error, self._upstream.owner) from None
        except (UpstreamError, AnswerError) as error:
            return build_error_result(describe_failure(error, self._upstream.owner))


def _find_upstream_headers(tool: Tool) -> tuple[HeaderParameter, ...]:
    try:
        return find_header_parameters(tool.input_schema or {}, tool.name)
    except DefinitionError:  # the upstream's fault, and no client can mirror it
        return ()


async def forward_request(line: UpstreamConnection, request: Request, params: Json) -> Json:
    """The result of a request that an upstream is to answer.

    Raises:
        UpstreamError: when it is not there, or does not answer in time.
        PeerError: when it answers with an error.
        InputRequired: when it has questions, and the client has to call again.
    """
    kept = request.era.get_remembered_value(request)
    forwarding = RequestForwarder(line, request, params, kept if isinstance(kept, dict) else {})
    return rewrite_result(await forwarding.run(), request)


class RequestForwarder:
    """One request on its way."""

    def __init__(
        self, line: UpstreamConnection, request: Request, params: Json, kept: Json
    ) -> None:
        self._upstream = line
        self._request = request
        self._params = params
        self._remembered_state = kept
        """What we have given the client to keep, if this is a further round."""

    async def run(self) -> Json:
        """The upstream's final result."""
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
                await self._send(call, await self._build_first_params())
            result = await self._get_final_result(call)
        except InputRequired:
            if not self._is_waiting_for_client(call):
                calls.end_call(call)
            raise
        except BaseException:
            call.cancel("the client has cancelled it")
            calls.end_call(call)
            raise
        calls.end_call(call)
        return result

    async def _send(self, call: UpstreamCall, params: Json) -> None:
        reason = ""
        for _ in range(2):  # a connection may end between two calls, unnoticed
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
        for _ in range(MAX_QUESTION_ROUNDS):
            result = await self._get_next_result(call)
            if result.get("resultType") != "input_required":
                return result
            answers = await self._ask_client(self._read_questions(result))
            repeated = {**self._params, "inputResponses": answers}
            if "requestState" in result:
                repeated["requestState"] = result["requestState"]
            await self._send(call, repeated)
        raise UpstreamError(
            self._upstream.label, f"more than {MAX_QUESTION_ROUNDS} rounds of questions"
        )

    async def _get_next_result(self, call: UpstreamCall) -> Json:
        seconds = self._upstream.timeouts.call_timeout
        try:
            asked = await call.wait_for_questions(seconds)
        except TimeoutError:
            reason = f"no answer to {self._request.method} within {seconds:g} s"
            raise UpstreamError(self._upstream.label, reason) from None
        if asked:
            self._request.remembered_value = {"call": call.id, "keys": list(asked)}
            raise InputRequired(asked)
        try:
            return call.get_result()
        except ConnectError as error:
            if call.peer is not None:
                self._upstream.mark_suspect(call.peer)
            raise UpstreamError(self._upstream.label, str(error)) from None

    def _pass_answers(self, call: UpstreamCall) -> None:
        """Give a session the answers that the client has now brought."""
        self._request.remembered_value = self._remembered_state
        asks = call.get_open_questions(self._remembered_state["keys"])
        call.set_answers(cast("Json", self._request.era.request_input(self._request, asks)))

    def _is_waiting_for_client(self, call: UpstreamCall) -> bool:
        """Whether the call goes on upstream while the client is away to answer questions."""
        kept = self._request.remembered_value
        is_left = isinstance(kept, dict) and kept.get("call") == call.id
        if is_left:
            call.client_left_at = monotonic()
        return is_left

    async def _build_first_params(self) -> Json:
        """The parameters as they are, or with the answers to an earlier round."""
        if "asks" not in self._remembered_state:
            return self._params
        self._request.remembered_value = self._remembered_state
        asks = {
            key: create_server_request(method, params)
            for key, (method, params) in self._remembered_state["asks"].items()
        }
        repeated = {**self._params, "inputResponses": await self._ask_client(asks)}
        if self._remembered_state.get("state") is not None:
            repeated["requestState"] = self._remembered_state["state"]
        return repeated

    def _read_questions(self, result: Json) -> dict[str, ServerRequest]:
        """The questions of a stateless upstream, which the client keeps if it has to come back."""
        requests = result.get("inputRequests") or {}
        try:
            found = {key: (one["method"], one.get("params") or {}) for key, one in requests.items()}
        except (AttributeError, KeyError, TypeError):
            raise AnswerError(
                f"Expected questions as inputRequests, got {requests!r:.60}"
            ) from None
        self._request.remembered_value = {"asks": found, "state": result.get("requestState")}
        return {
            key: create_server_request(method, params) for key, (method, params) in found.items()
        }

    async def _ask_client(self, asks: dict[str, ServerRequest]) -> Json:
        answers = self._request.era.request_input(self._request, asks)
        return answers if isinstance(answers, dict) else await answers.wait_async()
