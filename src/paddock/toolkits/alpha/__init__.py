"""Tools and prompts that ask Wolfram|Alpha, and what answers in its place when it is not there.

The declarations are in `wolfram_alpha`, `context` and `searches`; the work is loaded with the first
call.
"""
