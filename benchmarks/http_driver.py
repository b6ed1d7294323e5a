"""The raw client for HTTP: starts a server program and speaks to it over keep-alive sockets."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import cycle
from select import EPOLLIN, epoll
from typing import Any, Self

from benchmarks.http_answers import Answer, check_answers, is_whole, parse
from benchmarks.http_messages import SESSIONS, Caller, Calls, id_ranges
from benchmarks.messages import FIRST_ID, Call
from benchmarks.processes import cpu_seconds, family
from benchmarks.program import Program, ServerFailedError

HOST = "127.0.0.1"
CONNECTIONS = 32
IDS_PER_CLIENT = 64
READ_SIZE = 65536
RETRY_SECONDS = 0.0005
FOREVER = 1 << 60


@dataclass(frozen=True)
class SequentialRun:
    """Calls made one at a time on one connection."""

    nanoseconds: list[int]

    def percentile(self, share: float) -> float:
        """The microseconds that this share of the calls took at most."""
        ordered = sorted(self.nanoseconds)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)] / 1e3


@dataclass(frozen=True)
class ConcurrentRun:
    """Calls made on many connections at once."""

    calls: int
    seconds: float
    cpu_seconds: float

    @property
    def rate(self) -> float:
        """Calls per second."""
        return self.calls / self.seconds


class Client:
    """One connection to a server, and the client that speaks on it."""

    def __init__(self, caller: Caller, server: "HttpServer") -> None:
        self.caller = caller
        self._server = server
        self._socket = socket.create_connection((HOST, server.port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.descriptor = self._socket.fileno()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def exchange(self, frame: bytes) -> Answer:
        """Send a request and wait for the answer."""
        try:
            self._socket.sendall(frame)
            raw = self.receive(b"")
        except ConnectionError:
            raise self._server.failure() from None
        return parse(raw)

    def receive(self, raw: bytes) -> bytes:
        """All of an answer that has begun with these bytes."""
        while not (raw and is_whole(raw)):
            chunk = self._socket.recv(READ_SIZE)
            if not chunk:
                raise ConnectionResetError
            raw += chunk
        return raw

    def open(self) -> None:
        """Begin a session, where the era has them."""
        answer = self.exchange(self.caller.opening())
        if answer.status != 200 or "result" not in answer.messages()[-1]:
            raise ServerFailedError(f"opening answered {answer.status}: {answer.body[:200]!r}")
        self.caller = replace(self.caller, session=answer.headers.get("mcp-session-id"))
        opened = self.caller.opened()
        if opened is not None:
            self.exchange(opened)

    def close(self) -> None:
        """End the session, so that no server is measured with those of the rounds before."""
        closing = self.caller.closing()
        if closing is not None:
            self.exchange(closing)

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Make a request and return the message that answers it."""
        return self.exchange(self.caller.request(FIRST_ID, method, params)).message(FIRST_ID)

    def call(self, call: Call) -> dict[str, Any]:
        """Call a tool and return the message that answers it."""
        return self.ask("tools/call", {"name": call.tool, "arguments": call.arguments})

    def check(self, call: Call) -> None:
        """Call a tool and see that the answer is right."""
        complaint = call.complaint(self.call(call))
        if complaint:
            raise ServerFailedError(complaint)


