"""Spans and logs for a server's requests.

It may import `protocol` and the packages below it.
"""
