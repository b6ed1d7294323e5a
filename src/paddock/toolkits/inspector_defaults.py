"""What the parameters of inspectors are when they are not given; loaded to list tools."""

CONFIDENCE = 0.75
EXCLUDED_SEVERITIES = "Formatting,Scoping"
"""Of Wolfram Language code."""
EXCLUDED_OF_PYTHON = "Formatting"
"""Of Python code whose project does not say itself what is wrong."""
LIMIT = 100
