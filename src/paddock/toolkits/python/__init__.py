"""Tools for writing Python. Code of the project runs in child processes only."""
