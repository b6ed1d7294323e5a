"""Wolfram paclets as extensions: found, and read as they are, without an engine.

A paclet says in its `PacletInfo.wl` what it contributes, in an extension called "AgentTools".
Everything here is static: files are parsed, never run. What Wolfram functions do when they are
called is `wolfram_function`.
"""
