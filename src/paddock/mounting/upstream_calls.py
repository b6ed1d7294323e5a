"""The open calls to an upstream, and the routing of its messages to the clients that made them.

Progress is routed by its token. Log messages and, in a session, questions do not refer to a call.
They are passed to the caller if all open calls belong to one client. Otherwise, log messages are
dropped and questions rejected, because other clients must not see them.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from paddock.errors import PaddockError
from paddock.mounting.message_rewriter import UpstreamError, build_meta, create_server_request
from paddock.protocol.errors import ProtocolError
from paddock.protocol.params import LOGGING_LEVELS, is_level_enabled
from paddock.protocol.thread_interrupt import HandlerCancelled
from paddock.protocol.versions import STATELESS_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.client.calls import PendingCall
    from paddock.client.peer import Peer
    from paddock.protocol.request import Request
    from paddock.protocol.server_requests import ServerRequest

Json = dict[str, Any]

ANSWER_TIMEOUT_SECONDS = 600.0
"""Time limit for a client to answer an upstream's question."""
CLEANUP_INTERVAL_SECONDS = 10.0
"""Interval between checks for clients that have not returned with an answer."""
MAX_OPEN_CALLS = 10_000
"""Maximum number of open calls to one upstream."""


class ThreadEvent:
    """An event like `threading.Event`, awaitable on any event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wake_callbacks: set[Callable[[], None]] = set()
        self.is_set = False

    def set(self) -> None:
        """Set the event and wake all waiting coroutines. Thread-safe."""
        with self._lock:
            self.is_set = True
            wake_callbacks, self._wake_callbacks = self._wake_callbacks, set()
        for wake in wake_callbacks:
            wake()

    def clear(self) -> None:
        """Reset the event."""
        with self._lock:
            self.is_set = False

    async def wait(self, seconds: float) -> bool:
        """Wait until the event is set, and return whether this happened within a time limit.

        Args:
            seconds: The time limit.
        """
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[bool] = loop.create_future()

        def set_outcome(is_set: bool) -> None:
            if not outcome.done():
                outcome.set_result(is_set)

        def wake() -> None:
            try:
                loop.call_soon_threadsafe(set_outcome, True)
            except RuntimeError:  # the loop is closed, so no coroutine is waiting on it
                return

        with self._lock:
            if self.is_set:
                return True
            self._wake_callbacks.add(wake)
        # `asyncio.wait_for` is not used, because it may lose a cancellation that arrives together
        # with the result.
        timer = loop.call_later(seconds, set_outcome, False)
        try:
            return await outcome
        finally:
            timer.cancel()
            with self._lock:
                self._wake_callbacks.discard(wake)


class PendingQuestion:
    """A question that a stateless client answers in its next request.

    The upstream that asks it has a session, so a thread waits for the answer.
    """

    def __init__(self, request: ServerRequest) -> None:
        self.request = request
        self._answer_event = threading.Event()
        self._answer: Json | None = None

    def set_answer(self, answer: Json | None) -> None:
        """Store the client's answer, and wake the thread that is waiting for it.

        Args:
            answer: The answer, or None if the client will not answer.
        """
        self._answer = answer
        self._answer_event.set()

    def wait_for_answer(self) -> Json:
        """Block until the answer arrives.

        Raises:
            ProtocolError: The client did not answer.
        """
        # The client may never call again, so the wait has a time limit.
        self._answer_event.wait(ANSWER_TIMEOUT_SECONDS)
        if self._answer is None:
            raise ProtocolError("The client has not answered the question")
        return self._answer


class UpstreamCall:
    """A call to an upstream, made on behalf of a client's request.

    It may outlive the request: while a stateless client collects answers to questions, the call
    stays open, and the client's next request continues it.
    """

    def __init__(self, request: Request) -> None:
        self.id = secrets.token_hex(16)
        self.request = request
        self.is_done = False
        self.client_left_at: float | None = None
        """Time at which a stateless client was asked to call again with answers, or None."""
        self.peer: Peer | None = None
        """The connection over which the call was last sent."""
        self._pending_call: PendingCall | None = None
        self._open_questions: dict[str, PendingQuestion] = {}
        self._activity_event = ThreadEvent()
        self._question_count = 0
        self._questions_in_progress = 0

    @property
    def client(self) -> object:
        """An object that identifies the client that made the call.

        This is its connection. Stateless HTTP requests cannot be attributed to a client, so each of
        them counts as a separate client.
        """
        request = self.request
        is_anonymous = request.era.is_stateless and request.exchange is not None
        return request if is_anonymous else request.connection

    def send(self, peer: Peer, params: Json) -> None:
        """Send the call to the upstream, or resend it with the answers to its questions.

        Raises:
            ConnectError: The connection has ended.
        """
        meta = build_meta(self.request, peer, self.id)
        call_params = {**params, "_meta": meta} if meta else params
        self.is_done, self.peer = False, peer
        # This call's questions must reach the client that made it, so they are not answered by the
        # connection's callbacks.
        pending_call = peer.start(self.request.method, call_params, answers_questions=False)
        self._pending_call = pending_call
        pending_call.when_done(self._handle_completion)

    def get_result(self) -> Json:
        """Return the result of a completed call."""
        if self._pending_call is None:
            raise ProtocolError("The call was never sent")
        return self._pending_call.result(0)

    def cancel(self, reason: str) -> None:
        """Cancel the call on the upstream."""
        if self._pending_call is not None:
            self._pending_call.cancel(reason)

    async def wait_for_questions(self, seconds: float) -> dict[str, ServerRequest]:
        """Wait until the upstream asks questions or completes the call.

        Args:
            seconds: Time limit, which restarts with each message about the call.

        Returns:
            The open questions by key, or an empty dictionary if the call is completed.

        Raises:
            TimeoutError: No message arrived within the time limit.
        """
        while True:
            self._activity_event.clear()
            if self.is_done:
                return {}
            if self._open_questions:
                return {key: asked.request for key, asked in list(self._open_questions.items())}
            has_activity = await self._activity_event.wait(seconds)
            # A user may take a long time to answer a question, so there is no limit in this case.
            if not has_activity and not self._questions_in_progress:
                raise TimeoutError

    def record_activity(self) -> None:
        """Restart the timeout, because the upstream has sent a message about the call."""
        self._activity_event.set()

    def get_open_questions(self, keys: list[str]) -> dict[str, ServerRequest]:
        """Return the questions that are still waiting for an answer."""
        return {
            key: self._open_questions[key].request for key in keys if key in self._open_questions
        }

    def set_answers(self, answers: Json) -> None:
        """Deliver answers to waiting questions."""
        for key, answer in answers.items():
            self._open_questions.pop(key).set_answer(answer)

    def ask_client(self, question: ServerRequest) -> Json:
        """Send a question from the upstream to the client, and wait for the answer.

        Blocks the calling thread.

        Raises:
            ProtocolError: The client cannot be asked, does not answer, or has cancelled the call.
        """
        self._questions_in_progress += 1
        try:
            question.check_capabilities(self.request.era.get_client_capabilities(self.request))
            if self.request.era.is_stateless:
                return self._ask_in_next_round(question)
            return self._ask_now(question)
        except HandlerCancelled:
            raise ProtocolError("The call was cancelled") from None
        finally:
            self._questions_in_progress -= 1

    def _ask_now(self, question: ServerRequest) -> Json:
        """Send the question in the client's session, while its request is being handled."""
        answers = self.request.era.request_input(self.request, {"question": question})
        answers_by_key = answers if isinstance(answers, dict) else answers.wait()
        return cast("Json", answers_by_key["question"])

    def _ask_in_next_round(self, question: ServerRequest) -> Json:
        """Hand the question to the forwarder and wait for the client's next request."""
        self._question_count += 1
        pending_question = PendingQuestion(question)
        self._open_questions[f"question-{self._question_count}"] = pending_question
        self._activity_event.set()
        return pending_question.wait_for_answer()

    def _handle_completion(self) -> None:
        self.is_done = True
        self._activity_event.set()
        questions, self._open_questions = self._open_questions, {}
        for question in questions.values():
            question.set_answer(None)


