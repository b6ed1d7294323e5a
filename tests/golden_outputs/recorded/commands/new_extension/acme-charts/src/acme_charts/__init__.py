"""Tools for people who write."""
