import io
import wave
from dataclasses import dataclass

from paddock import (
    Annotations,
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ResourceLink,
    Server,
    TextContent,
    TextResourceContents,
    ToolError,
)

server = Server("results", version="1.0")


# region: structured
@dataclass
class Weather:
    city: str
    celsius: float


@server.tool
def weather(city: str) -> Weather:
    """Return today's weather."""
    return Weather(city, 21.5)


@server.tool
def cities() -> list[str]:
    """List all cities."""
    return ["Bern", "Oslo"]


# endregion


# region: schema
@server.tool(
    output_schema={
        "type": "object",
        "properties": {"sum": {"type": "number"}},
        "required": ["sum"],
    }
)
def add(left: float, right: float) -> dict[str, float]:
    """Add two numbers."""
    return {"sum": left + right}


# endregion


# region: media
@server.tool
def chart(percent: int) -> tuple[bytes, str]:
    """Draw a bar of the given length."""
    bar = f'<rect width="{percent}" height="10"/>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="10">{bar}</svg>'
    return svg.encode(), "image/svg+xml"


@server.tool(mime_type="text/csv")
def table() -> bytes:
    """Return a table as a CSV file."""
    return b"city,celsius\nBern,21.5\n"


@server.tool
def silence(seconds: float = 0.1) -> AudioContent:
    """Return a moment of silence."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(int(8000 * seconds) * 2))
    return AudioContent(buffer.getvalue(), "audio/wav")


# endregion


# region: several
@server.tool
def report() -> list[TextContent | ResourceLink | EmbeddedResource]:
    """Return a summary, its data, and a link to the archive."""
    return [
        TextContent("It is mild.", annotations=Annotations(audience=["user"], priority=1.0)),
        EmbeddedResource(TextResourceContents("weather://today", '{"celsius":21.5}')),
        ResourceLink("weather://archive", "archive", description="All earlier days"),
    ]


# endregion


# region: errors
@server.tool
def divide(left: float, right: float) -> float:
    """Divide two numbers."""
    if right == 0:
        raise ToolError("Cannot divide by zero.", hint="give another divisor")
    return left / right


@server.tool
def look_up(word: str) -> CallToolResult:
    """Look up a word."""
    if word != "paddock":
        return CallToolResult(content=[f"No entry for {word}"], is_error=True)
    return CallToolResult(
        content=["A small field for horses"],
        structured_content={"word": word, "entries": 1},
        meta={"example.org/source": "dictionary"},
    )


# endregion

if __name__ == "__main__":
    server.run()
