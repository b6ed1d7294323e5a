"""Engines as a worker sees them; each module here is imported in child processes only."""
