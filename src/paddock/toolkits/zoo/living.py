"""The server AgentZoo while it runs: its lists follow the zoo, and subscribers hear of changes.

One prompt and two resources for each agent. Whatever process has changed the zoo, its events say
so; one thread waits for them as long as any client is connected. Whoever runs the server can have
it without the tools that write.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from weakref import WeakKeyDictionary

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import log_failure
from paddock.authoring.prompt import Prompt
from paddock.authoring.resource import Resource
from paddock.errors import PaddockError
from paddock.toolkits.zoo.declaring import is_writing
from paddock.toolkits.zoo.defaults import get_default_tool, set_default_tool
from paddock.toolkits.zoo.resources import (
    AGENTS,
    MIME_TYPE,
    agent_uri,
    brain_uri,
    read_agent,
    read_brain,
)
from paddock.toolkits.zoo.zoos import SOURCE, the_zoo, zoo_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from paddock.authoring.offering import Offering
    from paddock.zoo.model import AgentSummary, Event
    from paddock.zoo.service import Zoo

PROMPT_PREFIX = "agent_zoo_use_"
ADOPT = "From now on, and until I say otherwise, be the agent that is described here."
READ_ONLY_VARIABLE = "PADDOCK_ZOO_READ_ONLY"
PATIENCE = 1.0
"""Seconds that the end of a connection waits at most for the thread, and the thread for events."""
MOST_LISTED = 1000
"""Agents beyond that are found by the tools, and have no prompt and no resource of their own."""
_lock = threading.Lock()
_following: WeakKeyDictionary[Offering, Following] = WeakKeyDictionary()
_owners: WeakKeyDictionary[Offering, str] = WeakKeyDictionary()
_SHOWN = frozenset({"agent:created", "agent:updated", "agent:deleted", "agent:restored"})


def give_to(server: Offering, owner: str) -> None:
    """Have the lists of a server be those of one owner's zoo; to be said before it runs."""
    with _lock:
        _owners[server] = owner


def leave_out_projects(server: Offering) -> None:
    """Have a server without the tools that read and write in folders of this machine."""
    for tool in (get_default_tool, set_default_tool):
        if tool.name in {one.name for one in server.tools}:
            server.tools.remove(tool.name)


def follow(server: Offering) -> AbstractContextManager[None]:
    """The lifespan of the server AgentZoo."""
    with _lock:
        following = _following.setdefault(server, Following(server, _owners.get(server, "")))
    return following.lifespan()


class Following:
    """What the lists of one server have of the zoo, and keeping them so."""

    def __init__(self, offering: Offering, owner: str = "") -> None:
        self._offering = offering
        self._owner = owner
        self._lock = threading.Lock()
        self._connections = 0
        self._ended = threading.Event()
        self._listed: dict[str, AgentSummary] = {}

    @contextmanager
    def lifespan(self) -> Iterator[None]:
        """Follow the zoo until the last connection ends."""
        self._enter()
        try:
            yield
        finally:
            self._leave()

    def _enter(self) -> None:
        with self._lock:
            self._connections += 1
            if self._connections > 1:
                return
            if os.environ.get(READ_ONLY_VARIABLE, "").lower() in ("1", "true", "yes"):
                _remove_writing_tools(self._offering)
            self._ended = threading.Event()
            try:
                zoo = the_zoo().for_owner(self._owner)
                last = zoo.latest_event_id()
                self._refresh(zoo)
            except PaddockError as error:
                # Each call says so to whoever can mend it; without lists the server still starts.
                log_failure(None, f"The zoo cannot be followed: {error}")
                return
            arguments = (zoo, last, self._ended)
            threading.Thread(target=self._follow, args=arguments, daemon=True).start()

    def _leave(self) -> None:
        with self._lock:
            self._connections -= 1
            if not self._connections:
                self._ended.set()

    def _follow(self, zoo: Zoo, last: int, ended: threading.Event) -> None:
        while not ended.is_set():
            try:
                events = zoo.wait_for_events(last, PATIENCE)
                if events and not ended.is_set():
                    last = events[-1].id
                    self._tell(zoo, events)
            except PaddockError as error:
                log_failure(None, f"The zoo cannot be followed: {error}")
                ended.wait(PATIENCE)

    def _tell(self, zoo: Zoo, events: list[Event]) -> None:
        if any(event.kind in _SHOWN for event in events):
            self._refresh(zoo)
            self._offering.resource_updated(AGENTS)
        changed = {uri for event in events for uri in _uris_of(event)}
        for uri in sorted(changed):
            self._offering.resource_updated(uri)

    def _refresh(self, zoo: Zoo) -> None:
        """Have the lists as the zoo is now."""
        found = {agent.id: agent for agent in zoo.list_agents(limit=MOST_LISTED).items}
        for agent_id in self._listed.keys() - found.keys():
            self._offering.prompts.remove(_prompt_name(agent_id))
            self._offering.resources.remove(agent_uri(agent_id))
            self._offering.resources.remove(brain_uri(agent_id))
        changed = [a for a in found.values() if _is_told_otherwise(a, self._listed.get(a.id))]
        self._offering.register(item for agent in changed for item in _items_of(agent))
        self._listed = found


def _remove_writing_tools(offering: Offering) -> None:
    for tool in offering.tools:
        if is_writing(tool):
            offering.tools.remove(tool.name)


def _is_told_otherwise(agent: AgentSummary, listed: AgentSummary | None) -> bool:
    return listed is None or (agent.name, agent.description) != (listed.name, listed.description)


def _items_of(agent: AgentSummary) -> Iterator[Prompt | Resource]:
    """What a client sees of an agent in its lists."""
    yield Prompt(
        _prompt_name(agent.id),
        handler=partial(_adopting, agent.id),
        title=f"Use Agent: {agent.name}",
        description=agent.description or f"Have the chat be {agent.name}",
        arguments=[],
        takes_dictionary=True,
    )
    yield Resource(
        agent_uri(agent.id),
        partial(_agent, agent.id),
        name=agent.name,
        description=agent.description or "An agent with its soul and skills",
        mime_type=MIME_TYPE,
    )
    yield Resource(
        brain_uri(agent.id),
        partial(_brain, agent.id),
        name=f"{agent.name}: brain",
        description=f"What {agent.name} remembers",
        mime_type=MIME_TYPE,
    )


def _prompt_name(agent_id: str) -> str:
    return PROMPT_PREFIX + quote(agent_id, safe="")


def _adopting(agent_id: str, _arguments: dict[str, str], ctx: Context) -> str:
    injection = zoo_of(ctx).inject(agent_id, source=SOURCE)
    return f"{ADOPT}\n\n{injection.prompt}"


def _agent(agent_id: str, ctx: Context) -> dict[str, Any]:
    return read_agent(agent_id, ctx)


def _brain(agent_id: str, ctx: Context) -> dict[str, Any]:
    return read_brain(agent_id, ctx)


def _uris_of(event: Event) -> Iterator[str]:
    """What has another content since an event."""
    if event.agent_id is None:
        return
    if event.kind in _SHOWN:
        yield agent_uri(event.agent_id)
    elif event.kind.startswith("brain:"):
        yield brain_uri(event.agent_id)
        if event.entry_id is not None:
            yield f"{brain_uri(event.agent_id)}/{quote(event.entry_id, safe='')}"
    elif event.kind == "agent:handedOver":
        yield brain_uri(str(event.detail.get("toAgentId", event.agent_id)))
