"""The calls that are on their way to an upstream, and whose they are.

What an upstream says while it works belongs to one of them: progress by its token; log messages
and, in a session, questions to whoever calls, if that is only one. A question that could be of
two clients is put to neither.
"""

from __future__ import annotations

import secrets
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from paddock.errors import PaddockError
from paddock.mounting.rewriting import UpstreamError, build_meta, create_server_request
from paddock.mounting.thread_event import ThreadEvent
from paddock.protocol.errors import ProtocolError
from paddock.protocol.params import LOGGING_LEVELS
from paddock.protocol.server_requests import AskError
from paddock.protocol.thread_interrupt import HandlerCancelled
from paddock.protocol.versions import STATELESS_VERSIONS

if TYPE_CHECKING:
    from paddock.client.calls import PendingCall
    from paddock.client.peer import Peer
    from paddock.protocol.request import Request
    from paddock.protocol.server_requests import ServerRequest

Json = dict[str, Any]

ANSWER_TIMEOUT_SECONDS = 600.0
"""Seconds that a client may take to answer a question of an upstream."""
CLEANUP_INTERVAL_SECONDS = 10.0
"""Seconds between two looks for clients that have not come back."""
MAX_OPEN_CALLS = 10_000
"""Calls to one upstream that may be under way at once."""


class PendingQuestion:
    """A question of a session, which waits until a stateless client calls again with the answer."""

    def __init__(self, ask: ServerRequest) -> None:
        self.request = ask
        self._answer_event = threading.Event()
        self._answer: Json | None = None

    def set_answer(self, answer: Json | None) -> None:
        """Here is the answer; None: there will be none."""
        self._answer = answer
        self._answer_event.set()

    def wait_for_answer(self) -> Json:
        """Block until there is an answer.

        Raises:
            ProtocolError: when there will be none.
        """
        self._answer_event.wait(ANSWER_TIMEOUT_SECONDS)
        if self._answer is None:
            raise ProtocolError("The client has not answered the question")
        return self._answer


class UpstreamCall:
    """One call on its way."""

    def __init__(self, request: Request) -> None:
        self.id = secrets.token_hex(16)
        self.request = request
        self.is_done = False
        self.client_left_at: float | None = None
        """Since when a stateless client has been away to answer questions."""
        self.peer: Peer | None = None
        """The connection that it was last sent over."""
        self._pending_call: PendingCall | None = None
        self._open_questions: dict[str, PendingQuestion] = {}
        self._activity_event = ThreadEvent()
        self._question_count = 0
        self._questions_in_progress = 0

    @property
    def client(self) -> object:
        """Who has made the call; two calls with the same answer are of one client."""
        request = self.request
        is_alone = request.era.is_stateless and request.exchange is not None
        return request if is_alone else request.connection

    def send(self, peer: Peer, params: Json) -> None:
        """Send it, or send it again with answers.

        Raises:
            ConnectError: when the connection has ended before.
        """
        meta = build_meta(self.request, peer, self.id)
        wrapped = {**params, "_meta": meta} if meta else params
        self.is_done, self.peer = False, peer
        pending = peer.start(self.request.method, wrapped, answers_questions=False)
        self._pending_call = pending
        pending.when_done(self._handle_completion)

    def get_result(self) -> Json:
        """What came of it, once it is done."""
        if self._pending_call is None:
            raise ProtocolError("The call was never sent")
        return self._pending_call.result(0)

    def cancel(self, reason: str) -> None:
        """Have the upstream stop."""
        if self._pending_call is not None:
            self._pending_call.cancel(reason)

    async def wait_for_questions(self, seconds: float) -> dict[str, ServerRequest]:
        """The questions that are open, or none: the call is done.

        Raises:
            TimeoutError: when there was no sign of life for so long.
        """
        while True:
            self._activity_event.clear()
            if self.is_done:
                return {}
            if self._open_questions:
                return {key: asked.request for key, asked in list(self._open_questions.items())}
            if not await self._activity_event.wait(seconds) and not self._questions_in_progress:
                raise TimeoutError

    def record_activity(self) -> None:
        """A sign of life."""
        self._activity_event.set()

    def get_open_questions(self, keys: list[str]) -> dict[str, ServerRequest]:
        """Those of these questions that still wait for an answer."""
        return {
            key: self._open_questions[key].request for key in keys if key in self._open_questions
        }

    def set_answers(self, answers: Json) -> None:
        """Here are the answers to questions."""
        for key, answer in answers.items():
            self._open_questions.pop(key).set_answer(answer)

    def ask_client(self, ask: ServerRequest) -> Json:
        """Put a question to the client, and wait for the answer. In a thread of its own."""
        self._questions_in_progress += 1
        try:
            ask.check_capabilities(self.request.era.get_client_capabilities(self.request))
            return (
                self._ask_in_next_round(ask)
                if self.request.era.is_stateless
                else self._ask_now(ask)
            )
        except HandlerCancelled:
            raise ProtocolError("The call was cancelled") from None
        finally:
            self._questions_in_progress -= 1

    def _ask_now(self, ask: ServerRequest) -> Json:
        answers = self.request.era.request_input(self.request, {"question": ask})
        found = answers if isinstance(answers, dict) else answers.wait()
        return cast("Json", found["question"])

    def _ask_in_next_round(self, ask: ServerRequest) -> Json:
        self._question_count += 1
        asked = PendingQuestion(ask)
        self._open_questions[f"question-{self._question_count}"] = asked
        self._activity_event.set()
        return asked.wait_for_answer()

    def _handle_completion(self) -> None:
        self.is_done = True
        self._activity_event.set()
        questions, self._open_questions = self._open_questions, {}
        for asked in questions.values():
            asked.set_answer(None)


