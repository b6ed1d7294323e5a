"""Spans and logs about the requests of a server.

It may import `protocol` and the packages below it.
"""
