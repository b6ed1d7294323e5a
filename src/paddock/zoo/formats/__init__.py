"""Conversion of agents to and from other programs' file formats, without disk access."""
