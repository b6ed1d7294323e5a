"""The tool of the server that tests install into clients."""


def ready() -> str:
    """Whether the server is ready."""
    return "ready at last"
