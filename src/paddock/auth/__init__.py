"""Who may use a server over HTTP: the resource-server side of MCP authorization.

`Authorization` is what a server is protected by. It takes the token out of a request, has a
validator say who the bearer is, and refuses in the words of RFC 6750 and RFC 9728. A validator
is anything that turns a token into a `Principal`; each kind has a module of its own here.
No tokens are issued here, and none is ever logged or passed on to anybody but its own issuer.
"""
