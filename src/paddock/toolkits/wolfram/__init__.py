"""Tools for the Wolfram Language: evaluating, defining, notebooks, tests, inspection, paclets."""
