"""MCP client: used by `paddock.connect`, `paddock call`, mounts and tests."""