class HttpServer(Program):
    """A server program that runs, and its address."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], era: str) -> None:
        self.port = _free_port()
        self.era = era
        variables = {**environment, "BENCH_PORT": str(self.port)}
        super().__init__(command, variables, pipes=subprocess.DEVNULL)

    def connect(self) -> Client:
        """A connection on which nothing has been said yet, as soon as the server accepts one."""
        caller = Caller(self.era, f"{HOST}:{self.port}")
        while True:
            try:
                return Client(caller, self)
            except ConnectionRefusedError:
                if self._process.poll() is not None:
                    raise self.failure() from None
                time.sleep(RETRY_SECONDS)

    @contextmanager
    def clients(self, count: int) -> Iterator[list[Client]]:
        """So many clients, each with a connection and, where the era has them, a session."""
        # New ones for each sample: servers close connections that were idle between rounds.
        with ExitStack() as stack:
            clients = [stack.enter_context(self.connect()) for _ in range(count)]
            if self.era == SESSIONS:
                for client in clients:
                    client.open()
            yield clients
            for client in clients:
                client.close()

    def list_tools(self) -> int:
        """Ask for all tools, page after page, and return their number."""
        count = 0
        params: dict[str, Any] = {}
        with self.clients(1) as (client,):
            while True:
                result = client.ask("tools/list", params)["result"]
                count += len(result["tools"])
                if not result.get("nextCursor"):
                    return count
                params = {"cursor": result["nextCursor"]}

    def call_in_sequence(self, call: Call, seconds: float) -> SequentialRun:
        """Call one at a time for so long."""
        with self.clients(1) as (client,):
            calls = client.caller.calls(call, FIRST_ID, IDS_PER_CLIENT)
            try:
                times, answers = _time_calls(client, calls.frames, seconds)
            except ConnectionError:
                raise self.failure() from None
        check_answers(calls, answers)
        return SequentialRun(times)

    def call_at_once(self, call: Call, seconds: float, most: int = FOREVER) -> ConcurrentRun:
        """Call on many connections at once for so long, or until so many calls were made."""
        with self.clients(CONNECTIONS) as clients:
            prepared = [
                client.caller.calls(call, first, IDS_PER_CLIENT)
                for client, first in zip(clients, id_ranges(IDS_PER_CLIENT), strict=False)
            ]
            cpu = self.cpu_seconds()
            start = time.perf_counter()
            try:
                answers = _drive(clients, prepared, start + seconds, most)
            except ConnectionError:
                raise self.failure() from None
            elapsed = time.perf_counter() - start
            cpu = self.cpu_seconds() - cpu
        for calls, received in zip(prepared, answers, strict=True):
            check_answers(calls, received)
        return ConcurrentRun(sum(map(len, answers)), elapsed, cpu)

    def cpu_seconds(self) -> float:
        """The CPU time of the server and of the workers it has started."""
        return sum(cpu_seconds(pid) for pid in family(self.pid))


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as listener:
        return int(listener.getsockname()[1])


def _time_calls(
    client: Client, frames: Sequence[bytes], seconds: float
) -> tuple[list[int], list[bytes]]:
    """The nanoseconds of each call, and the answers."""
    # Straight to the system: beside a fast server, each call of a method would show.
    write, read, clock = os.write, os.read, time.perf_counter_ns
    target = client.descriptor
    times: list[int] = []
    answers: list[bytes] = []
    usual = now = 0
    end = clock() + int(seconds * 1e9)
    for frame in cycle(frames):
        start = clock()
        write(target, frame)
        answer = read(target, READ_SIZE)
        # Answers to one call are equally long, so the usual length tells that one is whole.
        if len(answer) != usual:
            answer = client.receive(answer)
            usual = len(answer)
        now = clock()
        times.append(now - start)
        answers.append(answer)
        if now > end:
            break
    return times, answers


def _drive(
    clients: Sequence[Client], prepared: Sequence[Calls], end: float, most: int
) -> list[list[bytes]]:
    """Keep one call in flight on each connection; what came back on each, in order."""
    write, read, clock = os.write, os.read, time.perf_counter
    answers: dict[int, list[bytes]] = {client.descriptor: [] for client in clients}
    parts = dict.fromkeys(answers, b"")
    following = {
        client.descriptor: cycle(calls.frames).__next__
        for client, calls in zip(clients, prepared, strict=True)
    }
    usual = 0
    in_flight = sent = len(clients)
    is_on = True
    with epoll() as events:
        for descriptor, next_frame in following.items():
            events.register(descriptor, EPOLLIN)
            write(descriptor, next_frame())
        while in_flight:
            for descriptor, _ in events.poll():
                answer = read(descriptor, READ_SIZE)
                if len(answer) != usual or parts[descriptor]:
                    whole = _joined(parts, descriptor, answer)
                    if whole is None:
                        continue
                    answer = whole
                    usual = len(answer)
                answers[descriptor].append(answer)
                if is_on:
                    write(descriptor, following[descriptor]())
                    sent += 1
                else:
                    in_flight -= 1
            is_on = is_on and sent < most and clock() < end
    return list(answers.values())


def _joined(parts: dict[int, bytes], descriptor: int, chunk: bytes) -> bytes | None:
    """What a connection has brought so far, once that is a whole answer."""
    if not chunk:
        raise ConnectionResetError
    raw = parts[descriptor] + chunk
    if not is_whole(raw):
        parts[descriptor] = raw
        return None
    parts[descriptor] = b""
    return raw
