"""Search in documentation: what there is to search, the index of it, and how answers are ranked."""
