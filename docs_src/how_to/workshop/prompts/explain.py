def explain(tool: str) -> str:
    """Ask the model to explain a tool of the workshop."""
    return f"Explain what the tool {tool} does, and give an example."
