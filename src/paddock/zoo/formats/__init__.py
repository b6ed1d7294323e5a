"""Conversion of agents to the file formats of other programs, and back, without disk access."""
