"""Markdown reports on tests and code inspections of any language."""
