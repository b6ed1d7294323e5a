"""The whole product on one port: web app, REST API, MCP endpoints and the console's routes."""
