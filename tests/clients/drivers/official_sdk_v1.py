"""The client of the official Python SDK, 1.x: `python -m … legacy play|greet COMMAND…|URL`."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import ClientSession, StdioServerParameters, types  # type: ignore[import-not-found]
from mcp.client.stdio import stdio_client  # type: ignore[import-not-found]
from mcp.client.streamable_http import (  # type: ignore[import-not-found]
    streamable_http_client,
)

from tests.clients.drivers import scenario
from tests.clients.drivers.scenario import Heard, Json, OnProgress


class OfficialSession:
    """The SDK's `ClientSession` as the scenario knows it."""

    def __init__(self) -> None:
        self.logs, self.changes = Heard(), Heard()
        self.questions: list[Json] = []
        self.session: Any = None
        self.welcome: Any = None

    @asynccontextmanager
    async def connected(self, command: list[str]) -> AsyncIterator[None]:
        """Be connected to a server."""
        async with reach(command) as streams, self._open(streams[:2]) as self.session:
            self.welcome = await self.session.initialize()
            yield

    def _open(self, streams: Any) -> Any:
        return ClientSession(
            *streams,
            elicitation_callback=self._elicit,
            sampling_callback=self._sample,
            list_roots_callback=self._list_roots,
            logging_callback=self._log,
            message_handler=self._message,
        )

    def identity(self) -> Json:
        """What the client knows of the server."""
        found = plain(self.welcome)
        return {key: found[key] for key in ("protocolVersion", "serverInfo", "instructions")}

    async def list(self, kind: str) -> Json:
        """List things of a kind."""
        return plain(await getattr(self.session, f"list_{kind}")())

    async def call(self, name: str, arguments: Json, on_progress: OnProgress | None = None) -> Json:
        """Call a tool."""

        async def callback(progress: float, total: float | None, message: str | None) -> None:
            if on_progress:
                on_progress(progress, total, message)

        return plain(await self.session.call_tool(name, arguments, progress_callback=callback))

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json:
        """Get a prompt."""
        return plain(await self.session.get_prompt(name, arguments))

    async def read(self, uri: str) -> Json:
        """Read a resource."""
        return plain(await self.session.read_resource(uri))

    async def complete(
        self, reference: Json, name: str, value: str, settled: dict[str, str] | None = None
    ) -> Json:
        """Ask for completions of an argument."""
        kind = types.PromptReference if "name" in reference else types.ResourceTemplateReference
        argument = {"name": name, "value": value}
        return plain(await self.session.complete(kind(**reference), argument, settled))

    async def set_log_level(self, level: str) -> None:
        """Have log messages sent from a level on."""
        await self.session.set_logging_level(level)

    @asynccontextmanager
    async def watching(self, uri: str) -> AsyncIterator[None]:
        """Hear of changes."""
        await self.session.subscribe_resource(uri)
        yield
        await self.session.unsubscribe_resource(uri)

    async def cancel(self, call: asyncio.Task[Json]) -> None:
        """Tell the server by hand: this SDK does not do so when its caller gives up."""
        latest = self.session._request_id - 1  # noqa: SLF001 - there is no other way to know it
        params = types.CancelledNotificationParams(requestId=latest)
        notification = types.CancelledNotification(params=params)
        await self.session.send_notification(types.ClientNotification(notification))
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
        method = getattr(getattr(message, "root", None), "method", "")
        if method.endswith(("list_changed", "updated")):
            self.changes.add(method.removeprefix("notifications/"))


def reach(command: list[str]) -> Any:
    """The streams to a server: a command to run, or a URL."""
    if command[0].startswith("http://"):
        return streamable_http_client(command[0])
    return stdio_client(StdioServerParameters(command=command[0], args=command[1:]))


def plain(model: Any) -> Json:
    """A model as the protocol writes it."""
    found: Json = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return found


async def main(_mode: str, action: str, *command: str) -> None:
    """Connect, act, and report."""
    adapter = OfficialSession()
    async with adapter.connected(list(command)):
        scenario.tell(await getattr(scenario, action)(adapter))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
