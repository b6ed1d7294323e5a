"""The agent zoo: agents with a soul, skills and a brain, stored in SQLite or PostgreSQL.

It may import `files`, `errors` and other packages below `server`. It knows no MCP tools.
"""
