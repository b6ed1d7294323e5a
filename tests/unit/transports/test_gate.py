"""What waits for a server that is not ready yet, and what does not."""

from functools import partial
from typing import Any

import pytest

from paddock.transports.http.asgi import AsgiResponder
from paddock.transports.http.service import StartupQueue


def message(method: str) -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"method":"%s"}' % method.encode()


@pytest.mark.parametrize(
    ("body", "waits"),
    [
        (message("initialize"), False),
        (message("server/discover"), False),
        (message("notifications/initialized"), False),
        (message("tools/list"), False),
        (message("tools/call"), True),
        (message("prompts/get"), True),
        (message("notifications/cancelled"), True),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', True),
        (b"[" + message("tools/list") + b"]", True),
        (b"no message", False),
    ],
)
def test_calls_wait_and_handshakes_and_lists_do_not(body: bytes, waits: bool) -> None:
    assert StartupQueue(1).must_wait(body) == waits


def test_what_was_kept_is_taken_in_order_but_for_clients_who_have_left() -> None:
    gate = StartupQueue(3)
    gate.is_holding = True
    taken: list[int] = []
    boxes = [AsgiResponder(1, None) for _ in range(3)]
    for number, box in enumerate(boxes):
        assert not gate.is_full
        gate.add(box, partial(taken.append, number))
    assert gate.is_full
    boxes[1].is_gone = True
    gate.release_all()
    assert (taken, gate.is_holding, gate.is_full) == ([0, 2], False, False)


def test_what_is_dismissed_is_not_taken() -> None:
    gate = StartupQueue(1)
    refused: list[Any] = []
    box = AsgiResponder(1, None)
    gate.add(box, lambda: pytest.fail("it was taken"))
    gate.refuse_all(refused.append)
    gate.release_all()
    assert refused == [box]
