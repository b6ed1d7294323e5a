"""The FastMCP client: `python -m … legacy|auto play|greet COMMAND…|URL`."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastmcp import Client  # type: ignore[import-not-found]
from fastmcp.client.elicitation import ElicitResult  # type: ignore[import-not-found]
from fastmcp.client.transports import (  # type: ignore[import-not-found]
    StdioTransport,
    StreamableHttpTransport,
)
from mcp.client.subscriptions import listen  # type: ignore[import-not-found]

from tests.clients.drivers import scenario
from tests.clients.drivers.official_sdk import as_reference, in_loop, note_events, plain
from tests.clients.drivers.scenario import Heard, Json, OnProgress


class FastmcpClient:
    """FastMCP's `Client` as the scenario knows it."""

    def __init__(self, mode: str, command: list[str]) -> None:
        self.logs, self.changes = Heard(), Heard()
        self.questions: list[Json] = []
        self.client = Client(
            as_transport(command),
            mode=mode,
            elicitation_handler=self._elicit,
            sampling_handler=self._sample,
            roots=[scenario.ROOT_URI],
            log_handler=self._log,
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
        return plain(await getattr(self.client, f"list_{kind}_mcp")())

    async def call(self, name: str, arguments: Json, on_progress: OnProgress | None = None) -> Json:
        """Call a tool."""
        handler = in_loop(on_progress) if on_progress else None
        return plain(await self.client.call_tool_mcp(name, arguments, progress_handler=handler))

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json:
        """Get a prompt."""
        return plain(await self.client.get_prompt_mcp(name, arguments))

    async def read(self, uri: str) -> Json:
        """Read a resource."""
        return plain(await self.client.read_resource_mcp(uri))

    async def complete(
        self, reference: Json, name: str, value: str, settled: dict[str, str] | None = None
    ) -> Json:
        """Ask for completions of an argument."""
        argument = {"name": name, "value": value}
        return plain(await self.client.complete_mcp(as_reference(reference), argument, settled))

    async def set_log_level(self, level: str) -> None:
        """A request of its own in the old era; in the new one FastMCP always asks for all."""
        if self._is_legacy:
            await self.client.set_logging_level(level)

    @asynccontextmanager
    async def watching(self, uri: str) -> AsyncIterator[None]:
        """Hear of changes, in the way of the era, by the SDK that FastMCP is on."""
        session = self.client.session
        if self._is_legacy:
            await session.subscribe_resource(uri)
            yield
            await session.unsubscribe_resource(uri)
            return
        async with listen(
            session, tools_list_changed=True, resource_subscriptions=[uri]
        ) as subscription:
            listener = asyncio.create_task(note_events(subscription, self.changes))
            yield
            listener.cancel()

    async def cancel(self, call: asyncio.Task[Json]) -> None:
        """FastMCP tells the server when its caller gives up."""
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call

    async def _elicit(self, message: str, _form: object, params: Any, _context: object) -> Any:
        self.questions.append(plain(params))
        return ElicitResult(**scenario.WISHES[message])

    async def _sample(self, _messages: object, params: Any, _context: object) -> str:
        self.questions.append(plain(params))
        return "it was long"

    async def _log(self, params: Any) -> None:
        self.logs.add(plain(params))

    async def _message(self, message: Any) -> None:
        method = getattr(message, "method", "")
        if self._is_legacy and method.endswith(("list_changed", "updated")):
            self.changes.add(method.removeprefix("notifications/"))


def as_transport(command: list[str]) -> Any:
    """A server as FastMCP wants it: a command to run, or a URL."""
    if command[0].startswith("http://"):
        return StreamableHttpTransport(command[0])
    return StdioTransport(command[0], command[1:], keep_alive=False)


async def main(mode: str, action: str, *command: str) -> None:
    """Connect, act, and report."""
    adapter = FastmcpClient(mode, list(command))
    async with adapter.client:
        scenario.tell(await getattr(scenario, action)(adapter))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
