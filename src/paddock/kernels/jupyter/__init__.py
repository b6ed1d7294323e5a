"""Jupyter kernels for any language, installed on this machine or run by a server or gateway.

They use Jupyter's messaging protocol. They cannot be rolled back, and their network access cannot
be blocked, because they communicate through sockets themselves.
"""
