"""Composition of servers: a server that offers the items of other servers.

A server in the same process is mounted by reference, a remote one over a persistent connection.

It may import `serving`, `client` and the packages below them.
"""
