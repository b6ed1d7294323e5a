"""Kernels: child processes that evaluate code, with limits, sessions and one shape of outcome.

Nothing is imported here, because a child process imports this package before its engine.
"""
