"""The client of the official Python SDK, 2.x: `python -m … legacy|auto play|greet COMMAND…|URL`."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types  # type: ignore[import-not-found]
from mcp import Client, StdioServerParameters  # type: ignore[import-not-found]

from tests.clients.drivers import scenario
from tests.clients.drivers.scenario import Heard, Json, OnProgress


class OfficialClient:
    """The SDK's `Client` as the scenario knows it."""

    def __init__(self, mode: str, command: list[str]) -> None:
        self.logs, self.changes = Heard(), Heard()
        self.questions: list[Json] = []
        self.client = Client(
            as_target(command),
            mode=mode,
            log_level="info",
            elicitation_callback=self._elicit,
            sampling_callback=self._sample,
            list_roots_callback=self._list_roots,
            logging_callback=self._log,
            message_handler=self._message,
        )

    @property
    def _is_legacy(self) -> bool:
        return bool(self.client.protocol_version < "2026")

    def identity(self) -> Json:
        """What the client knows of the server."""
        return {
            "protocolVersion": self.client.protocol_version,
            "serverInfo": plain(self.client.server_info),
            "instructions": self.client.instructions,
        }

    async def list(self, kind: str) -> Json:
        """List things of a kind."""
        return plain(await getattr(self.client, f"list_{kind}")())

    async def call(self, name: str, arguments: Json, on_progress: OnProgress | None = None) -> Json:
        """Call a tool."""
        callback = in_loop(on_progress) if on_progress else None
        return plain(await self.client.call_tool(name, arguments, progress_callback=callback))

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json:
        """Get a prompt."""
        return plain(await self.client.get_prompt(name, arguments))

    async def read(self, uri: str) -> Json:
        """Read a resource."""
        return plain(await self.client.read_resource(uri))

    async def complete(
        self, reference: Json, name: str, value: str, settled: dict[str, str] | None = None
    ) -> Json:
        """Ask for completions of an argument."""
        argument = {"name": name, "value": value}
        return plain(await self.client.complete(as_reference(reference), argument, settled))

    async def set_log_level(self, level: str) -> None:
        """A request of its own in the old era, part of every request in the new."""
        if self._is_legacy:
            await self.client.set_logging_level(level)

    @asynccontextmanager
    async def watching(self, uri: str) -> AsyncIterator[None]:
        """Hear of changes, in the way of the era."""
        if self._is_legacy:
            await self.client.subscribe_resource(uri)
            yield
            await self.client.unsubscribe_resource(uri)
            return
        async with self.client.listen(
            tools_list_changed=True, resource_subscriptions=[uri]
        ) as subscription:
            listener = asyncio.create_task(note_events(subscription, self.changes))
            yield
            listener.cancel()

    async def cancel(self, call: asyncio.Task[Json]) -> None:
        """The SDK tells the server when its caller gives up."""
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call

    async def _elicit(self, _context: object, params: Any) -> Any:
        self.questions.append(plain(params))
        return types.ElicitResult.model_validate(scenario.WISHES[params.message])

    async def _sample(self, _context: object, params: Any) -> Any:
        self.questions.append(plain(params))
        content = types.TextContent(type="text", text="it was long")
        return types.CreateMessageResult(role="assistant", content=content, model="parrot")

    async def _list_roots(self, _context: object) -> Any:
        return types.ListRootsResult.model_validate({"roots": [{"uri": scenario.ROOT_URI}]})

    async def _log(self, params: Any) -> None:
        self.logs.add(plain(params))

    async def _message(self, message: Any) -> None:
        method = getattr(message, "method", "")
        if self._is_legacy and method.endswith(("list_changed", "updated")):
            self.changes.add(method.removeprefix("notifications/"))


EVENTS = {
    "ToolsListChanged": "tools/list_changed",
    "ResourceUpdated": "resources/updated",
}


def as_target(command: list[str]) -> Any:
    """A server as the SDK wants it: a command to run, or a URL."""
    if command[0].startswith("http://"):
        return command[0]
    return StdioServerParameters(command=command[0], args=command[1:])


def plain(model: Any) -> Json:
    """A model as the protocol writes it."""
    found: Json = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return found


def in_loop(on_progress: OnProgress) -> Any:
    """A progress callback as the SDK wants it."""

    async def callback(progress: float, total: float | None, message: str | None) -> None:
        on_progress(progress, total, message)

    return callback


def as_reference(reference: Json) -> Any:
    """What an argument belongs to, as the SDK wants it."""
    kind = types.PromptReference if "name" in reference else types.ResourceTemplateReference
    return kind.model_validate(reference)


async def note_events(subscription: Any, changes: Heard) -> None:
    """Take note of what a subscription brings."""
    async for event in subscription:
        changes.add(EVENTS[type(event).__name__])


async def main(mode: str, action: str, *command: str) -> None:
    """Connect, act, and report."""
    adapter = OfficialClient(mode, list(command))
    async with adapter.client:
        scenario.tell(await getattr(scenario, action)(adapter))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
