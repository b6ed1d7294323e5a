"""Checking what people are about to publish, or wonder about: extensions and server definitions.

Everything that is wrong is told at once, as findings. What is right is left to `extensions` and
`servers`: their own readers decide, so that a check cannot disagree with use.
"""
