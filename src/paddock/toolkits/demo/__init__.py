"""Tools, resources and a prompt that demonstrate the features of MCP."""
