"""Clients that behave: they call, listen, cancel and create tasks, and check all that they get."""

import asyncio
import itertools
import json

from soak.ledger import Ledger
from soak.messages import SESSION, STATELESS, Json, Voice, fresh_id
from soak.wire import Answer, Head, Line, WrongAnswerError

BUSY = 503
KINDS = ("plain", "inline", "async")
STEPS = 5
RECONNECT_EVERY = 97
"""Calls after which a client comes back on a new connection."""


class Client:
    """One client, which knows what it must be answered."""

    def __init__(self, port: int, ledger: Ledger, name: str, era: str) -> None:
        self.port = port
        self.ledger = ledger
        self.name = name
        self.voice = Voice(era)
        self.line: Line | None = None
        self._tokens = itertools.count(1)

    def token(self) -> str:
        """Something that only this client, only this once, says."""
        return f"{self.name}/{next(self._tokens)}"

    async def connected(self) -> Line:
        """The client's connection, in its session if it needs one."""
        if self.line is None:
            self.line = await Line.open(self.port)
        if not self.voice.is_stateless and self.voice.session is None:
            await self.open_session(self.line)
        return self.line

    async def open_session(self, line: Line) -> None:
        """Open a session."""
        request_id = fresh_id()
        answer = await line.ask(self.voice.opening(request_id))
        expect(answer.status == 200 and answer.messages[0].get("id") == request_id, answer)
        self.voice.session = answer.headers["mcp-session-id"]
        done = await line.ask(self.voice.request("notifications/initialized", {}))
        expect(done.status == 202, done)

    async def call(self, tool: str, arguments: Json, *, has_progress: bool = False) -> Answer:
        """Call a tool; a server that is busy is asked again."""
        line = await self.connected()
        progress = arguments["token"] if has_progress else None
        while True:
            request_id = fresh_id()
            request = self.voice.call(tool, arguments, request_id=request_id, progress=progress)
            answer = await line.ask(request)
            if answer.status != BUSY:
                break
            self.ledger.count("told to come back")
            await asyncio.sleep(0.05)
        expect(answer.status == 200, answer)
        expect(answer.messages[-1].get("id") == request_id, answer)
        return answer

    async def check_call(self, kind: str, number: int) -> None:
        """Call an echo of some kind and check the answer."""
        token = self.token()
        answer = await self.call(kind, {"token": token, "number": number})
        check_result(answer, {"token": token, "next": number + 1})

    async def check_steps(self, tool: str, count: int = STEPS) -> None:
        """Call a tool that tells how far it is, and check that nothing of it is lost."""
        token = self.token()
        answer = await self.call(tool, {"token": token, "count": count}, has_progress=True)
        check_progress(answer, token, count)
        check_result(answer, {"token": token, "next": count + 1})

    def leave(self) -> None:
        """Hang up."""
        if self.line is not None:
            self.line.close()
            self.line = None


async def caller(client: Client, calls: int) -> None:
    """Call every kind of tool, many times."""
    for number in range(calls):
        if number % 20 == 19:
            await client.check_steps("steps" if number % 40 == 19 else "plain_steps")
        else:
            await client.check_call(KINDS[number % 3], number)
        client.ledger.count("calls answered")
        if number % RECONNECT_EVERY == RECONNECT_EVERY - 1:
            client.leave()
    client.leave()


async def canceller(client: Client, rounds: int) -> None:
    """Begin what does not end by itself, and cancel it."""
    for number in range(rounds):
        tool = "wait" if number % 2 else "plain_wait"
        token = client.token()
        line = await Line.open(client.port)
        if client.voice.session is None and not client.voice.is_stateless:
            await client.open_session(line)
        request_id = fresh_id()
        request = client.voice.call(
            tool, {"token": token}, request_id=request_id, progress=token if number % 3 else None
        )
        await line.send(request)
        if client.voice.is_stateless:
            await _hear(line, token, is_told=bool(number % 3))
            line.close()
        else:
            answer = await _cancelled(client, line, request_id)
            expect(all("id" not in message for message in answer.messages), answer)
            line.close()
        client.ledger.count("calls cancelled")
    await client.check_call("async", 1)
    client.leave()


async def _hear(line: Line, token: str, *, is_told: bool) -> None:
    """Wait until a handler is at work, as far as it can be known."""
    if not is_told:
        await asyncio.sleep(0.02)
        return
    head = await line.head()
    async for message in line.events(head):
        expect(message["params"]["progressToken"] == token, message)
        return


