"""The first tables: agents and their versions, entries, the library and events.

Words in entries are indexed with FTS5 in SQLite and with a vector column in PostgreSQL. Both
receive plain ASCII words that Python has already split, so both find the same entries.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

SQLITE_SEARCH = """
CREATE VIRTUAL TABLE entry_words USING fts5(
    words, content='', tokenize="unicode61 tokenchars '_'"
)
"""
# FTS5 is given what was indexed when something is to be forgotten. `_a7` and `_o616c` say which
# agent and which owner a row belongs to: a search in one of them reads no other's rows.
ROW = "{0}.words || ' _a' || {0}.agent_key || ' _o' || lower(hex({0}.owner))"
FORGET = "INSERT INTO entry_words(entry_words, rowid, words) VALUES ('delete', old.key, {0});"
LEARN = "INSERT INTO entry_words(rowid, words) VALUES (new.key, {0});"
POSTGRESQL_SEARCH = """
ALTER TABLE entries ADD COLUMN word_vector tsvector
    GENERATED ALWAYS AS (
        array_to_tsvector(array_append(string_to_array(words, ' '), '_a' || agent_key::text))
    ) STORED
"""


def _columns(kinds: dict[str, sa.types.TypeEngine[Any]]) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name, kind in kinds.items()]


def upgrade() -> None:
    """Create the tables."""
    key = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    _make_agents(key)
    _make_entries(key)
    _make_library(key)
    _make_events(key)
    _make_search()


def _make_agents(key: sa.types.TypeEngine[Any]) -> None:
    text, number, truth = sa.Text(), sa.Integer(), sa.Boolean()
    op.create_table(
        "agents",
        sa.Column("key", key, primary_key=True),
        *_columns({"owner": text, "id": text, "version": number, "name": text}),
        *_columns({"folded_name": text, "description": text, "tags": text}),
        *_columns({"appearance_seed": text, "archived": truth, "injects_memory": truth}),
        *_columns({"entry_count": number, "created_at": text, "updated_at": text}),
        sa.Column("last_injected_at", text),
        sa.Column("deleted_at", text),
        *_columns({"skill_names": text, "folded_text": text, "context_refs": text}),
        *_columns({"skill_categories": text, "system_prompt": text, "skills": text}),
        *_columns({"extra": text}),
        sa.UniqueConstraint("owner", "id"),
        sqlite_autoincrement=True,
    )
    op.create_index("agents_in_order", "agents", ["owner", "key"])
    op.create_index("agents_by_name", "agents", ["owner", "folded_name"])
    agent = sa.ForeignKey("agents.key", ondelete="CASCADE")
    op.create_table(
        "agent_versions",
        sa.Column("agent_key", key, agent, primary_key=True),
        sa.Column("version", number, primary_key=True, autoincrement=False),
        *_columns({"saved_at": text, "source": text, "summary": text, "agent": text}),
    )


def _make_entries(key: sa.types.TypeEngine[Any]) -> None:
    text, number, truth = sa.Text(), sa.Integer(), sa.Boolean()
    agent = sa.ForeignKey("agents.key", ondelete="CASCADE")
    op.create_table(
        "entries",
        sa.Column("key", key, primary_key=True),
        *_columns({"owner": text}),
        sa.Column("agent_key", key, agent, nullable=False),
        *_columns({"id": text, "version": number, "type": text, "timestamp": text}),
        *_columns({"updated_at": text}),
        sa.Column("deleted_at", text),
        sa.Column("pinned", truth, nullable=False, server_default=sa.false()),
        sa.Column("workspace_id", text),
        *_columns({"tags": text, "metadata": text, "content": text, "words": text}),
        sa.UniqueConstraint("agent_key", "id"),
        sqlite_autoincrement=True,
    )
    for name, column in (("time", []), ("pin", ["pinned"]), ("workspace", ["workspace_id"])):
        op.create_index(f"entries_by_{name}", "entries", ["agent_key", *column, "timestamp", "key"])


def _make_library(key: sa.types.TypeEngine[Any]) -> None:
    text, number = sa.Text(), sa.Integer()
    op.create_table(
        "library_skills",
        sa.Column("key", key, primary_key=True),
        *_columns({"owner": text, "id": text, "version": number, "name": text}),
        *_columns({"description": text, "when_to_use": text, "tags": text, "requires": text}),
        sa.Column("pack_id", text),
        sa.UniqueConstraint("owner", "id"),
    )
    op.create_table(
        "packs",
        sa.Column("key", key, primary_key=True),
        *_columns({"owner": text, "id": text, "version": number, "name": text}),
        *_columns({"description": text}),
        sa.UniqueConstraint("owner", "id"),
    )


def _make_events(key: sa.types.TypeEngine[Any]) -> None:
    text = sa.Text()
    op.create_table(
        "events",
        sa.Column("id", key, primary_key=True),
        *_columns({"owner": text, "kind": text, "at": text, "source": text}),
        sa.Column("agent_id", text),
        sa.Column("entry_id", text),
        *_columns({"detail": text}),
        sqlite_autoincrement=True,
    )
    op.create_index("events_in_order", "events", ["owner", "id"])
    op.create_table(
        "imported_files",
        sa.Column("owner", text, primary_key=True),
        sa.Column("path", text, primary_key=True),
        *_columns({"at": text}),
    )


def _make_search() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(POSTGRESQL_SEARCH)
        # So that it is known of rare words that they are rare, and of common ones how common.
        op.execute("ALTER TABLE entries ALTER COLUMN word_vector SET STATISTICS 1000")
        op.execute("CREATE INDEX entries_by_words ON entries USING gin (word_vector)")
        return
    forget, learn = FORGET.format(ROW.format("old")), LEARN.format(ROW.format("new"))
    op.execute(SQLITE_SEARCH)
    op.execute(f"CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN {learn} END")
    op.execute(f"CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN {forget} END")
    op.execute(
        f"CREATE TRIGGER entry_changed AFTER UPDATE OF words ON entries BEGIN {forget} {learn} END"
    )
