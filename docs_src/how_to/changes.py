from paddock import Context, Server

server = Server("notes", version="1.0")
notes = {"today": "Nothing yet."}


@server.resource("note://today")
def today() -> str:
    """What there is to do."""
    return notes["today"]


@server.tool
def write(text: str) -> str:
    """Write the note anew, and tell whoever has subscribed to it."""
    notes["today"] = text
    told = server.resource_updated("note://today")
    return f"{told} told"


@server.tool
def unlock(ctx: Context) -> str:
    """Add a further tool, and tell clients that the list has changed."""
    ctx.server.tool(erase)
    return "erase is there now"


def erase() -> str:
    """Empty the note, once."""
    server.tools.remove("erase")
    return write("")


if __name__ == "__main__":
    server.run()
