"""Storage of a zoo in SQLite or PostgreSQL."""
