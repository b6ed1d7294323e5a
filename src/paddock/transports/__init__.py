"""Byte streams (stdio, memory, HTTP) and the threads and loops that run requests."""