async def _cancelled(client: Client, line: Line, request_id: int) -> Answer:
    """Cancel a call by another connection, again if that one overtook the call."""
    answering = asyncio.ensure_future(line.answer())
    other = await Line.open(client.port)
    params: Json = {"requestId": request_id}
    while not answering.done():
        await asyncio.sleep(0.02)
        done = await other.ask(client.voice.request("notifications/cancelled", params))
        expect(done.status == 202, done)
        await asyncio.wait((answering,), timeout=1)
    other.close()
    return answering.result()


async def listener(client: Client, rounds: int) -> None:
    """Listen to a resource of one's own, and hear each of its changes once."""
    uri = f"soak://{client.name}"
    ear = await Line.open(client.port)
    if client.voice.is_stateless:
        params: Json = {"notifications": {"resourceSubscriptions": [uri]}}
        await ear.send(client.voice.request("subscriptions/listen", params, request_id=fresh_id()))
    else:
        line = await client.connected()
        subscribe = client.voice.request("resources/subscribe", {"uri": uri}, request_id=fresh_id())
        expect((await line.ask(subscribe)).status == 200, uri)
        await ear.send(client.voice.without_body("GET"))
    head = await ear.head()
    expect(head.is_stream, head)
    await _hear_changes(client, ear, head, uri, rounds)
    ear.close()
    client.leave()


async def _hear_changes(client: Client, ear: Line, head: Head, uri: str, rounds: int) -> None:
    heard = ear.events(head)
    if client.voice.is_stateless:
        first = await anext(heard)
        expect(first["method"] == "notifications/subscriptions/acknowledged", first)
    for _ in range(rounds):
        answer = await client.call("touch", {"uri": uri})
        expect(texts(answer) == ["1"], answer)
        message = await anext(heard)
        expect(message["method"] == "notifications/resources/updated", message)
        expect(message["params"]["uri"] == uri, message)
        client.ledger.count("changes heard")


async def task_owner(client: Client, rounds: int) -> None:
    """Create tasks; fetch some results, and leave the other tasks alone."""
    for number in range(rounds):
        token, line = client.token(), await client.connected()
        request = client.voice.call(
            "job",
            {"token": token, "seconds": 0.05 if number % 4 == 0 else 1},
            request_id=fresh_id(),
            task={"ttl": 3000},
        )
        created = (await line.ask(request)).messages[-1].get("result", {})
        task_id = created.get("taskId") or created.get("task", {}).get("taskId")
        expect(isinstance(task_id, str), created)
        client.ledger.count("tasks created")
        if number % 4 == 0:
            result = await _fetch(client, line, task_id)
            expect(result["structuredContent"]["token"] == token, result)
            client.ledger.count("tasks fetched")
    client.leave()


async def _fetch(client: Client, line: Line, task_id: str) -> Json:
    if not client.voice.is_stateless:
        request = client.voice.request("tasks/result", {"taskId": task_id}, request_id=fresh_id())
        return _result(await line.ask(request))
    while True:
        request = client.voice.request("tasks/get", {"taskId": task_id}, request_id=fresh_id())
        task = _result(await line.ask(request))
        if task["status"] != "working":
            expect(task["status"] == "completed", task)
            return dict(task["result"])
        await asyncio.sleep(0.05)


def _result(answer: Answer) -> Json:
    result = answer.messages[-1].get("result")
    expect(answer.status == 200 and isinstance(result, dict), answer)
    return dict(result or {})


def check_progress(answer: Answer, token: str, count: int) -> None:
    """Each step was told, in order, to whom it belongs."""
    told = [message["params"] for message in answer.messages[:-1]]
    steps = [(params["progressToken"], params["message"], params["progress"]) for params in told]
    expect(steps == [(token, token, number) for number in range(1, count + 1)], answer)


def check_result(answer: Answer, expected: Json) -> None:
    """The result is the one that was asked for."""
    content = answer.messages[-1].get("result", {}).get("structuredContent")
    expect(content == expected, (expected, answer))


def texts(answer: Answer) -> list[str]:
    """The texts of a tool's result."""
    content = answer.messages[-1].get("result", {}).get("content", [])
    return [str(part.get("text")) for part in content]


def expect(is_right: bool, found: object) -> None:
    """Break off unless something is as it must be."""
    if not is_right:
        raise WrongAnswerError(f"unexpected: {found!r:.600}")


async def census(port: int) -> dict[str, int]:
    """What the server holds of its clients."""
    client = Client(port, Ledger(), "census", STATELESS)
    try:
        counts: dict[str, int] = json.loads(texts(await client.call("census", {}))[0])
    finally:
        client.leave()
    return counts


def eras() -> "itertools.cycle[str]":
    """Both eras, in turn."""
    return itertools.cycle((STATELESS, SESSION))
