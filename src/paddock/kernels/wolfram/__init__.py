"""Wolfram Language engines: finding and starting them, and evaluating input lines.

This module imports nothing, because kernel processes import the package before their engine.
"""
