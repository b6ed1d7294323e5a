"""A raw HTTP client that trusts nothing: bytes out, bytes in, each of them accounted for."""

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

PATIENCE = 60.0
"""Seconds without a byte after which a server counts as hanging."""

Json = dict[str, Any]


class WrongAnswerError(Exception):
    """The server broke a rule."""


class CutError(Exception):
    """The connection ended before the answer did."""


class Head(NamedTuple):
    """The beginning of an answer."""

    status: int
    headers: dict[str, str]

    @property
    def is_stream(self) -> bool:
        """Whether events follow."""
        return self.headers.get("content-type") == "text/event-stream"


class Answer(NamedTuple):
    """A whole answer: its messages in order, however they came."""

    status: int
    headers: dict[str, str]
    messages: list[Json]


class Line:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._ahead = b""

    @classmethod
    async def open(cls, port: int, *, receive_buffer: int | None = None) -> "Line":
        """Connect; with a small buffer the server feels at once when nobody reads."""
        raw = socket.socket()
        raw.setblocking(False)
        if receive_buffer is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        loop = asyncio.get_running_loop()
        try:
            await asyncio.wait_for(loop.sock_connect(raw, ("127.0.0.1", port)), PATIENCE)
            limit = 2**16 if receive_buffer is None else max(1024, receive_buffer // 2)
            reader, writer = await asyncio.open_connection(sock=raw, limit=limit)
        except BaseException:
            raw.close()
            raise
        return cls(reader, writer)

    async def send(self, data: bytes) -> None:
        """Send bytes."""
        self._writer.write(data)
        try:
            await self._writer.drain()
        except ConnectionError as error:
            raise CutError(str(error)) from None

    async def ask(self, request: bytes) -> Answer:
        """Send a request and read all of the answer."""
        await self.send(request)
        return await self.answer()

    async def answer(self) -> Answer:
        """Read all of an answer."""
        return await self.rest(await self.head())

    async def rest(self, head: Head) -> Answer:
        """Read what follows the head of an answer."""
        if head.is_stream:
            return Answer(*head, [message async for message in self.events(head)])
        body = await self.read(int(head.headers.get("content-length", "0")))
        return Answer(*head, [_decoded(body)] if body else [])

    async def head(self) -> Head:
        """Read the status line and the headers of an answer."""
        text = (await self._until(b"\r\n\r\n")).decode("latin-1")
        status_line, *lines = text.split("\r\n")[:-2]
        version, status, *_ = status_line.split(" ", 2)
        if version != "HTTP/1.1" or not status.isdigit():
            raise WrongAnswerError(f"{status_line!r} is no status line")
        pairs = [line.partition(":") for line in lines]
        return Head(int(status), {name.lower(): value.strip() for name, _, value in pairs})

    async def events(self, head: Head) -> AsyncIterator[Json]:
        """The messages of a stream, until its end."""
        async for _, message in self.numbered(head):
            if message is not None:
                yield message

    async def numbered(self, head: Head) -> AsyncIterator[tuple[str, Json | None]]:
        """The events of a stream, until its end: their ids and messages, where they have any."""
        buffer = b""
        async for chunk in self.chunks(head):
            *events, buffer = (buffer + chunk).split(b"\n\n")
            for event in events:
                fields = dict(line.split(b": ", 1) for line in event.split(b"\n"))
                data = fields.get(b"data", b"")
                yield fields.get(b"id", b"").decode(), _decoded(data) if data else None
        if buffer:
            raise WrongAnswerError(f"The stream ends within an event: {buffer[:80]!r}")

    async def chunks(self, head: Head) -> AsyncIterator[bytes]:
        """The parts of a body of unknown length."""
        if head.headers.get("content-length") == "0":
            return
        if head.headers.get("transfer-encoding") != "chunked":
            raise WrongAnswerError(f"A stream without chunks: {head.headers}")
        while True:
            size = int(await self._until(b"\r\n"), 16)
            chunk = await self.read(size + 2)
            if chunk[-2:] != b"\r\n":
                raise WrongAnswerError(f"A chunk of {size} bytes ends with {chunk[-2:]!r}")
            if not size:
                return
            yield chunk[:-2]

    async def read(self, size: int) -> bytes:
        """Exactly this many bytes."""
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        try:
            async with asyncio.timeout(PATIENCE):
                return ahead + await self._reader.readexactly(size - len(ahead))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise CutError(str(error)) from None
        except TimeoutError:
            raise WrongAnswerError(f"Nothing came for {PATIENCE:g} s") from None

    def put_back(self, data: bytes) -> None:
        """Have bytes read again."""
        self._ahead = data + self._ahead

    async def end(self, seconds: float) -> bytes:
        """What comes until the server hangs up."""
        try:
            return await asyncio.wait_for(self._reader.read(-1), seconds)
        except ConnectionError:
            return b""
        except TimeoutError:
            raise WrongAnswerError(f"The server has not hung up within {seconds:g} s") from None

    def close(self) -> None:
        """Leave in good order."""
        self._writer.close()

    def reset(self) -> None:
        """Vanish: the server gets a reset instead of an end."""
        raw = self._writer.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def _until(self, mark: bytes) -> bytes:
        if self._ahead:
            found = bytearray()
            while not found.endswith(mark):
                found += await self.read(1)
            return bytes(found)
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._reader.readuntil(mark)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise CutError(str(error)) from None
        except TimeoutError:
            raise WrongAnswerError(f"Nothing came for {PATIENCE:g} s") from None


def _decoded(body: bytes) -> Json:
    try:
        message = json.loads(body)
    except ValueError:
        raise WrongAnswerError(f"{body[:200]!r} is no JSON") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise WrongAnswerError(f"{body[:200]!r} is no JSON-RPC message")
    return message
