"""The application behind `paddock up`: web app, REST API and MCP endpoints on one port.

It may import every package except `cli` and `testing`.
"""
