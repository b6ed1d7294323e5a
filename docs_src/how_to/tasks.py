import asyncio

from paddock import Context, Server

server = Server("archive")


@server.tool(task="optional")
async def index(folder: str, ctx: Context) -> str:
    """Index a folder, which can take several minutes."""
    for step in ("reading", "sorting", "writing"):
        ctx.progress(0, message=step)
        await asyncio.sleep(0.01)
    return f"{folder} is indexed"


@server.tool(task="required")
async def empty(folder: str, ctx: Context) -> str:
    """Empty a folder after the user has confirmed it."""
    answer = await ctx.elicit(f"Really empty {folder}?", bool)
    return f"{folder} is empty" if answer.data else "Nothing was done"


@server.tool(task="optional", task_from_handler=True)
async def restore(ctx: Context) -> str:
    """Ask for a folder, then restore it in the background."""
    wanted = await ctx.elicit("Which folder?", str)
    ctx.detach(ttl_ms=60_000, message=f"restoring {wanted.data}")
    await asyncio.sleep(0.01)
    return f"{wanted.data} is back"
