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
from paddock.mounting.errors import UpstreamError
from paddock.mounting.gate import Gate
from paddock.mounting.shaping import meta_for, question
from paddock.protocol.ask import AskError
from paddock.protocol.errors import ProtocolError
from paddock.protocol.interruption import HandlerCancelled
from paddock.protocol.model.params import LEVELS
from paddock.protocol.versions import STATELESS_VERSIONS

if TYPE_CHECKING:
    from paddock.peer.calls import PendingCall
    from paddock.peer.peer import Peer
    from paddock.protocol.ask import Ask
    from paddock.protocol.request import Request

Json = dict[str, Any]

ANSWER_TIME = 600.0
"""Seconds that a client may take to answer a question of an upstream."""
LOOK_AFTER = 10.0
"""Seconds between two looks for clients that have not come back."""
MAX_OPEN = 10_000
"""Calls to one upstream that may be under way at once."""


class Question:
    """A question of a session, which waits until a stateless client calls again with the answer."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self._answered = threading.Event()
        self._answer: Json | None = None

    def give(self, answer: Json | None) -> None:
        """Here is the answer; None: there will be none."""
        self._answer = answer
        self._answered.set()

    def wait(self) -> Json:
        """Block until there is an answer.

        Raises:
            ProtocolError: when there will be none.
        """
        self._answered.wait(ANSWER_TIME)
        if self._answer is None:
            raise ProtocolError("The client has not answered the question")
        return self._answer


class Call:
    """One call on its way."""

    def __init__(self, request: Request) -> None:
        self.id = secrets.token_hex(16)
        self.request = request
        self.is_done = False
        self.left_at: float | None = None
        """Since when a stateless client has been away to answer questions."""
        self.peer: Peer | None = None
        """The connection that it was last sent over."""
        self._pending: PendingCall | None = None
        self._questions: dict[str, Question] = {}
        self._arrived = Gate()
        self._asked = 0
        self._asking = 0

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
        meta = meta_for(self.request, peer, self.id)
        wrapped = {**params, "_meta": meta} if meta else params
        self.is_done, self.peer = False, peer
        pending = peer.start(self.request.method, wrapped, answers_questions=False)
        self._pending = pending
        pending.when_done(self._done)

    def result(self) -> Json:
        """What came of it, once it is done."""
        if self._pending is None:
            raise ProtocolError("The call was never sent")
        return self._pending.result(0)

    def cancel(self, reason: str) -> None:
        """Have the upstream stop."""
        if self._pending is not None:
            self._pending.cancel(reason)

    async def next(self, seconds: float) -> dict[str, Ask]:
        """The questions that are open, or none: the call is done.

        Raises:
            TimeoutError: when there was no sign of life for so long.
        """
        while True:
            self._arrived.shut()
            if self.is_done:
                return {}
            if self._questions:
                return {key: asked.ask for key, asked in list(self._questions.items())}
            if not await self._arrived.passed(seconds) and not self._asking:
                raise TimeoutError

    def heard(self) -> None:
        """A sign of life."""
        self._arrived.open()

    def open_questions(self, keys: list[str]) -> dict[str, Ask]:
        """Those of these questions that still wait for an answer."""
        return {key: self._questions[key].ask for key in keys if key in self._questions}

    def give(self, answers: Json) -> None:
        """Here are the answers to questions."""
        for key, answer in answers.items():
            self._questions.pop(key).give(answer)

    def answer(self, ask: Ask) -> Json:
        """Put a question to the client, and wait for the answer. In a thread of its own."""
        self._asking += 1
        try:
            ask.check(self.request.era.client_capabilities(self.request))
            return self._suspended(ask) if self.request.era.is_stateless else self._asked_now(ask)
        except HandlerCancelled:
            raise ProtocolError("The call was cancelled") from None
        finally:
            self._asking -= 1

    def _asked_now(self, ask: Ask) -> Json:
        answers = self.request.era.ask(self.request, {"question": ask})
        found = answers if isinstance(answers, dict) else answers.wait()
        return cast("Json", found["question"])

    def _suspended(self, ask: Ask) -> Json:
        self._asked += 1
        asked = Question(ask)
        self._questions[f"question-{self._asked}"] = asked
        self._arrived.open()
        return asked.wait()

    def _done(self) -> None:
        self.is_done = True
        self._arrived.open()
        questions, self._questions = self._questions, {}
        for asked in questions.values():
            asked.give(None)


class Calls:
    """The calls to one upstream that are under way."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._lock = threading.Lock()
        self._open: dict[str, Call] = {}
        self._level: str | None = None
        self._looked_at = monotonic()

    def begin(self, request: Request) -> Call:
        """A call is about to be sent."""
        call = Call(request)
        self._forget_the_lost()
        with self._lock:
            if len(self._open) >= MAX_OPEN:
                raise UpstreamError(self._label, "too many calls are under way")
            self._open[call.id] = call
        return call

    def end(self, call: Call) -> None:
        """A call has come to its end."""
        with self._lock:
            self._open.pop(call.id, None)

    def resume(self, call_id: str, request: Request) -> Call:
        """The call that a request brings answers for.

        Raises:
            UpstreamError: when it is not under way any more.
        """
        with self._lock:
            call = self._open.get(call_id)
        if call is None or call.left_at is None:
            raise UpstreamError(self._label, "its question has expired; call again")
        if _key(call.request) != _key(request):
            raise ProtocolError("The question was put to somebody else")
        call.request = request
        call.left_at = None
        return call

    def want_level(self, peer: Peer, request: Request) -> None:
        """Have a session send the log messages that a client wants; it knows one level for all."""
        level = request.era.log_level(request)
        if level is None or peer.protocol_version in STATELESS_VERSIONS:
            return
        is_lower = self._level is None or LEVELS.index(level) < LEVELS.index(self._level)
        if is_lower and "logging" in peer.server_capabilities:
            self._level = level
            peer.start("logging/setLevel", {"level": level})

    def reset(self) -> None:
        """A new connection knows of no log level yet."""
        self._level = None

    def progress(self, params: Json) -> None:
        """Pass on how far a call has come."""
        call = self._open.get(str(params.get("progressToken")))
        if call is None or call.request.meta is None:
            return
        call.heard()
        token = call.request.meta.progress_token
        call.request.notify("notifications/progress", {**params, "progressToken": token})

    def log(self, params: Json) -> None:
        """Pass on a log message, if it can be told whose it is."""
        call = self._only()
        level = params.get("level")
        if call is None or level not in LEVELS:
            return
        wanted = call.request.era.log_level(call.request)
        if wanted is not None and LEVELS.index(level) >= LEVELS.index(wanted):
            call.request.notify("notifications/message", params)

    def answer(self, method: str, params: Json) -> Json:
        """The client's answer to a question of a session. In a thread of its own.

        Raises:
            ProtocolError: when nobody can be asked, saying why.
        """
        call = self._only()
        if call is None:
            count = len(self._open)
            reason = (
                f"{count} calls of several clients are under way, and it may be of any of them"
                if count
                else "no call is under way"
            )
            raise ProtocolError(f"Nobody can be asked {method}: {reason}")
        try:
            return call.answer(question(method, params))
        except ProtocolError:
            raise
        except (AskError, PaddockError) as error:
            raise ProtocolError(str(error)) from None

    def _only(self) -> Call | None:
        """The last call, if all that are under way are of one client."""
        with self._lock:
            calls = [call for call in self._open.values() if not call.is_done]
        clients = {id(call.client) for call in calls}
        return calls[-1] if len(clients) == 1 else None

    def _forget_the_lost(self) -> None:
        """Give up calls whose clients went away to answer questions and have not come back."""
        now = monotonic()
        if now - self._looked_at < LOOK_AFTER:
            return
        self._looked_at = now
        with self._lock:
            calls = list(self._open.values())
        for call in calls:
            if call.left_at is not None and now - call.left_at > ANSWER_TIME:
                self.end(call)
                call.cancel("the client has not come back")


def _key(request: Request) -> object:
    return None if request.principal is None else request.principal.key
