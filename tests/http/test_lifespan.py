"""The lifespan of a server behind HTTP is entered once per process, on every carrier."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest

from paddock import Context, Server, http_app
from tests.http.endpoint import call
from tests.http.hosting import PADDOCK, UVICORN, Host, UvicornCarrier


def opened(*, is_async: bool) -> tuple[Server, list[str]]:
    """A server with a lifespan, and what happens in it."""
    story: list[str] = []

    @contextmanager
    def plain(_server: Server) -> Iterator[dict[str, int]]:
        story.append("begin")
        yield {"calls": 0}
        story.append("end")

    @asynccontextmanager
    async def awaited(_server: Server) -> AsyncIterator[dict[str, int]]:
        story.append("begin")
        yield {"calls": 0}
        story.append("end")

    server = Server("s", lifespan=awaited if is_async else plain)

    @server.tool
    def count(ctx: Context) -> int:
        """Count the calls."""
        ctx.state["calls"] += 1
        calls: int = ctx.state["calls"]
        return calls

    return server, story


@pytest.mark.parametrize("is_async", [False, True])
def test_it_is_entered_once_and_shared_by_all_clients(
    host: Host, on: str, *, is_async: bool
) -> None:
    server, story = opened(is_async=is_async)
    endpoint = host(server, on)
    assert endpoint.text(call("count")) == "1"
    assert endpoint.initialize().text("count") == "2"
    assert endpoint.initialize().text("count") == "3"
    assert endpoint.text(call("count")) == "4"
    assert story == ["begin"]
    host.stop()
    assert story == ["begin", "end"]


def test_it_is_entered_with_the_first_request_where_no_one_passes_it_on(host: Host) -> None:
    server, story = opened(is_async=True)
    endpoint = host.run(UvicornCarrier(http_app(server), lifespan="off"))
    assert story == []
    assert endpoint.text(call("count")) == "1"
    assert endpoint.text(call("count")) == "2"
    assert story == ["begin"]


@pytest.mark.parametrize("on", [PADDOCK, UVICORN])
def test_it_is_left_after_what_was_under_way(host: Host, on: str) -> None:
    server, story = opened(is_async=False)

    @server.tool
    async def finish(ctx: Context) -> str:
        """Answer while the server ends."""
        ctx.server.stop()
        return ",".join(story)

    assert host(server, on).text(call("finish")) == "begin"
    host.stop()
    assert story == ["begin", "end"]


def test_a_lifespan_that_fails_is_stated_before_anything_is_served() -> None:
    @contextmanager
    def broken(_server: Server) -> Iterator[None]:
        raise OSError("no database")
        yield

    with pytest.raises(OSError, match="no database"):
        Server("s", lifespan=broken).run(http="127.0.0.1:0")
