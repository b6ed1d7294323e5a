"""Tools for the Wolfram Language: their parameters, files and texts.

The work is done by `paddock.kernels` and `paddock.wolfram`.
"""
