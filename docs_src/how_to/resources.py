from datetime import date

from paddock import (
    Annotations,
    BlobResourceContents,
    Context,
    Resource,
    ResourceTemplate,
    Server,
    TextResourceContents,
)

server = Server("library", version="1.0")

# region: fixed
FILES = {"notes/today.txt": b"Buy apples.", "logo.bin": b"\x00\x01"}


@server.resource("library://motto", mime_type="text/plain", title="Our motto")
def motto() -> str:
    """The motto of the library."""
    return "Read more."


@server.resource("library://statistics")
async def statistics(ctx: Context) -> dict[str, object]:
    """Statistics about the library."""
    return {"files": len(FILES), "version": ctx.protocol_version}


# endregion


# region: templates
@server.resource("library://day/{day}{?language}")
def day(day: date, language: str = "en") -> str:
    """Events of a day."""
    return f"[{language}] Nothing is known of {day:%d.%m.%Y}."


@server.resource("library://files/{+path}")
def file(path: str) -> bytes:
    """A file in any directory."""
    return FILES[path]


# endregion


# region: objects
def volumes(uri: str) -> list[TextResourceContents | BlobResourceContents]:
    return [
        TextResourceContents(f"{uri}/1", "Volume one", "text/plain"),
        BlobResourceContents(f"{uri}/2", b"\x02", "application/octet-stream"),
    ]


server.register(
    [
        ResourceTemplate("library://works/{author}", volumes, name="works"),
        Resource(
            "library://catalogue",
            lambda: ["Moby-Dick"],
            name="catalogue",
            mime_type="application/json",
            size=13,
            annotations=Annotations(audience=["assistant"], priority=0.8),
        ),
        ResourceTemplate("https://example.org/books/{number}", name="on the web"),
    ]
)
# endregion

if __name__ == "__main__":
    server.run()
