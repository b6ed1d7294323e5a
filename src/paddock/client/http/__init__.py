"""A server behind a URL: Streamable HTTP, in both eras. Needs the `http` extra."""
