"""Harmless tools, a prompt and resources that show what a client of MCP can do."""
