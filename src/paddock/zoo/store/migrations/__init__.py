"""The migrations of the tables, one module for each revision. Alembic runs them."""
