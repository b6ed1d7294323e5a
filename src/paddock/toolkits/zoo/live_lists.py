"""The AgentZoo server's resources, and lists that stay in sync with the zoo while the server runs.

Each agent has one prompt and two resources. Any process can change the zoo, so while clients are
connected, a thread waits for zoo events, updates the lists and notifies subscribers.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from weakref import WeakKeyDictionary

from paddock.authoring.context import Context
from paddock.authoring.handler_errors import log_failure
from paddock.authoring.prompt import Prompt
from paddock.authoring.resource import Resource, ResourceTemplate
from paddock.errors import PaddockError
from paddock.toolkits.search_prompts import get_option_values
from paddock.toolkits.zoo.declarations import (
    CHANGE_SOURCE,
    MEMORY_OPTION_NAME,
    MEMORY_TOKENS_OPTION_NAME,
    ZooServerState,
    get_caller_zoo,
    get_user_zoo,
    is_write_tool,
    to_json,
)
from paddock.toolkits.zoo.tools import (
    MAX_QUERIED_ENTRIES,
    MAX_RETURNED_AGENTS,
    get_default_tool,
    inject_tool,
    set_default_tool,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from paddock.authoring.base_server import BaseServer
    from paddock.zoo.model import AgentSummary, ZooEvent
    from paddock.zoo.service import Zoo


JsonObject = dict[str, Any]
AGENTS_URI = "agent-zoo://agents"
MIME_TYPE = "application/json"


def get_agent_uri(agent_id: str) -> str:
    """Return an agent's URI."""
    return f"{AGENTS_URI}/{quote(agent_id, safe='')}"


def get_brain_uri(agent_id: str) -> str:
    """Return the URI of an agent's brain."""
    return f"{get_agent_uri(agent_id)}/brain"


def read_agents(ctx: Context) -> JsonObject:
    """Return summaries of all agents."""
    page = get_caller_zoo(ctx).agents.list_summaries(limit=MAX_RETURNED_AGENTS)
    return {"agents": to_json(page.items)}


def read_agent(id: str, ctx: Context) -> JsonObject:
    """Return an agent without its brain."""
    agent: JsonObject = to_json(get_caller_zoo(ctx).agents.get(id))
    return agent


def read_brain(
    id: str,
    ctx: Context,
    type: str | None = None,
    tags: str | None = None,
    dateFrom: str | None = None,
    dateTo: str | None = None,
    pinned: bool | None = None,
    text: str | None = None,
) -> JsonObject:
    """Return the matching entries of an agent's brain, newest first."""
    tag_names = [tag.strip() for tag in (tags or "").split(",") if tag.strip()]
    page = get_caller_zoo(ctx).brain.query_entries(
        id,
        type=type,
        tags=tag_names,
        date_from=dateFrom,
        date_to=dateTo,
        pinned=pinned,
        text=text,
        limit=MAX_QUERIED_ENTRIES,
    )
    return {"agentId": id, "entries": to_json(page.items)}


def read_entry(id: str, entry_id: str, ctx: Context) -> JsonObject:
    """Return one entry of an agent's brain."""
    entry: JsonObject = to_json(get_caller_zoo(ctx).brain.get_entry(id, entry_id))
    return entry


agents_resource = Resource(
    AGENTS_URI,
    read_agents,
    name="agents",
    title="All agents",
    description="Summaries of all agents in the zoo",
    mime_type=MIME_TYPE,
)
entry_template = ResourceTemplate(
    f"{AGENTS_URI}/{{id}}/brain/{{entry_id}}",
    read_entry,
    name="brain entry",
    description="An entry of an agent's brain",
    mime_type=MIME_TYPE,
)
brain_template = ResourceTemplate(
    f"{AGENTS_URI}/{{id}}/brain{{?type,tags,dateFrom,dateTo,pinned,text}}",
    read_brain,
    name="brain",
    description="The brain of an agent, newest entries first",
    mime_type=MIME_TYPE,
)
agent_template = ResourceTemplate(
    f"{AGENTS_URI}/{{id}}",
    read_agent,
    name="agent",
    description="An agent with its soul and skills",
    mime_type=MIME_TYPE,
)


