"""The tools for the Wolfram Language: their parameters, paths and texts."""