class UpstreamCallTable:
    """The calls to one upstream that are under way."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._lock = threading.Lock()
        self._open_calls: dict[str, UpstreamCall] = {}
        self._log_level: str | None = None
        self._cleaned_up_at = monotonic()

    def begin_call(self, request: Request) -> UpstreamCall:
        """A call is about to be sent."""
        call = UpstreamCall(request)
        self._cancel_abandoned_calls()
        with self._lock:
            if len(self._open_calls) >= MAX_OPEN_CALLS:
                raise UpstreamError(self._label, "too many calls are under way")
            self._open_calls[call.id] = call
        return call

    def end_call(self, call: UpstreamCall) -> None:
        """A call has come to its end."""
        with self._lock:
            self._open_calls.pop(call.id, None)

    def resume_call(self, call_id: str, request: Request) -> UpstreamCall:
        """The call that a request brings answers for.

        Raises:
            UpstreamError: when it is not under way any more.
        """
        with self._lock:
            call = self._open_calls.get(call_id)
        if call is None or call.client_left_at is None:
            raise UpstreamError(self._label, "its question has expired; call again")
        if _get_principal_key(call.request) != _get_principal_key(request):
            raise ProtocolError("The question was put to somebody else")
        call.request = request
        call.client_left_at = None
        return call

    def request_log_level(self, peer: Peer, request: Request) -> None:
        """Have a session send the log messages that a client wants; it knows one level for all."""
        level = request.era.get_log_level(request)
        if level is None or peer.protocol_version in STATELESS_VERSIONS:
            return
        is_lower = self._log_level is None or LOGGING_LEVELS.index(level) < LOGGING_LEVELS.index(
            self._log_level
        )
        if is_lower and "logging" in peer.server_capabilities:
            self._log_level = level
            peer.start("logging/setLevel", {"level": level})

    def reset_log_level(self) -> None:
        """A new connection knows of no log level yet."""
        self._log_level = None

    def forward_progress(self, params: Json) -> None:
        """Pass on how far a call has come."""
        call = self._open_calls.get(str(params.get("progressToken")))
        if call is None or call.request.meta is None:
            return
        call.record_activity()
        token = call.request.meta.progress_token
        call.request.notify("notifications/progress", {**params, "progressToken": token})

    def forward_log_message(self, params: Json) -> None:
        """Pass on a log message, if it can be told whose it is."""
        call = self._find_sole_call()
        level = params.get("level")
        if call is None or level not in LOGGING_LEVELS:
            return
        wanted = call.request.era.get_log_level(call.request)
        if wanted is not None and LOGGING_LEVELS.index(level) >= LOGGING_LEVELS.index(wanted):
            call.request.notify("notifications/message", params)

    def answer_question(self, method: str, params: Json) -> Json:
        """The client's answer to a question of a session. In a thread of its own.

        Raises:
            ProtocolError: when nobody can be asked, saying why.
        """
        call = self._find_sole_call()
        if call is None:
            count = len(self._open_calls)
            reason = (
                f"{count} calls of several clients are under way, and it may be of any of them"
                if count
                else "no call is under way"
            )
            raise ProtocolError(f"Nobody can be asked {method}: {reason}")
        try:
            return call.ask_client(create_server_request(method, params))
        except ProtocolError:
            raise
        except (AskError, PaddockError) as error:
            raise ProtocolError(str(error)) from None

    def _find_sole_call(self) -> UpstreamCall | None:
        """The last call, if all that are under way are of one client."""
        with self._lock:
            calls = [call for call in self._open_calls.values() if not call.is_done]
        clients = {id(call.client) for call in calls}
        return calls[-1] if len(clients) == 1 else None

    def _cancel_abandoned_calls(self) -> None:
        """Give up calls whose clients went away to answer questions and have not come back."""
        now = monotonic()
        if now - self._cleaned_up_at < CLEANUP_INTERVAL_SECONDS:
            return
        self._cleaned_up_at = now
        with self._lock:
            calls = list(self._open_calls.values())
        for call in calls:
            if (
                call.client_left_at is not None
                and now - call.client_left_at > ANSWER_TIMEOUT_SECONDS
            ):
                self.end_call(call)
                call.cancel("the client has not come back")


def _get_principal_key(request: Request) -> object:
    return None if request.principal is None else request.principal.key
