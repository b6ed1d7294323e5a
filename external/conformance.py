"""The official conformance suite, on a Node of its own: older ones cannot run it."""

from external.environments import NodeEnvironment

CONFORMANCE = NodeEnvironment(
    "conformance", ("@modelcontextprotocol/conformance@0.2.0-alpha.12", "node@22.23.3")
)


def conformance_command() -> list[str]:
    """The command that runs the suite; its own arguments follow."""
    package = CONFORMANCE.prepare() / "node_modules" / "@modelcontextprotocol" / "conformance"
    return [CONFORMANCE.node(), str(package / "dist" / "index.js")]
