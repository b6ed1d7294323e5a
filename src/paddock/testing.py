"""For people who test their servers: a recorded connection, and a client's part to play.

    def test_it_asks_for_a_name() -> None:
        user = Answers(accept(name="Ada"))
        with connect(server, on_elicit=user) as peer:
            assert peer.call("greet").text == "Hello, Ada"
        assert user.asked[0]["message"] == "Who are you?"

Nothing here is a double of our own code: a server is served as always, only over memory.
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
"""Every protocol version that a server can be tested in: pass one as `era=`."""


def connect(target: ConnectTarget, **options: Unpack[ConnectOptions]) -> Peer:
    """Connect as `paddock.connect` does, recording every message."""
    options.setdefault("record", True)
    return connector.connect(target, **options)


def accept(content: Json | None = None, /, **fields: object) -> Json:
    """An elicitation answered: the user filled in the form like this."""
    return {"action": "accept", "content": {**(content or {}), **fields}}


def decline() -> Json:
    """An elicitation answered: the user said no."""
    return {"action": "decline"}


def cancel() -> Json:
    """An elicitation answered: the user closed the question without saying anything."""
    return {"action": "cancel"}


class UnexpectedQuestionError(PaddockError):
    """A server asked more than a test has answers for."""

    code = "unexpected-question"


class Answers(Generic[T]):
    """A callback for `on_elicit` or `on_sample` that gives these answers, one after the other."""

    def __init__(self, *replies: T) -> None:
        self._remaining_replies = list(replies)
        self.asked: list[Json] = []

    def __call__(self, params: Json) -> T:
        """The next answer."""
        self.asked.append(params)
        if not self._remaining_replies:
            raise UnexpectedQuestionError(
                f"The server asked a question that no answer was given for: {params!r:.200}"
            )
        return self._remaining_replies.pop(0)
