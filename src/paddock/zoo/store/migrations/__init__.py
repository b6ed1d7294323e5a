"""What each revision of the tables changed, one module for each. Alembic runs them."""
