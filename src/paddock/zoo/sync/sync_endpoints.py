"""The two sides of a synchronization: a project's files and a zoo's agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from paddock.zoo.errors import AgentNotFoundError
from paddock.zoo.file_plan import (
    apply_file_plan,
    find_path_problem,
    plan_files,
    read_text_file,
)
from paddock.zoo.formats.agent_file import convert_agent_to_file, convert_file_to_agent
from paddock.zoo.formats.exchange import AgentFilesError, File
from paddock.zoo.import_plan import compute_changes
from paddock.zoo.model import Agent

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from paddock.zoo.formats.agent_file import AgentFileFormat
    from paddock.zoo.service import Zoo


class SyncFileError(AgentFilesError):
    """A file cannot be written or deleted, or changed during the synchronization."""

    code = "sync-file"


class SyncEndpoints:
    """The two sides of a synchronization: a folder and a zoo.

    In a dry run, neither is changed, but later calls see the changes that would have been made.
    """

    def __init__(self, zoo: Zoo, folder: Path, *, is_dry: bool) -> None:
        self._zoo = zoo
        self._folder = folder
        self._dry_run = is_dry
        self._agents_by_id: dict[str, Agent | None] = {}

    def find_agent(self, agent_id: str) -> Agent | None:
        """Return an agent from the zoo, or None. In a dry run, it includes the planned changes."""
        if agent_id not in self._agents_by_id:
            try:
                self._agents_by_id[agent_id] = self._zoo.agents.get(agent_id)
            except AgentNotFoundError:
                self._agents_by_id[agent_id] = None
        return self._agents_by_id[agent_id]

    def is_deleted(self, agent_id: str) -> bool:
        """Return whether an agent is in the bin, as opposed to being unknown to this zoo."""
        return any(agent.id == agent_id for agent in self._zoo.agents.list_deleted())

    def render_file(self, file_format: AgentFileFormat, agent_id: str, path: str) -> str | None:
        """Return the text that the zoo would write to a file, or None if the agent does not exist.

        The result is compared with the file to detect changes on either side.
        """
        agent = self.find_agent(agent_id)
        if agent is None:
            return None
        # The converter gets the path from the agent's data about its original file.
        origin = {**agent.extra.get(file_format.name, {}), "path": path}
        extra = {**agent.extra, file_format.name: origin}
        agent_at_path = msgspec.structs.replace(agent, extra=extra)
        file, _ = convert_agent_to_file(file_format, agent_at_path, set())
        return file.text

    def make_new_file(
        self, file_format: AgentFileFormat, agent: Agent, taken: Collection[str]
    ) -> File:
        """Return a new file for an agent that does not have one in this format yet."""
        return convert_agent_to_file(file_format, agent, {path.lower() for path in taken})[0]

    def matches_agent(self, file_format: AgentFileFormat, file: File, agent_id: str) -> bool:
        """Return whether a file differs from its agent only in its program's own data."""
        agent = self.find_agent(agent_id)
        file_agent, _ = convert_file_to_agent(file_format, file)
        return agent is not None and compute_changes(agent, file_agent).keys() <= {"extra"}

    def update_agent(self, file_format: AgentFileFormat, file: File, agent_id: str) -> None:
        """Update an agent to match a file.

        Raises:
            ZooError: A value is invalid, or the agent changed in the meantime.
        """
        agent = self._zoo.agents.get(agent_id)
        file_agent, _ = convert_file_to_agent(file_format, file)
        changes = compute_changes(agent, file_agent)
        if self._dry_run:
            data = {**msgspec.to_builtins(agent), **changes}
            self._agents_by_id[agent_id] = msgspec.convert(data, Agent)
            return
        self._agents_by_id[agent_id] = self._zoo.agents.update(
            agent_id, changes, version=agent.version, source="sync"
        )

    def add_to_zoo(self, file_format: AgentFileFormat, file: File) -> str:
        """Create an agent from a file and return its ID.

        Raises:
            ZooError: A value is invalid.
        """
        agent, _ = convert_file_to_agent(file_format, file)
        if not self._dry_run:
            agent = self._zoo.agents.create(msgspec.to_builtins(agent), source="sync")
        self._agents_by_id[agent.id] = agent
        return agent.id

    def write_file(self, path: str, before: File | None, text: str) -> File:
        """Write a project file, unless it has changed since it was read.

        Args:
            path: The path of the file in the project.
            before: The file as it was read, or None if it did not exist.
            text: The new text.

        Raises:
            SyncFileError: The file has changed, or cannot be written.
        """
        file = File(path=path, text=text)
        (planned,) = plan_files(self._folder, [file], replace=before is not None).files
        if planned.status == "refused":
            raise SyncFileError(planned.reason, where=path)
        # The user may have saved the file since it was read.
        if planned.before != (before.text if before else None):
            raise SyncFileError("the file has changed during the synchronization", where=path)
        if self._dry_run:
            return file
        # Plan the files again just before writing, because the plan above was only a check.
        plan = plan_files(self._folder, [file], replace=before is not None)
        for result in apply_file_plan(plan):
            if result.error is not None:
                raise SyncFileError(result.error, where=path)
        return file

    def delete_file(self, file: File) -> None:
        """Delete a project file, unless it has changed since it was read.

        Raises:
            SyncFileError: The file has changed, or cannot be deleted.
        """
        if self._dry_run:
            return
        target = self._folder / file.path
        reason = find_path_problem(self._folder, file.path)
        try:
            # The user may have saved the file since it was read.
            if reason is None and read_text_file(target) != file.text:
                reason = "the file has changed during the synchronization"
            if reason is None:
                target.unlink()
        except (OSError, UnicodeDecodeError) as error:
            reason = str(error)
        if reason is not None:
            raise SyncFileError(reason, where=file.path)
