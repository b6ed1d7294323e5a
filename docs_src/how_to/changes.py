from paddock import Context, Server

server = Server("notes", version="1.0")
notes = {"today": "Nothing yet."}


@server.resource("note://today")
def today() -> str:
    """Return the note for today."""
    return notes["today"]


@server.tool
def write(text: str) -> str:
    """Replace the note and notify its subscribers."""
    notes["today"] = text
    count = server.resource_updated("note://today")
    return f"Clients notified: {count}"


@server.tool
def unlock(ctx: Context) -> str:
    """Add a tool, which notifies clients that the list has changed."""
    ctx.server.tool(erase)
    return "The tool erase is now available."


def erase() -> str:
    """Clear the note and remove this tool."""
    server.tools.remove("erase")
    return write("")


if __name__ == "__main__":
    server.run()
