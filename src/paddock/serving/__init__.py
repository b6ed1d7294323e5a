"""Serving: loading a server and connecting it to a transport.

It may import `authoring`, `transports`, `auth` and the packages below them.
"""
