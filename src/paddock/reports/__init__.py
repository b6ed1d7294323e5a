"""Markdown reports on tests and code inspections of any language.

It may import modules of the lowest layer only.
"""
