"""Spans and logs: what the people who run a server want to know of its requests."""
