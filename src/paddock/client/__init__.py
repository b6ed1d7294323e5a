"""Our side when we call an MCP server: in tests, in `paddock call`, in servers made of servers."""
