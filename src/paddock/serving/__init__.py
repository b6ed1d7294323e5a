"""Serving: loading a server and connecting it to a transport."""
