"""The agent zoo: agents with a soul, skills and a brain, stored in SQLite or PostgreSQL."""
