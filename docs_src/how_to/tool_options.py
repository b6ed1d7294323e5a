"""A tool with options for the operator of the server."""

from typing import Literal

from paddock import Context, Option, Server

PAGES = ["apples and pears", "pears", "apples"]

server = Server("library", version="1.0.0")


# region: tool
@server.tool(
    options={
        "max_hits": 10,
        "order": Option("found", Literal["found", "name"], "How hits are sorted"),
    }
)
def find(word: str, ctx: Context) -> list[str]:
    """Find the pages that contain a word."""
    hits = [page for page in PAGES if word in page]
    if ctx.options["order"] == "name":
        hits.sort()
    return hits[: ctx.options["max_hits"]]


# endregion

# region: set
server.set_tool_options({"find": {"max_hits": 1, "order": "name"}})
# endregion

if __name__ == "__main__":
    server.run()
