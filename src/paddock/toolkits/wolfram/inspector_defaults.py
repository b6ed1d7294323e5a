"""What the parameters of `CodeInspector` are when they are not given."""

CONFIDENCE = 0.75
EXCLUDED_SEVERITIES = "Formatting,Scoping"
LIMIT = 100
