"""One request, forwarded: from the client through us to an upstream, and its answer back.

A coroutine and nothing else: a slow upstream costs no thread. Questions of the upstream are put to
the client in the client's own era. Where both are stateless, each round of the one is a round of
the other; a session's question to a stateless client keeps the session's call waiting until the
client calls again with the answer.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, cast

from paddock.authoring.mirroring import check_arguments, mirrors_of
from paddock.authoring.results import error_result
from paddock.authoring.tool import Tool
from paddock.errors import ConnectError, DefinitionError
from paddock.mounting.errors import UpstreamError
from paddock.mounting.shaping import call_params, protocol_error, question, shaped, told
from paddock.peer.errors import AnswerError, PeerError
from paddock.protocol.errors import MISSING_CAPABILITY
from paddock.protocol.pace import Pace
from paddock.protocol.request import InputRequired

if TYPE_CHECKING:
    from paddock.authoring.mirroring import Mirror
    from paddock.authoring.offering import Offering
    from paddock.mounting.calls import Call, Calls
    from paddock.peer.peer import Peer
    from paddock.protocol.ask import Ask
    from paddock.protocol.model.params import CallToolParams
    from paddock.protocol.request import Request, Result

Json = dict[str, Any]

MAX_ROUNDS = 16
"""How often an upstream may answer one request of a session with questions."""


class Limits(Protocol):
    """How long an upstream may take."""

    @property
    def call_timeout(self) -> float:
        """Seconds without any sign of life."""


class Line(Protocol):
    """As much of an upstream as a call needs."""

    label: str
    owner: Offering
    calls: Calls

    @property
    def limits(self) -> Limits:
        """How long it may take."""

    async def peer(self) -> Peer:
        """The connection to it."""

    def lost(self, peer: Peer, reason: str) -> None:
        """A connection turned out to have ended."""

    def doubt(self, peer: Peer) -> None:
        """A call over a connection has failed, which others may survive."""


class RemoteTool:
    """A tool of an upstream, ready to be called; stands in the place of an `Invocation`."""

    is_async = True

    def __init__(self, line: Line, name: str, entry: Json) -> None:
        self._line = line
        self._name = name
        self._mirrors: tuple[Mirror, ...] | None = None
        self.pace = Pace()
        self.tool = Tool("upstream", self.run)
        self.tool.name = name
        schema = entry.get("inputSchema")
        self.tool.input_schema = schema if isinstance(schema, dict) else None

    def admit(self, request: Request) -> None:
        """Refuse a call that came over HTTP with headers that differ from what they mirror.

        Raises:
            HeaderMismatchError: saying which header.
        """
        if request.exchange is None or not request.era.is_stateless:
            return
        if self._mirrors is None:
            self._mirrors = _mirrors(self.tool)
        if self._mirrors:
            raw = cast("CallToolParams", request.params).arguments
            check_arguments(self._mirrors, raw, request.exchange)

    def run(self, request: Request) -> Result:
        """Never: a call to an upstream waits, and no thread should."""
        raise NotImplementedError

    async def run_async(self, request: Request) -> Result:
        """Call the tool where it is; an upstream that fails gives a result that says so."""
        try:
            return await forward(self._line, request, call_params(request, self._name))
        except PeerError as error:
            is_session = not request.era.is_stateless
            if is_session and error.rpc_code == MISSING_CAPABILITY:
                return error_result(error.message)
            raise protocol_error(error, self._line.owner) from None
        except (UpstreamError, AnswerError) as error:
            return error_result(told(error, self._line.owner))


def _mirrors(tool: Tool) -> tuple[Mirror, ...]:
    try:
        return mirrors_of(tool.input_schema or {}, tool.name)
    except DefinitionError:  # the upstream's fault, and no client can mirror it
        return ()


async def forward(line: Line, request: Request, params: Json) -> Json:
    """The result of a request that an upstream is to answer.

    Raises:
        UpstreamError: when it is not there, or does not answer in time.
        PeerError: when it answers with an error.
        InputRequired: when it has questions, and the client has to call again.
    """
    kept = request.era.remembered(request)
    forwarding = Forwarding(line, request, params, kept if isinstance(kept, dict) else {})
    return shaped(await forwarding.run(), request)


class Forwarding:
    """One request on its way."""

    def __init__(self, line: Line, request: Request, params: Json, kept: Json) -> None:
        self._line = line
        self._request = request
        self._params = params
        self._kept = kept
        """What we have given the client to keep, if this is a further round."""

    async def run(self) -> Json:
        """The upstream's final result."""
        is_resumed = "call" in self._kept
        calls = self._line.calls
        if is_resumed:
            call = calls.resume(str(self._kept["call"]), self._request)
        else:
            call = calls.begin(self._request)
        try:
            if is_resumed:
                self._give_answers(call)
            else:
                await self._send(call, await self._first_params())
            result = await self._finished(call)
        except InputRequired:
            if not self._is_left(call):
                calls.end(call)
            raise
        except BaseException:
            call.cancel("the client has cancelled it")
            calls.end(call)
            raise
        calls.end(call)
        return result

    async def _send(self, call: Call, params: Json) -> None:
        reason = ""
        for _ in range(2):  # a connection may end between two calls, unnoticed
            peer = await self._line.peer()
            try:
                self._line.calls.want_level(peer, self._request)
                call.send(peer, params)
            except ConnectError as error:
                reason = str(error)
                self._line.lost(peer, reason)
            else:
                return
        raise UpstreamError(self._line.label, reason)

    async def _finished(self, call: Call) -> Json:
        for _ in range(MAX_ROUNDS):
            result = await self._result(call)
            if result.get("resultType") != "input_required":
                return result
            answers = await self._answers(self._asks(result))
            repeated = {**self._params, "inputResponses": answers}
            if "requestState" in result:
                repeated["requestState"] = result["requestState"]
            await self._send(call, repeated)
        raise UpstreamError(self._line.label, f"more than {MAX_ROUNDS} rounds of questions")

    async def _result(self, call: Call) -> Json:
        seconds = self._line.limits.call_timeout
        try:
            asked = await call.next(seconds)
        except TimeoutError:
            reason = f"no answer to {self._request.method} within {seconds:g} s"
            raise UpstreamError(self._line.label, reason) from None
        if asked:
            self._request.kept = {"call": call.id, "keys": list(asked)}
            raise InputRequired(asked)
        try:
            return call.result()
        except ConnectError as error:
            if call.peer is not None:
                self._line.doubt(call.peer)
            raise UpstreamError(self._line.label, str(error)) from None

    def _give_answers(self, call: Call) -> None:
        """Give a session the answers that the client has now brought."""
        self._request.kept = self._kept
        asks = call.open_questions(self._kept["keys"])
        call.give(cast("Json", self._request.era.ask(self._request, asks)))

    def _is_left(self, call: Call) -> bool:
        """Whether the call goes on upstream while the client is away to answer questions."""
        kept = self._request.kept
        is_left = isinstance(kept, dict) and kept.get("call") == call.id
        if is_left:
            call.left_at = monotonic()
        return is_left

    async def _first_params(self) -> Json:
        """The parameters as they are, or with the answers to an earlier round."""
        if "asks" not in self._kept:
            return self._params
        self._request.kept = self._kept
        asks = {
            key: question(method, params) for key, (method, params) in self._kept["asks"].items()
        }
        repeated = {**self._params, "inputResponses": await self._answers(asks)}
        if self._kept.get("state") is not None:
            repeated["requestState"] = self._kept["state"]
        return repeated

    def _asks(self, result: Json) -> dict[str, Ask]:
        """The questions of a stateless upstream, which the client keeps if it has to come back."""
        requests = result.get("inputRequests") or {}
        try:
            found = {key: (one["method"], one.get("params") or {}) for key, one in requests.items()}
        except (AttributeError, KeyError, TypeError):
            raise AnswerError(
                f"Expected questions as inputRequests, got {requests!r:.60}"
            ) from None
        self._request.kept = {"asks": found, "state": result.get("requestState")}
        return {key: question(method, params) for key, (method, params) in found.items()}

    async def _answers(self, asks: dict[str, Ask]) -> Json:
        answers = self._request.era.ask(self._request, asks)
        return answers if isinstance(answers, dict) else await answers.wait_async()
