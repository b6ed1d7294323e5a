"""The MCP client, used by `paddock.connect`, `paddock call`, mounts and tests.

This package may import `transports`, `protocol` and the packages below them, but no server code.
"""
