"""The Model Context Protocol: frames, eras and dispatch. No I/O happens here.

It may only import `errors` and other modules of the lowest layer.
"""
