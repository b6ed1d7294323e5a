"""The resource-server side of MCP authorization (OAuth 2.1 over HTTP).

`Authorization` protects a server. It extracts the token from a request, has a validator determine
the principal, and rejects requests as RFC 6750 and RFC 9728 specify. A validator turns a token into
a `Principal`; each kind has its own module. Paddock issues no tokens, never logs them, and sends
them only to their own issuer.

It may import `telemetry`, `protocol` and the packages below them, but no transport.
"""
