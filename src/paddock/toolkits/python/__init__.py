"""Tools for writing Python. Project code runs only in child processes."""
