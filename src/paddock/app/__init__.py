"""The application behind `paddock up`: web app, REST API and MCP endpoints on a single port.

It may import every package except `cli` and `testing`.
"""
