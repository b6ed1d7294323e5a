"""Byte streams (stdio, memory, HTTP) and the threads and loops that run requests.

It may import `telemetry`, `protocol` and the packages below them, but not `authoring`.
"""
