"""Wolfram paclets as extensions.

A paclet declares its items in the "AgentTools" extension of its `PacletInfo.wl`. Its files are
parsed without running code or needing an engine. Only `function_call` and `symbol_check` use an
engine, when a Wolfram function is called.
"""
