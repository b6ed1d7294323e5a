"""Tools for people who write Python. What they run of a project runs in child processes only."""
