"""MCP client: used by `paddock.connect`, `paddock call`, mounts and tests.

It may import `transports`, `protocol` and the packages below them, but nothing of the server.
"""
