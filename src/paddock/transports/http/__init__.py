"""Streamable HTTP: one endpoint, both eras, behind our own server or as an ASGI application."""
