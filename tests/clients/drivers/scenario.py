"""What every Python client does with the fixture server, and the report about it.

A client library is reached through an `Adapter`; everything that passes it is plain JSON as the
protocol has it. A report goes to standard output.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

Json = dict[str, Any]
OnProgress = Callable[[float, float | None, str | None], None]

PATIENCE = 30
NOTE = "fixture://note"
ROOT_URI = "file:///somewhere"
WISHES: dict[str, Json] = {
    "What would you like?": {
        "action": "accept",
        "content": {"dish": "soup", "count": 2, "size": "large"},
    },
    "Anything else?": {"action": "decline"},
}


class Heard:
    """Things that arrive by and by, and that can be waited for."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._arrival = asyncio.Event()

    def add(self, item: Any) -> None:
        """Take note of something."""
        self.items.append(item)
        self._arrival.set()

    async def reach(self, count: int) -> list[Any]:
        """All that was heard, once it is that many or nothing more is to be expected."""
        try:
            async with asyncio.timeout(PATIENCE):
                while len(self.items) < count:
                    self._arrival.clear()
                    await self._arrival.wait()
        except TimeoutError:
            pass
        return self.items


class Adapter(Protocol):
    """A connected client of some library."""

    logs: Heard
    changes: Heard
    questions: list[Json]

    def identity(self) -> Json:
        """What the client knows of the server: protocolVersion, serverInfo, instructions."""
        ...

    async def list(self, kind: str) -> Json:
        """List tools, prompts, resources or resource_templates."""
        ...

    async def call(self, name: str, arguments: Json, on_progress: OnProgress | None = None) -> Json:
        """Call a tool."""
        ...

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json:
        """Get a prompt."""
        ...

    async def read(self, uri: str) -> Json:
        """Read a resource."""
        ...

    async def complete(
        self, reference: Json, name: str, value: str, settled: dict[str, str] | None = None
    ) -> Json:
        """Ask for completions of an argument."""
        ...

    async def set_log_level(self, level: str) -> None:
        """Have log messages sent from a level on, where that is not part of the connection."""
        ...

    def watching(self, uri: str) -> AbstractAsyncContextManager[object]:
        """Hear of changes of the tools and of a resource."""
        ...

    async def cancel(self, call: asyncio.Task[Json]) -> None:
        """Give up on a call that has been sent."""
        ...


async def play(client: Adapter) -> Json:
    """Everything that a client can do with the fixture server."""
    return {
        "identity": client.identity(),
        **await _lists(client),
        **await _plain_calls(client),
        "progress": await _progress(client),
        "logs": await _logs(client),
        **await _asked_back(client),
        **await _prompts(client),
        **await _resources(client),
        "completions": await _completions(client),
        "changes": await _changes(client),
        "stopped": {name: await _stopped(client, name) for name in ("wait", "block")},
    }


async def greet(client: Adapter) -> Json:
    """The least that a client does: connect, and see what exists."""
    identity = client.identity()
    return {
        "identity": identity,
        "tools": await client.list("tools"),
        "ready": await client.call("ready", {}),
    }


def tell(report: Json) -> None:
    """Print the report."""
    sys.stdout.write(json.dumps(report) + "\n")


async def _lists(client: Adapter) -> Json:
    kinds = ("tools", "prompts", "resources", "resource_templates")
    return {kind: await client.list(kind) for kind in kinds}


async def _plain_calls(client: Adapter) -> Json:
    return {
        "echo": await client.call("echo", {"text": "two\nlines ☃"}),
        "measure": await client.call("measure", {"width": 2, "height": 3.5}),
        "refused": await client.call("measure", {"width": "wide", "height": 1}),
        "failed": await client.call("fail", {"reason": "no luck"}),
        "picture": await client.call("picture", {}),
        "unknown_tool": await _error_of(client.call("nothing", {})),
    }


async def _progress(client: Adapter) -> Json:
    """Progress is heard while the tool runs; some clients ignore it once they have the result."""
    heard = Heard()
    call = asyncio.create_task(client.call("count", {"to": 3}, lambda *step: heard.add(step)))
    steps = await heard.reach(3)
    await client.call("go_on", {})
    return {"steps": steps, "result": await call}


async def _logs(client: Adapter) -> Json:
    await client.set_log_level("info")
    result = await client.call("chatter", {})
    return {"heard": await client.logs.reach(2), "result": result}


async def _asked_back(client: Adapter) -> Json:
    return {
        "order": await client.call("order", {}),
        "haggle": await client.call("haggle", {}),
        "summarise": await client.call("summarise", {"text": "a long story"}),
        "places": await client.call("places", {}),
        "questions": client.questions,
    }


async def _prompts(client: Adapter) -> Json:
    return {
        "review": await client.get_prompt("review", {"language": "Python", "code": "1/0"}),
        "translate": await client.get_prompt("translate", {"language": "Latin"}),
        "no_language": await _error_of(client.get_prompt("translate", {})),
    }


async def _resources(client: Adapter) -> Json:
    return {
        "note": await client.read(NOTE),
        "pixel": await client.read("fixture://pixel"),
        "person": await client.read("fixture://people/ada"),
        "no_resource": await _error_of(client.read("fixture://nowhere")),
    }


async def _completions(client: Adapter) -> Json:
    review = {"type": "ref/prompt", "name": "review"}
    person = {"type": "ref/resource", "uri": "fixture://people/{name}"}
    return {
        "language": await client.complete(review, "language", "p"),
        "settled": await client.complete(review, "language", "p", {"expert": "yes"}),
        "name": await client.complete(person, "name", "a"),
    }


async def _changes(client: Adapter) -> Json:
    async with client.watching(NOTE):
        await client.call("grow", {"name": "grown"})
        await client.call("touch", {"uri": NOTE})
        heard = await client.changes.reach(2)
    return {"heard": heard, "tools": await client.list("tools")}


async def _stopped(client: Adapter, tool: str) -> Json:
    started = Heard()
    call = asyncio.create_task(client.call(tool, {}, lambda *step: started.add(step)))
    await started.reach(1)
    await client.cancel(call)
    return await client.call("has_stopped", {"tool": tool})


async def _error_of(answer: Awaitable[Json]) -> Json:
    try:
        return {"result": await answer}
    except Exception as error:  # noqa: BLE001 - each library has an exception of its own
        details: Any = getattr(error, "error", error)
        return {"code": getattr(details, "code", None), "message": str(details)}
