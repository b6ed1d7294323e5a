"""No server is credited with a wrong answer."""

import json

import pytest

from benchmarks.http_answers import check_answers, is_whole
from benchmarks.http_messages import STATELESS, Caller
from benchmarks.messages import ECHO, FIRST_ID, TEXT
from benchmarks.program import ServerFailedError

CALLS = Caller(STATELESS, "127.0.0.1:1").calls(ECHO, FIRST_ID, 4)


def message(message_id: int, text: str = TEXT) -> bytes:
    result = {"content": [{"type": "text", "text": text}]}
    return json.dumps({"jsonrpc": "2.0", "id": message_id, "result": result}).encode()


def plain(body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %b\r\ncontent-length: %d\r\n\r\n%b" % (status, len(body), body)


def streamed(body: bytes) -> bytes:
    head = b"content-type: text/event-stream\r\ntransfer-encoding: chunked"
    event = b"event: message\ndata: %b\n\n" % body
    return b"HTTP/1.1 200 OK\r\n%b\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (head, len(event), event)


def answers() -> list[bytes]:
    """Right answers to ten calls, whose ids come round."""
    return [plain(message(CALLS.ids[number % 4])) for number in range(10)]


def test_right_answers_are_accepted_plain_or_streamed() -> None:
    check_answers(CALLS, [*answers(), streamed(message(CALLS.ids[2]))])


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(plain(message(CALLS.ids[3])), id="the answer to another call"),
        pytest.param(plain(message(CALLS.ids[1], TEXT[::-1])), id="another text"),
        pytest.param(plain(message(CALLS.ids[1]), b"503 Busy"), id="another status"),
        pytest.param(plain(b"oops"), id="no JSON"),
        pytest.param(streamed(message(CALLS.ids[3])), id="a streamed answer to another call"),
    ],
)
def test_one_wrong_answer_among_right_ones_is_noticed(wrong: bytes) -> None:
    received = answers()
    received[5] = wrong
    with pytest.raises(ServerFailedError):
        check_answers(CALLS, received)


@pytest.mark.parametrize("answer", [plain(message(1)), streamed(message(1))])
def test_an_answer_is_whole_only_with_its_last_byte(answer: bytes) -> None:
    assert is_whole(answer)
    assert not any(is_whole(answer[:size]) for size in range(len(answer)))
