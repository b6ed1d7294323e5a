"""Kernels: supervised child processes that evaluate code within limits, and their sessions.

This module imports nothing, because kernel processes import the package before their engine.

The package may import `wolfram`, `reports` and the packages below them.
"""
