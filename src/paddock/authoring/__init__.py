"""Declaring servers, tools, prompts, resources and skills, and answering requests for them.

It may import `telemetry`, `protocol` and the packages below them, but no transport.
"""