class UpstreamCallTable:
    """The open calls to one upstream."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._lock = threading.Lock()
        self._open_calls: dict[str, UpstreamCall] = {}
        self._log_level: str | None = None
        self._cleaned_up_at = monotonic()

    def begin_call(self, request: Request) -> UpstreamCall:
        """Register a client's request as an open call to the upstream.

        Raises:
            UpstreamError: Too many calls are open.
        """
        call = UpstreamCall(request)
        self._cancel_abandoned_calls()
        with self._lock:
            if len(self._open_calls) >= MAX_OPEN_CALLS:
                raise UpstreamError(self._label, "too many calls are open")
            self._open_calls[call.id] = call
        return call

    def end_call(self, call: UpstreamCall) -> None:
        """Remove a completed call."""
        with self._lock:
            self._open_calls.pop(call.id, None)

    def resume_call(self, call_id: str, request: Request) -> UpstreamCall:
        """Return the open call whose questions a request answers, and attach the request to it.

        Args:
            call_id: The ID of the call, which the client received with the questions.
            request: The request with the answers.

        Raises:
            UpstreamError: The call is no longer open.
            ProtocolError: Another user made the call.
        """
        with self._lock:
            call = self._open_calls.get(call_id)
        if call is None or call.client_left_at is None:
            raise UpstreamError(self._label, "its question has expired; call again")
        # A client has received the call's ID. Another user who knows the ID must neither answer the
        # questions nor see the result.
        if _get_principal_key(call.request) != _get_principal_key(request):
            raise ProtocolError("The question was sent to another user")
        call.request = request
        call.client_left_at = None
        return call

    def request_log_level(self, peer: Peer, request: Request) -> None:
        """Lower the log level of an upstream session if a client requests more messages.

        A session has only one log level, which all clients share. It is never raised, because other
        clients may still need the messages that they requested.

        Args:
            peer: The connection to the upstream.
            request: The client's request.
        """
        level = request.era.get_log_level(request)
        if level is None or peer.protocol_version in STATELESS_VERSIONS:
            return
        is_lower = self._log_level is None or not is_level_enabled(level, self._log_level)
        if is_lower and "logging" in peer.server_capabilities:
            self._log_level = level
            peer.start("logging/setLevel", {"level": level})

    def reset_log_level(self) -> None:
        """Reset the log level, because a new connection starts without one."""
        self._log_level = None

    def forward_progress(self, params: Json) -> None:
        """Forward a progress notification from the upstream to the client that made the call.

        The notification is sent with the client's own progress token.
        """
        call = self._open_calls.get(str(params.get("progressToken")))
        if call is None or call.request.meta is None:
            return
        call.record_activity()
        token = call.request.meta.progress_token
        call.request.notify("notifications/progress", {**params, "progressToken": token})

    def forward_log_message(self, params: Json) -> None:
        """Forward a log message from the upstream to the client that it belongs to.

        Log messages do not name a call. If multiple clients have open calls, the message is
        dropped.
        """
        call = self._find_sole_call()
        level = params.get("level")
        if call is None or level not in LOGGING_LEVELS:
            return
        minimum_level = call.request.era.get_log_level(call.request)
        if is_level_enabled(level, minimum_level):
            call.request.notify("notifications/message", params)

    def answer_question(self, method: str, params: Json) -> Json:
        """Send the upstream's question to the client that made the call, and return the answer.

        Blocks the calling thread. A question in a session does not name a call, so all open calls
        must belong to one client.

        Raises:
            ProtocolError: No client can be asked, or the client declined.
        """
        call = self._find_sole_call()
        if call is None:
            reason = "no call is open"
            if self._open_calls:
                reason = (
                    f"{len(self._open_calls)} calls of several clients are open, "
                    "and any of them may be concerned"
                )
            raise ProtocolError(f"No client can be asked {method}: {reason}")
        try:
            return call.ask_client(create_server_request(method, params))
        except ProtocolError:
            raise
        except PaddockError as error:
            raise ProtocolError(str(error)) from None

    def _find_sole_call(self) -> UpstreamCall | None:
        """Return the latest open call if all open calls belong to one client, otherwise None."""
        with self._lock:
            calls = [call for call in self._open_calls.values() if not call.is_done]
        # Clients rather than users are compared, because one user may have multiple clients.
        clients = {id(call.client) for call in calls}
        return calls[-1] if len(clients) == 1 else None

    def _cancel_abandoned_calls(self) -> None:
        """Cancel calls whose clients did not answer the upstream's questions in time."""
        now = monotonic()
        if now - self._cleaned_up_at < CLEANUP_INTERVAL_SECONDS:
            return
        self._cleaned_up_at = now
        with self._lock:
            calls = list(self._open_calls.values())
        for call in calls:
            left_at = call.client_left_at
            if left_at is not None and now - left_at > ANSWER_TIMEOUT_SECONDS:
                self.end_call(call)
                call.cancel("the client did not return with an answer")


def _get_principal_key(request: Request) -> object:
    return None if request.principal is None else request.principal.key
