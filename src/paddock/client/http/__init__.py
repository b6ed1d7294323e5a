"""Streamable HTTP client for both eras. Needs the `http` extra."""
