"""The tables for a team's users and their credentials."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the account tables."""
    op.create_table(
        "users",
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("owner", sa.Text(), nullable=False, unique=True),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
    )
    user = sa.ForeignKey("users.name", ondelete="CASCADE")
    op.create_table(
        "passes",
        sa.Column("digest", sa.Text(), primary_key=True),
        sa.Column("id", sa.Text(), nullable=False, unique=True),
        sa.Column("user_name", sa.Text(), user, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.Text()),
    )
    op.create_index("passes_by_user", "passes", ["user_name"])
