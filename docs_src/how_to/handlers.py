import asyncio
import threading

from paddock import Context, Server

server = Server("handlers", version="1.0")
stopped = threading.Event()


# region: kinds
@server.tool
def plain(text: str) -> str:
    """Runs in a thread; may block."""
    return text.upper()


@server.tool
async def asynchronous(text: str) -> str:
    """Runs on the event loop; awaits slow operations."""
    await asyncio.sleep(0)
    return text.upper()


@server.tool(inline=True)
def inline(text: str) -> str:
    """Runs in the thread that reads messages; must never block."""
    return text.upper()


# endregion


# region: cancel
@server.tool
async def wait_forever(ctx: Context) -> str:
    """Waits until the client cancels."""
    try:
        ctx.info("waiting")
        await asyncio.Event().wait()
    finally:
        stopped.set()
    return "never"


@server.tool
def count_forever(ctx: Context) -> str:
    """Counts until the client cancels."""
    number = 0
    try:
        ctx.info("counting")
        while True:
            number += 1
    finally:
        stopped.set()


# endregion

if __name__ == "__main__":
    server.run()
