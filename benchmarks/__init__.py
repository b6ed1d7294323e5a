"""The speed of Paddock beside that of other MCP libraries: `python -m benchmarks`."""
