"""Wolfram Language engines: how to find and start them, and the evaluation of input lines.

This module imports nothing, because kernel processes import the package before their engine.
"""
