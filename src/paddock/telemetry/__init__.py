"""Spans and logs about the requests of a server."""
