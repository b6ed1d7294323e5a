"""The two sides that are kept in step, a project's files and the zoo, and changing either."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from paddock.zoo.errors import AgentNotFoundError
from paddock.zoo.formats.agent_file import agent_of, file_of
from paddock.zoo.formats.exchange import AgentFilesError, File
from paddock.zoo.merging import changes_of
from paddock.zoo.model import Agent
from paddock.zoo.placing import apply_plan, plan_files, read_text, refusal

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from paddock.zoo.formats.agent_file import FileFormat
    from paddock.zoo.service import Zoo


class SyncFileError(AgentFilesError):
    """A file of an agent cannot be written or deleted, or has changed meanwhile."""

    code = "sync-file"


class Sides:
    """A folder and a zoo. When it is dry, neither is changed, and it acts as if they were."""

    def __init__(self, zoo: Zoo, folder: Path, *, is_dry: bool) -> None:
        self._zoo = zoo
        self._folder = folder
        self._is_dry = is_dry
        self._agents: dict[str, Agent | None] = {}

    def agent(self, agent_id: str) -> Agent | None:
        """The agent as it is now; None when there is none of that id."""
        if agent_id not in self._agents:
            try:
                self._agents[agent_id] = self._zoo.get_agent(agent_id)
            except AgentNotFoundError:
                self._agents[agent_id] = None
        return self._agents[agent_id]

    def is_in_bin(self, agent_id: str) -> bool:
        """Whether an agent has been deleted, and not just never been in this zoo."""
        return any(one.id == agent_id for one in self._zoo.bin())

    def text(self, kind: FileFormat, agent_id: str, path: str) -> str | None:
        """What the zoo would write into a file; None when it has no such agent."""
        agent = self.agent(agent_id)
        if agent is None:
            return None
        origin = {**agent.extra.get(kind.name, {}), "path": path}
        there = msgspec.structs.replace(agent, extra={**agent.extra, kind.name: origin})
        return file_of(kind, there, set())[0].text

    def new_file(self, kind: FileFormat, agent: Agent, taken: Collection[str]) -> File:
        """The file of an agent that has none in this format yet."""
        return file_of(kind, agent, {path.lower() for path in taken})[0]

    def says_the_same(self, kind: FileFormat, file: File, agent_id: str) -> bool:
        """Whether a file differs from its agent in nothing but what the program alone knows."""
        agent = self.agent(agent_id)
        read, _ = agent_of(kind, file)
        return agent is not None and changes_of(agent, read).keys() <= {"extra"}

    def read(self, kind: FileFormat, file: File, agent_id: str) -> None:
        """Change an agent to what a file says.

        Raises:
            ZooError: when it cannot be kept so, or has changed meanwhile.
        """
        agent = self._zoo.get_agent(agent_id)
        read, _ = agent_of(kind, file)
        changes = changes_of(agent, read)
        if self._is_dry:
            data = {**msgspec.to_builtins(agent), **changes}
            self._agents[agent_id] = msgspec.convert(data, Agent)
            return
        self._agents[agent_id] = self._zoo.update_agent(
            agent_id, changes, version=agent.version, source="sync"
        )

    def add_to_zoo(self, kind: FileFormat, file: File) -> str:
        """Make an agent of a file; its id.

        Raises:
            ZooError: when it cannot be kept.
        """
        agent, _ = agent_of(kind, file)
        if not self._is_dry:
            agent = self._zoo.create_agent(msgspec.to_builtins(agent), source="sync")
        self._agents[agent.id] = agent
        return agent.id

    def write(self, path: str, before: File | None, text: str) -> File:
        """Write a file, if it is still as it was.

        Raises:
            SyncFileError: when it cannot be written.
        """
        file = File(path=path, text=text)
        (planned,) = plan_files(self._folder, [file], replace=before is not None).files
        if planned.status == "refused":
            raise SyncFileError(planned.reason, where=path)
        if planned.before != (before.text if before else None):
            raise SyncFileError("it has been changed meanwhile", where=path)
        if self._is_dry:
            return file
        plan = plan_files(self._folder, [file], replace=before is not None)
        for written in apply_plan(plan):
            if written.error is not None:
                raise SyncFileError(written.error, where=path)
        return file

    def delete(self, file: File) -> None:
        """Delete a file, if it is still as it was.

        Raises:
            SyncFileError: when it is not, or cannot be deleted.
        """
        if self._is_dry:
            return
        target = self._folder / file.path
        reason = refusal(self._folder, file.path)
        try:
            if reason is None and read_text(target) != file.text:
                reason = "it has been changed meanwhile"
            if reason is None:
                target.unlink()
        except (OSError, UnicodeDecodeError) as error:
            reason = str(error)
        if reason is not None:
            raise SyncFileError(reason, where=file.path)
