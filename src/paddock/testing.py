"""Helpers for testing servers: a recording connection and scripted user answers.

    def test_it_asks_for_a_name() -> None:
        user = Answers(accept(name="Ada"))
        with connect(server, on_elicit=user) as peer:
            assert peer.call("greet").text == "Hello, Ada"
        assert user.asked[0]["message"] == "Who are you?"

Nothing is mocked: the server runs as usual, with an in-memory channel as its transport.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar, Unpack

from paddock import connector
from paddock.errors import PaddockError
from paddock.protocol.versions import SUPPORTED_VERSIONS

if TYPE_CHECKING:
    from paddock.client.connect_options import ConnectOptions, Json
    from paddock.client.peer import Peer
    from paddock.connector import ConnectTarget

T = TypeVar("T")

ERAS = SUPPORTED_VERSIONS
"""All supported protocol versions. Pass one as `era=` to test a server with that version."""


def connect(target: ConnectTarget, **options: Unpack[ConnectOptions]) -> Peer:
    """Connect like `paddock.connect`, with `record=True` by default."""
    options.setdefault("record", True)
    return connector.connect(target, **options)


def accept(content: Json | None = None, /, **fields: object) -> Json:
    """Return the elicitation result for a user who submits the form with these values."""
    return {"action": "accept", "content": {**(content or {}), **fields}}


def decline() -> Json:
    """Return the elicitation result for a user who declines."""
    return {"action": "decline"}


def cancel() -> Json:
    """Return the elicitation result for a user who dismisses the form without answering."""
    return {"action": "cancel"}


class UnexpectedQuestionError(PaddockError):
    """The server sent more requests to the client than the test has answers for."""

    code = "unexpected-question"


class ScriptedAnswers(Generic[T]):
    """Scripted callback for `on_elicit` or `on_sample`: returns the given replies in order.

    `asked` holds the parameters of every request received so far.
    """

    def __init__(self, *replies: T) -> None:
        self._remaining_replies = list(replies)
        self.asked: list[Json] = []

    def __call__(self, params: Json) -> T:
        """Record the request's parameters and return the next reply.

        Raises:
            UnexpectedQuestionError: All replies have been used.
        """
        self.asked.append(params)
        if not self._remaining_replies:
            raise UnexpectedQuestionError(
                f"no reply is left for a request of the server: {params!r:.200}",
                hint="pass one more reply to Answers",
            )
        return self._remaining_replies.pop(0)


Answers = ScriptedAnswers
"""The public name."""
