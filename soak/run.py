"""One run: warm up, load everything at once, let it settle, and end it under load."""

import asyncio
import signal
import sys
import time
from collections.abc import Coroutine
from typing import Any

from soak import misfits
from soak.clients import (
    Client,
    caller,
    canceller,
    census,
    check_result,
    eras,
    expect,
    listener,
    task_owner,
)
from soak.ledger import Ledger
from soak.messages import SESSION, STATELESS, Json, fresh_id
from soak.plan import Plan
from soak.process import ServerProcess
from soak.wire import CutError, Line, WrongAnswerError

SAMPLE_SECONDS = 0.2
SETTLE_SECONDS = 60
END_SECONDS = 20.0
"""The time to drain, and a margin for a machine that is busy."""
WORKERS = 64
"""Threads for handlers, which are made when they are needed and then kept."""
PIPE = 2
"""Descriptors of the thread that runs quick handlers, which comes and goes."""

HALVES = (0, 3, 40, -5)
"""Where half-open requests stop."""

Figures = dict[str, str]


class Run:
    """A server, the load on it, and what was found."""

    def __init__(self, server: ServerProcess, plan: Plan, carrier: str = "own") -> None:
        self.server = server
        # Other HTTP servers have no time limits for heads that do not come and answers that
        # nobody reads, and end by the signal that they were sent.
        self._is_own = carrier == "own"
        self.plan = plan if self._is_own else plan._replace(never_reading=0)
        self.ledger = Ledger()
        self.figures: Figures = {}
        self._samples: list[int] = []
        self._names = 0

    async def whole(self) -> None:
        """All phases in order."""
        server, plan = self.server, self.plan
        _say("warming up")
        await self._together(self._callers(plan.clients, plan.clients * 20))
        await self._weigh_sessions()
        await self._together(self._others(_a_little(plan)))
        await self._settle("warm-up")
        start_fds, start_threads = await self._descriptors(0), server.threads()
        warm = server.resident_kb()
        await self._load("first half")
        half = server.resident_kb()
        await self._load("second half")
        settled, end_fds = server.resident_kb(), await self._descriptors(start_fds)
        self.figures |= {
            "memory after the warm-up": _mb(warm),
            "memory after the first half": _mb(half),
            "memory after the second half": _mb(settled),
            "memory at its highest": _mb(max(self._samples)),
            "descriptors, before and after": f"{start_fds} {end_fds}",
            "threads, before and after": f"{start_threads} {server.threads()}",
        }
        require = self.ledger.require
        require(settled - half < plan.growth_mb * 1024, f"memory grew by {_mb(settled - half)}")
        require(max(self._samples) < plan.peak_mb * 1024, f"memory: {_mb(max(self._samples))}")
        require(end_fds <= start_fds + PIPE, "descriptors stayed open")
        require(server.threads() <= start_threads + WORKERS, "threads stayed")
        await self._end_under_load()

    async def _load(self, phase: str) -> None:
        """Half of the calls, and everything else at the same time."""
        _say(f"load, {phase}")
        plan = self.plan
        calls = plan.calls // 2
        roles = self._callers(plan.clients, calls) + self._others(plan)
        roles += [
            misfits.session_leaver(self._client(SESSION), plan.sessions // 20) for _ in range(10)
        ]
        began = time.monotonic()
        sampling = asyncio.ensure_future(self._sample())
        answered = self.ledger.counts["calls answered"]
        callers = roles[: plan.clients]
        calling = asyncio.ensure_future(self._together(callers))
        await self._together(roles[plan.clients :])
        took_others = time.monotonic() - began
        took_calls = await calling or time.monotonic() - began
        sampling.cancel()
        answered = self.ledger.counts["calls answered"] - answered
        self.ledger.require(answered == calls // plan.clients * plan.clients, "calls are lost")
        self.figures[f"calls per second, {phase}"] = f"{answered / took_calls:,.0f}"
        self.figures[f"all else, {phase}"] = f"{took_others:.1f} s"
        await self._settle(phase)

    async def _weigh_sessions(self) -> None:
        """Open sessions and leave them; what each of them costs."""
        before = self.server.resident_kb()
        share = self.plan.sessions // 10
        await self._together(
            [misfits.session_leaver(self._client(SESSION), share) for _ in range(10)]
        )
        grown = self.server.resident_kb() - before
        held = (await census(self.server.port))["Session"]
        self.figures["idle sessions, and KB for each"] = f"{held} {grown / max(held, 1):.1f}"

    def _callers(self, clients: int, calls: int) -> list[Coroutine[Any, Any, None]]:
        in_turn = eras()
        return [caller(self._client(next(in_turn)), calls // clients) for _ in range(clients)]

    def _others(self, plan: Plan) -> list[Coroutine[Any, Any, None]]:
        era = eras()
        roles = [
            canceller(self._client(next(era)), plan.cancellations) for _ in range(plan.cancellers)
        ]
        roles += [listener(self._client(next(era)), plan.changes) for _ in range(plan.listeners)]
        roles += [task_owner(self._client(next(era)), plan.tasks) for _ in range(plan.task_owners)]
        roles += [misfits.slow_reader(self._client(next(era)), 2) for _ in range(plan.slow_readers)]
        roles += [misfits.drowning_reader(self._client(STATELESS), 1) for _ in range(plan.drowning)]
        roles += [
            misfits.never_reading(self._client(STATELESS), 1) for _ in range(plan.never_reading)
        ]
        roles += [
            misfits.vanisher(self._client(next(era)), plan.departures, seed)
            for seed in range(plan.vanishers)
        ]
        cuts = HALVES if self._is_own else HALVES[-1:]
        roles += [
            misfits.half_open(self._client(STATELESS), cuts[number % len(cuts)])
            for number in range(plan.half_open)
        ]
        roles += [
            misfits.resumer(self._client(SESSION), plan.resumptions) for _ in range(plan.resumers)
        ]
        return roles

    def _client(self, era: str) -> Client:
        self._names += 1
        return Client(self.server.port, self.ledger, f"client-{self._names}", era)

    async def _together(self, roles: list[Coroutine[Any, Any, None]]) -> float:
        """Play roles at the same time; seconds that it took."""
        began = time.monotonic()
        for outcome in await asyncio.gather(*roles, return_exceptions=True):
            if isinstance(outcome, BaseException):
                self.ledger.broken(f"{type(outcome).__name__}: {outcome}")
        return time.monotonic() - began

    async def _sample(self) -> None:
        while True:
            self._samples.append(self.server.resident_kb())
            await asyncio.sleep(SAMPLE_SECONDS)

    async def _settle(self, phase: str) -> None:
        """Wait until the server holds nothing of clients that are gone."""
        _say("settling")
        left: dict[str, int] = {}
        for _ in range(SETTLE_SECONDS * 2):
            counts = await census(self.server.port)
            left = {name: n for name, n in counts.items() if n > _OF_THE_CENSUS.get(name, 0)}
            if not left:
                return
            await asyncio.sleep(0.5)
        self.ledger.broken(f"after the {phase} there are still {left}")

    async def _descriptors(self, expected: int) -> int:
        """How many stay open, once those of the last clients had time to close."""
        fewest = self.server.descriptors()
        for _ in range(20):
            if fewest <= expected:
                break
            await asyncio.sleep(0.1)
            fewest = min(fewest, self.server.descriptors())
        return fewest

    async def _end_under_load(self) -> None:
        """Ask the server to end while everybody calls it."""
        _say("ending under load")
        ending = asyncio.Event()
        in_turn = eras()
        naps = self.plan.clients // 4
        napping = [self._nap(self._client(next(in_turn))) for _ in range(naps)]
        calling = [
            self._call_until_cut(self._client(next(in_turn)), ending)
            for _ in range(self.plan.clients // 2)
        ]
        listening = [self._listen_until_end(self._client(STATELESS)) for _ in range(10)]
        load = asyncio.ensure_future(self._together(napping + calling + listening))
        for _ in range(SETTLE_SECONDS * 10):
            if self.ledger.counts["calls under way at the end"] == naps:
                break
            await asyncio.sleep(0.1)
        await asyncio.sleep(1)  # the time in which the server reads them all
        ending.set()
        began = time.monotonic()
        self.server.terminate()
        try:
            code = await self.server.ended(END_SECONDS)
        except TimeoutError:
            self.ledger.broken(f"the server has not ended within {END_SECONDS:g} s")
            await self.server.kill()
            return
        self.figures["seconds from SIGTERM to the end"] = f"{time.monotonic() - began:.2f}"
        await load
        expected = (0,) if self._is_own else (0, -signal.SIGTERM)
        self.ledger.require(code in expected, f"exit code {code}")
        said = self.server.said.strip().splitlines()[1:]
        wrong = said if self._is_own else [line for line in said if "Traceback" in line]
        self.ledger.require(not wrong, "it said: " + "\n".join(said[:40]))

    async def _nap(self, client: Client) -> None:
        """A call that the end of the server comes upon: it is answered all the same."""
        line, token, request_id = await client.connected(), client.token(), fresh_id()
        arguments = {"token": token, "seconds": 4}
        await line.send(client.voice.call("nap", arguments, request_id=request_id))
        self.ledger.count("calls under way at the end")
        answer = await line.answer()
        expect(answer.messages[-1].get("id") == request_id, answer)
        check_result(answer, {"token": token, "next": 1})
        self.ledger.count("calls under way at the end, answered")

    async def _call_until_cut(self, client: Client, ending: asyncio.Event) -> None:
        """Call until the server hangs up, which it may do only once it was told to end."""
        try:
            while True:
                await client.check_call("plain", 1)
        except (CutError, OSError) as error:
            self.ledger.require(ending.is_set(), f"cut too early: {error}")
            self.ledger.count("callers that saw the end")

    async def _listen_until_end(self, client: Client) -> None:
        line = await Line.open(client.port)
        params: Json = {"notifications": {"resourceSubscriptions": ["soak://end"]}}
        request_id = fresh_id()
        listen = client.voice.request("subscriptions/listen", params, request_id=request_id)
        try:
            answer = await line.ask(listen)
        except CutError:
            if self._is_own:
                raise
            self.ledger.count("listeners cut off at the end")
            return
        if answer.messages[-1].get("id") != request_id:
            raise WrongAnswerError(f"a listener was not told of the end: {answer}")
        self.ledger.count("listeners told of the end")


_OF_THE_CENSUS = {"Exchange": 1, "Wire": 1, "Outbox": 1, "Request": 1}


def _a_little(plan: Plan) -> Plan:
    return plan._replace(cancellations=4, changes=4, tasks=4, departures=5, resumptions=2)


def _say(phase: str) -> None:
    print(phase, file=sys.stderr, flush=True)


def _mb(kilobytes: float) -> str:
    return f"{kilobytes / 1024:.0f} MB"
