"""The raw client: starts a server program and speaks newline-delimited JSON-RPC over its pipes."""

import json
import os
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.messages import FIRST_ID, INITIALIZE, INITIALIZED, Block, Call, request
from benchmarks.processes import cpu_seconds
from benchmarks.program import Program, ServerFailedError

READ_SIZE = 65536
LARGE_READ_SIZE = 1 << 20
NEWLINE = 10
WINDOW = 64
_ID = re.compile(rb'"id":\s*(\d{7})\b')


@dataclass(frozen=True)
class SequentialRun:
    """Calls made one at a time."""

    nanoseconds: list[int]
    cpu_seconds: float


@dataclass(frozen=True)
class WindowedRun:
    """Calls made with many in flight."""

    calls: int
    seconds: float

    @property
    def rate(self) -> float:
        """Calls per second."""
        return self.calls / self.seconds


class Connection(Program):
    """A server program that runs, and the pipes to it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        super().__init__(command, environment)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()

    def _ask_to_end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()

    def send(self, data: bytes | memoryview) -> None:
        """Write all of the data to the server."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._input, rest) :]
        except BrokenPipeError:
            raise self.failure() from None

    def receive(self) -> bytes:
        """Read until the server ends a line."""
        chunk = self._read()
        if chunk.endswith(b"\n"):
            return chunk
        chunks = [chunk]
        while not chunk.endswith(b"\n"):
            chunk = self._read()
            chunks.append(chunk)
        return b"".join(chunks)

    def _read(self) -> bytes:
        chunk = os.read(self._output, READ_SIZE)
        if not chunk:
            raise self.failure()
        return chunk

    def initialize(self) -> None:
        """Shake hands in the era of 2025-11-25."""
        self.send(INITIALIZE)
        self.receive()
        self.send(INITIALIZED)

    def ask(self, frame: bytes, message_id: int) -> dict[str, Any]:
        """Send a request and return its answer, past any notification."""
        self.send(frame)
        while True:
            for line in self.receive().splitlines():
                message: dict[str, Any] = json.loads(line)
                if message.get("id") == message_id:
                    return message

    def check(self, call: Call) -> None:
        """Make a call and see that the answer is right."""
        check_answer(call, self.ask(call.encode(), FIRST_ID))

    def list_tools(self) -> tuple[int, float]:
        """Ask for all tools, page after page: their number, and the seconds without parsing."""
        count, seconds = 0, 0.0
        params: dict[str, Any] = {}
        while True:
            frame = request(FIRST_ID, "tools/list", params)
            start = time.perf_counter()
            self.send(frame)
            answer = self.receive()
            seconds += time.perf_counter() - start
            result = json.loads(answer).get("result")
            if not result:
                raise ServerFailedError(f"tools/list answered {answer[:200]!r}")
            count += len(result["tools"])
            if not result.get("nextCursor"):
                return count, seconds
            params = {"cursor": result["nextCursor"]}

    def time_exchange(self, frame: bytes) -> float:
        """The seconds from a request to the end of its answer, which is thrown away unread."""
        buffer = bytearray(LARGE_READ_SIZE)
        start = time.perf_counter()
        self.send(frame)
        while True:
            size = os.readv(self._output, [buffer])
            if size == 0:
                raise self.failure()
            if buffer[size - 1] == NEWLINE:
                return time.perf_counter() - start

    def call_in_sequence(self, block: Block, seconds: float) -> SequentialRun:
        """Call one at a time for so long."""
        cpu = cpu_seconds(self.pid)
        try:
            times, answer = self._time_calls(block.each, seconds)
        except BrokenPipeError:
            raise self.failure() from None
        cpu = cpu_seconds(self.pid) - cpu
        _check_answers(block.call, answer, {FIRST_ID + (len(times) - 1) % block.size: 1})
        return SequentialRun(times, cpu)

    def _time_calls(self, frames: Sequence[bytes], seconds: float) -> tuple[list[int], bytes]:
        """The nanoseconds of each call, and the last answer."""
        # Straight to the system: beside a fast server, each call of a method would show.
        write, read, clock = os.write, os.read, time.perf_counter_ns
        target, source, size = self._input, self._output, len(frames)
        times: list[int] = []
        end = clock() + int(seconds * 1e9)
        now = 0
        while now < end:
            frame = frames[len(times) % size]
            start = clock()
            write(target, frame)
            answer = read(source, READ_SIZE)
            now = clock()
            if not answer.endswith(b"\n"):
                answer += self.receive()
                now = clock()
            times.append(now - start)
        return times, answer

    def call_in_window(self, block: Block, count: int) -> WindowedRun:
        """Make so many calls with a window of them in flight."""
        send, read = self.send, self._read
        chunks: list[bytes] = []
        sent = answered = 0
        start = time.perf_counter()
        while answered < count:
            while sent < count and sent - answered < WINDOW:
                frames = block.frames(sent, min(WINDOW - (sent - answered), count - sent))
                send(frames)
                sent += block.count(frames)
            chunk = read()
            chunks.append(chunk)
            answered += chunk.count(b"\n")
        seconds = time.perf_counter() - start
        whole, part = divmod(count, block.size)
        expected = {FIRST_ID + i: whole + (i < part) for i in range(min(count, block.size))}
        _check_answers(block.call, b"".join(chunks), expected)
        return WindowedRun(count, seconds)


def check_answer(call: Call, answer: dict[str, Any]) -> None:
    """See that an answer is the right one to a call."""
    complaint = call.complaint(answer)
    if complaint:
        raise ServerFailedError(complaint)


def _check_answers(call: Call, answers: bytes, expected: Mapping[int, int]) -> None:
    """See that each id was answered as often as it was asked, and the ends are right."""
    found = Counter(int(message_id) for message_id in _ID.findall(answers))
    if found != Counter(expected):
        raise ServerFailedError(f"{call.tool}: answers do not match the requests")
    lines = answers.splitlines()
    for line in (lines[0], lines[-1]):
        check_answer(call, json.loads(line))
    if re.search(rb'"isError":\s*true|"error":\s*\{', answers):
        raise ServerFailedError(f"{call.tool}: some answers are errors")
