"""What the tools do, as plain Python that knows nothing of MCP."""


def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(text.split())
