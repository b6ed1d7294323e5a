"""What the parameters of inspectors are when they are not given; loaded to list tools."""

DEFAULT_CONFIDENCE = 0.75
DEFAULT_EXCLUDED_SEVERITIES = "Formatting,Scoping"
"""Of Wolfram Language code."""
DEFAULT_PYTHON_EXCLUDED_SEVERITIES = "Formatting"
"""Of Python code whose project does not say itself what is wrong."""
DEFAULT_MAX_ISSUES = 100