PROMPT_PREFIX = "agent_zoo_use_"
ADOPTION_TEXT = "From now on, until I tell you otherwise, act as the agent described here."
READ_ONLY_VARIABLE = "PADDOCK_ZOO_READ_ONLY"
# Agents beyond this number have no prompt or resources. Tools can still find them.
MAX_LISTED_AGENTS = 1000
_servers_lock = threading.Lock()
_live_lists: WeakKeyDictionary[BaseServer, LiveLists] = WeakKeyDictionary()
_LISTING_EVENTS = frozenset({"agent:created", "agent:updated", "agent:deleted", "agent:restored"})


def serve_zoo(server: BaseServer, zoo: Zoo) -> None:
    """Make an AgentZoo server use an open zoo. The caller closes the zoo.

    Must be called before the server runs.
    """
    server.lifespan_function = partial(follow_zoo, zoo=zoo)


def remove_project_tools(server: BaseServer) -> None:
    """Remove the tools that access project folders on this machine."""
    for tool in (get_default_tool, set_default_tool):
        if tool.name in {registered.name for registered in server.tools}:
            server.tools.remove(tool.name)


def follow_zoo(
    server: BaseServer, zoo: Zoo | None = None
) -> AbstractContextManager[ZooServerState]:
    """Return an AgentZoo server's lifespan, during which its lists of agents are kept current.

    Each agent is listed as a prompt and two resources. All connections to a server share the lists.

    Args:
        server: The server.
        zoo: The zoo whose agents the server lists. Defaults to the user's zoo.
    """
    with _servers_lock:
        live_lists = _live_lists.setdefault(server, LiveLists(server, zoo))
    return live_lists.lifespan()


class LiveLists:
    """Prompts and resources of one server, kept in sync with a zoo's agents.

    Each agent has a prompt and two resources. The first connection starts a thread that waits for
    zoo events. The thread stops when the last connection ends.
    """

    def __init__(self, server: BaseServer, zoo: Zoo | None) -> None:
        self._server = server
        self._zoo = zoo
        self._lock = threading.Lock()
        self._connection_count = 0
        self._stop_event = threading.Event()
        self._listed_agents: dict[str, AgentSummary] = {}

    @contextmanager
    def lifespan(self) -> Iterator[ZooServerState]:
        """Follow the zoo until the server's last connection ends."""
        self._add_connection()
        try:
            yield ZooServerState(self._zoo)
        finally:
            self._remove_connection()

    def _add_connection(self) -> None:
        """Count a connection, and start following the zoo when the first one opens.

        Following means that changes to agents update the server's prompts and resources.
        """
        with self._lock:
            self._connection_count += 1
            # One thread serves all connections because they share the server's lists.
            if self._connection_count > 1:
                return
            if os.environ.get(READ_ONLY_VARIABLE, "").lower() in ("1", "true", "yes"):
                _remove_write_tools(self._server)
            try:
                zoo = self._zoo or get_user_zoo()
                # The id is read before the lists. An event in between is then handled twice and not
                # missed.
                last_event_id = zoo.events.get_latest_id()
                self._refresh_lists(zoo)
            except PaddockError as error:
                # Each tool call reports the same error to the user. The server starts regardless.
                _log_follow_error(error)
                return
            publish = partial(self._publish_changes, zoo)
            self._stop_event = zoo.events.follow(last_event_id, publish, _log_follow_error)

    def _remove_connection(self) -> None:
        with self._lock:
            self._connection_count -= 1
            if not self._connection_count:
                self._stop_event.set()

    def _publish_changes(self, zoo: Zoo, events: list[ZooEvent]) -> None:
        """Update the lists after zoo events, and notify the clients that subscribed to them."""
        if any(event.kind in _LISTING_EVENTS for event in events):
            self._refresh_lists(zoo)
            self._server.resource_updated(AGENTS_URI)
        changed_uris = {uri for event in events for uri in _get_changed_uris(event)}
        for uri in sorted(changed_uris):
            self._server.resource_updated(uri)

    def _refresh_lists(self, zoo: Zoo) -> None:
        """Synchronize the server's prompts and resources with the zoo's agents.

        Those of deleted agents are removed. Agents are registered only if they are new, or if their
        name or description has changed.
        """
        agents_by_id = {
            agent.id: agent for agent in zoo.agents.list_summaries(limit=MAX_LISTED_AGENTS).items
        }
        for agent_id in self._listed_agents.keys() - agents_by_id.keys():
            self._server.prompts.remove(_get_prompt_name(agent_id))
            self._server.resources.remove(get_agent_uri(agent_id))
            self._server.resources.remove(get_brain_uri(agent_id))
        changed_agents = [
            agent
            for agent in agents_by_id.values()
            if _has_listing_changed(agent, self._listed_agents.get(agent.id))
        ]
        self._server.register(
            item for agent in changed_agents for item in _create_agent_items(agent)
        )
        self._listed_agents = agents_by_id


