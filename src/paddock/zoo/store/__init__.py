"""How a zoo is kept in SQLite or PostgreSQL; what may be in it is decided above."""
