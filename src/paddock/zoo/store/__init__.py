"""Zoo storage in SQLite or PostgreSQL."""
