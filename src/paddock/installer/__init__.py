"""Installs servers into the applications that use them.

It may import `named_servers` and the packages below it.
"""