def _log_follow_error(error: PaddockError) -> None:
    log_failure(None, f"cannot follow the zoo: {error}")


def _remove_write_tools(server: BaseServer) -> None:
    for tool in server.tools:
        if is_write_tool(tool):
            server.tools.remove(tool.name)


def _has_listing_changed(agent: AgentSummary, listed: AgentSummary | None) -> bool:
    """Return True if an agent's name or description differs from the listed one."""
    return listed is None or (agent.name, agent.description) != (listed.name, listed.description)


def _create_agent_items(agent: AgentSummary) -> Iterator[Prompt | Resource]:
    """Yield the MCP prompt and the resources (profile and brain) that an agent is listed as."""
    yield Prompt(
        _get_prompt_name(agent.id),
        handler=partial(_render_adoption_prompt, agent.id),
        title=f"Use Agent: {agent.name}",
        description=agent.description or f"Make the chat act as {agent.name}",
        arguments=[],
        takes_dictionary=True,
    )
    yield Resource(
        get_agent_uri(agent.id),
        partial(read_agent, agent.id),
        name=agent.name,
        description=agent.description or "An agent with its soul and skills",
        mime_type=MIME_TYPE,
    )
    yield Resource(
        get_brain_uri(agent.id),
        partial(_read_brain, agent.id),
        name=f"{agent.name}: brain",
        description=f"The brain of {agent.name}",
        mime_type=MIME_TYPE,
    )


def _get_prompt_name(agent_id: str) -> str:
    return PROMPT_PREFIX + quote(agent_id, safe="")


def _render_adoption_prompt(agent_id: str, _arguments: dict[str, str], ctx: Context) -> str:
    """Return the text of the prompt that makes a chat act as an agent.

    The injection is recorded because the prompt injects the agent into the chat.
    """
    # The prompt has no options. The tool's options apply, so both inject the same text.
    options: dict[str, Any] = get_option_values(ctx, inject_tool)
    _, injection = get_caller_zoo(ctx).injector.inject(
        agent_id,
        memory=None if options[MEMORY_OPTION_NAME] else False,
        budget_tokens=options[MEMORY_TOKENS_OPTION_NAME],
        source=CHANGE_SOURCE,
    )
    return f"{ADOPTION_TEXT}\n\n{injection.prompt}"


def _read_brain(agent_id: str, ctx: Context) -> dict[str, Any]:
    """Return an agent's brain. Unlike the template, this resource has no conditions in its URI."""
    return read_brain(agent_id, ctx)


def _get_changed_uris(event: ZooEvent) -> Iterator[str]:
    """Yield the URIs of the MCP resources whose content a zoo event has changed."""
    if event.agent_id is None:
        return
    if event.kind in _LISTING_EVENTS:
        yield get_agent_uri(event.agent_id)
    elif event.kind.startswith("brain:"):
        yield get_brain_uri(event.agent_id)
        if event.entry_id is not None:
            yield f"{get_brain_uri(event.agent_id)}/{quote(event.entry_id, safe='')}"
    elif event.kind == "agent:handedOver":
        yield get_brain_uri(str(event.detail.get("toAgentId", event.agent_id)))
