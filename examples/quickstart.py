"""The smallest useful server: one tool, one prompt, one resource."""

from paddock import Server

server = Server("quickstart", version="1.0", instructions="Greets people.")


@server.tool
def greet(name: str, times: int = 1) -> str:
    """Greet somebody.

    Args:
        name: Whom to greet.
        times: How often.
    """
    return " ".join([f"Hello, {name}!"] * times)


@server.prompt
def introduce(topic: str) -> str:
    """Ask for an introduction to a topic."""
    return f"Introduce me to {topic} in three sentences."


@server.resource("quickstart://motto", mime_type="text/plain")
def motto() -> str:
    """What this server stands for."""
    return "Small, quick, correct."


if __name__ == "__main__":
    server.run()
