"""Modules that run in kernel processes: standard library only, compatible with Python 3.8."""
