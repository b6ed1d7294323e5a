"""What agents were: one row for each version that is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from paddock.zoo import limits
from paddock.zoo.model import Agent, AgentVersion
from paddock.zoo.store.tables import agent_versions

if TYPE_CHECKING:
    from paddock.zoo.store.agent_rows import AgentRow
    from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction


def insert_version(writing: WriteTransaction, kept: AgentRow, summary: str) -> None:
    """Keep what an agent is now, and forget what is very long ago."""
    version = kept.agent.version
    values = {
        "agent_key": kept.key,
        "version": version,
        "saved_at": writing.timestamp,
        "source": writing.source,
        "summary": summary,
        "agent": kept.agent,
    }
    writing.connection.execute(insert(agent_versions), values)
    outdated = agent_versions.c.version <= version - limits.MAX_AGENT_VERSIONS
    same = agent_versions.c.agent_key == kept.key
    writing.connection.execute(delete(agent_versions).where(same, outdated))


def list_versions(reading: ReadTransaction, key: int) -> list[AgentVersion]:
    """All that are kept, the newest first, without the agents themselves."""
    columns = agent_versions.c
    statement = (
        select(columns.version, columns.saved_at, columns.source, columns.summary)
        .where(columns.agent_key == key)
        .order_by(columns.version.desc())
    )
    return [
        AgentVersion(version=version, saved_at=at, source=source, summary=summary)
        for version, at, source, summary in reading.connection.execute(statement)
    ]


def find_version(reading: ReadTransaction, key: int, version: int) -> AgentVersion | None:
    """One of them, with the agent."""
    columns = agent_versions.c
    statement = select(columns.saved_at, columns.source, columns.summary, columns.agent).where(
        columns.agent_key == key, columns.version == version
    )
    row = reading.connection.execute(statement).first()
    if row is None:
        return None
    agent: Agent = row.agent
    return AgentVersion(
        version=version, saved_at=row.saved_at, source=row.source, summary=row.summary, agent=agent
    )
