"""Servers made of servers: one offering that passes on what others have.

A server in this process is mounted by reference, one elsewhere by a connection that is kept for it.
"""
