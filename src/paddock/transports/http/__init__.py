"""Streamable HTTP for both eras, with an HTTP/1.1 server and an ASGI application."""
