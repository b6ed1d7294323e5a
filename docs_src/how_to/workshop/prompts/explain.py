def explain(tool: str) -> str:
    """Ask what a tool of the workshop does."""
    return f"Explain what the tool {tool} does, and give an example."
