"""Clients that do not behave: slow, gone without a word, or never quite there."""

import asyncio
import random

from soak.clients import Client, check_progress, check_result, expect, texts
from soak.messages import fresh_id
from soak.wire import CutError, Line

SMALL_BUFFER = 4096
SIPS, SIP = 100, 512
"""How often a slow reader reads a little, and how little, before it reads the rest."""
LARGE = 3_000_000
FLOOD = 200_000_000
HANG_UP_SECONDS = 30.0
NEVER_SECONDS = 8.0
"""Longer than the server waits for a client to read something."""


async def slow_reader(client: Client, rounds: int) -> None:
    """Read a few bytes now and then, of an answer and of a stream, and miss nothing of either."""
    for number in range(rounds):
        token = client.token()
        line = await _small_line(client)
        is_stream = bool(number % 2)
        if is_stream:
            arguments = {"token": token, "count": 1000, "size": 1000}
            tool = "flood"
        else:
            arguments, tool = {"token": token, "size": LARGE}, "large"
        request_id = fresh_id()
        await line.send(client.voice.call(tool, arguments, request_id=request_id, progress=token))
        head = await line.head()
        sipped = bytearray()
        for _ in range(SIPS):
            sipped += await line.read(SIP)
            await asyncio.sleep(0.01)
        line.put_back(bytes(sipped))
        answer = await line.rest(head)
        expect(answer.messages[-1].get("id") == request_id, answer)
        if is_stream:
            _check_flood(answer.messages, token, 1000, 1000)
        else:
            expect(texts(answer) == [token + "x" * (LARGE - len(token))], token)
        line.close()
        client.ledger.count("slow readers served")


def _check_flood(messages: list[dict[str, object]], token: str, count: int, size: int) -> None:
    told = [message.get("params") for message in messages[:-1]]
    steps = [(params["progress"], params["message"]) for params in told if isinstance(params, dict)]
    expected = token + "x" * size
    expect(steps == [(number, expected) for number in range(1, count + 1)], (token, len(steps)))


async def drowning_reader(client: Client, rounds: int) -> None:
    """Read almost nothing of a stream that is larger than any buffer, until the server hangs up."""
    for _ in range(rounds):
        token = client.token()
        line = await _small_line(client)
        arguments = {"token": token, "count": FLOOD // 10_000, "size": 10_000}
        await line.send(
            client.voice.call("flood", arguments, request_id=fresh_id(), progress=token)
        )
        head = await line.head()
        expect(head.is_stream, head)
        try:
            for _ in range(500):
                await line.read(1)
                await asyncio.sleep(0.01)
        except CutError:
            pass
        said = await line.end(HANG_UP_SECONDS)
        expect(len(said) < FLOOD, f"{len(said)} bytes were kept for a slow reader")
        client.ledger.count("drowning readers cut off")
        line.reset()


async def vanisher(client: Client, rounds: int, seed: int) -> None:
    """Leave in the middle of everything, by a reset or by an end."""
    chance = random.Random(seed)  # noqa: S311 - not a secret
    for number in range(rounds):
        line = await Line.open(client.port)
        if not client.voice.is_stateless and (client.voice.session is None or number % 5 == 0):
            await client.open_session(line)
        token = client.token()
        tool = chance.choice(("steps", "plain_steps", "large", "flood", "nap", "cut"))
        arguments = _arguments(tool, token)
        call = client.voice.call(
            "nap" if tool == "cut" else tool, arguments, request_id=fresh_id(), progress=token
        )
        await line.send(call[: chance.randrange(len(call))] if tool == "cut" else call)
        if tool in ("steps", "plain_steps", "flood"):
            await line.read(chance.randrange(1, 400))
        await asyncio.sleep(chance.random() * 0.02)
        if chance.random() < 0.5:
            line.reset()
        else:
            line.close()
        client.ledger.count("clients vanished")


def _arguments(tool: str, token: str) -> dict[str, object]:
    if tool == "large":
        return {"token": token, "size": LARGE}
    if tool == "flood":
        return {"token": token, "count": 300, "size": 2000}
    if tool in ("nap", "cut"):
        return {"token": token, "seconds": 0.3}
    return {"token": token, "count": 30, "pause": 0.01}


async def half_open(client: Client, cut: int) -> None:
    """Begin a request and never finish it; the server hangs up."""
    line = await Line.open(client.port)
    call = client.voice.call("nap", {"token": "?", "seconds": 0}, request_id=fresh_id())
    await line.send(call[:cut])
    said = await line.end(HANG_UP_SECONDS)
    expect(said == b"" or said.startswith(b"HTTP/1.1 4"), said[:80])
    line.close()
    client.ledger.count("half-open connections closed")


async def never_reading(client: Client, rounds: int) -> None:
    """Ask for much and never read; the server gives up."""
    for _ in range(rounds):
        line = await _small_line(client)
        arguments = {"token": client.token(), "size": 4 * LARGE}
        await line.send(client.voice.call("large", arguments, request_id=fresh_id()))
        await asyncio.sleep(NEVER_SECONDS)
        said = await line.end(HANG_UP_SECONDS)
        expect(len(said) < 4 * LARGE, "all of it was kept")
        line.reset()
        client.ledger.count("clients that never read cut off")


async def session_leaver(client: Client, rounds: int) -> None:
    """Open sessions and leave them, with a stream now and then."""
    for number in range(rounds):
        line = await Line.open(client.port)
        client.voice.session = None
        await client.open_session(line)
        if number % 50 == 0:
            await line.send(client.voice.without_body("GET"))
            expect((await line.head()).is_stream, "GET")
        line.close()
        client.ledger.count("sessions opened and left")


async def resumer(client: Client, rounds: int) -> None:
    """Leave in the middle of a stream and come back for the rest of it."""
    for _ in range(rounds):
        token = client.token()
        line = await Line.open(client.port)
        if client.voice.session is None:
            await client.open_session(line)
        arguments = {"token": token, "count": 20, "pause": 0.01}
        await line.send(
            client.voice.call("steps", arguments, request_id=fresh_id(), progress=token)
        )
        head = await line.head()
        messages, last = [], ""
        async for event_id, message in line.numbered(head):
            last = event_id or last
            messages += [message] if message else []
            if len(messages) == 3:
                break
        line.reset()
        line = await Line.open(client.port)
        answer = await line.ask(client.voice.without_body("GET", last))
        whole = answer._replace(messages=messages + answer.messages)
        check_progress(whole, token, 20)
        check_result(whole, {"token": token, "next": 21})
        line.close()
        client.ledger.count("streams resumed")


async def _small_line(client: Client) -> Line:
    line = await Line.open(client.port, receive_buffer=SMALL_BUFFER)
    if not client.voice.is_stateless and client.voice.session is None:
        await client.open_session(line)
    return line
