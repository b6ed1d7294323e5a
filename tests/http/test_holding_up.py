"""Plain handlers share a thread as long as they are quick; one that is slow holds up no one."""

import threading

import pytest

from paddock import Context, Server
from tests.http.endpoint import call
from tests.http.hosting import Host
from tests.http.raw import PATIENCE


class Gate:
    """A server with a quick tool and one that waits until it is let go."""

    def __init__(self) -> None:
        self.server = Server("gate")
        self.begun = threading.Semaphore(0)
        self.go_on = threading.Event()

        @self.server.tool
        def quick(number: int) -> str:
            return str(number)

        @self.server.tool
        def slow(number: int) -> str:
            self.begun.release()
            assert self.go_on.wait(PATIENCE)
            return f"slow {number}"

        @self.server.tool
        def counting(ctx: Context) -> str:
            for number in range(5):
                ctx.progress(number)
            return "counted"


@pytest.fixture
def gate() -> Gate:
    return Gate()


def test_quick_calls_are_answered_while_slow_ones_wait(host: Host, on: str, gate: Gate) -> None:
    endpoint = host(gate.server, on)
    waiting = [endpoint.begin(call("slow", {"number": number})) for number in range(4)]
    for _ in waiting:
        assert gate.begun.acquire(timeout=PATIENCE)
    for number in range(20):
        assert endpoint.text(call("quick", {"number": number})) == str(number)
    gate.go_on.set()
    texts = [one.answer().json["result"]["content"][0]["text"] for one in waiting]
    assert texts == ["slow 0", "slow 1", "slow 2", "slow 3"]


def test_calls_that_came_together_with_a_slow_one_are_answered(host: Host, gate: Gate) -> None:
    endpoint = host(gate.server)
    slow = endpoint.begin(call("slow", {"number": 1}))
    quick = [endpoint.begin(call("quick", {"number": number})) for number in range(30)]
    texts = [one.answer().json["result"]["content"][0]["text"] for one in quick]
    assert texts == [str(number) for number in range(30)]
    gate.go_on.set()
    assert slow.answer().json["result"]["content"][0]["text"] == "slow 1"


def test_what_a_quick_handler_says_comes_before_its_answer(host: Host, on: str, gate: Gate) -> None:
    endpoint = host(gate.server, on)
    for _ in range(20):
        answer = endpoint.post(call("counting", progressToken=1))
        *progress, last = answer.messages()
        assert [message["params"]["progress"] for message in progress] == list(range(5))
        assert last["result"]["content"][0]["text"] == "counted"
