"""The server AgentZoo: what it says about itself, and what it is made of."""

from __future__ import annotations

import os

from paddock.server import Server
from paddock.toolkits.zoo import agents, brains, defaults
from paddock.toolkits.zoo.declaring import is_writing
from paddock.toolkits.zoo.living import Following
from paddock.toolkits.zoo.resources import TEMPLATES, agents_resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.authoring.tool import Tool

READ_ONLY_VARIABLE = "PADDOCK_ZOO_READ_ONLY"
PAGE_SIZE = 500
INSTRUCTIONS = """\
The agents of this person: each has a soul, skills and a brain that remembers.

When the person asks for an agent, or a conversation begins that one of them suits, call \
agent_zoo_inject with its id or name and be that agent from then on. agent_zoo_list_agents says \
who there is, and agent_zoo_get_default_agent which one a project wants.

While you are an agent, keep its brain: without being asked, call agent_zoo_create_brain_entry \
when something is decided (decision), finished (milestone) or learned (note), and with a summary \
when the work ends. Write each entry so that it can be understood without this conversation, and \
look into the brain (agent_zoo_search_brain) before you ask the person what the agent may know. \
Never put passwords or keys into it."""
TOOLS: list[Tool] = [
    agents.inject_tool,
    agents.list_agents_tool,
    agents.find_agents_tool,
    agents.get_agent_tool,
    brains.create_entry_tool,
    brains.update_entry_tool,
    brains.delete_entry_tool,
    brains.query_entries_tool,
    brains.search_brain_tool,
    brains.hand_over_tool,
    agents.toggle_skill_tool,
    defaults.get_default_tool,
    defaults.set_default_tool,
]


def make_server() -> Server:
    """The server, without the tools that write if whoever runs it wants none."""
    server = Server(
        "AgentZoo",
        title="Agent zoo",
        description="Agents with a soul, skills and a memory, to be injected into any chat",
        instructions=INSTRUCTIONS,
        page_size=PAGE_SIZE,
    )
    server.own_lifespan = Following(server).lifespan
    reads_only = os.environ.get(READ_ONLY_VARIABLE, "").lower() in ("1", "true", "yes")
    server.register(tool for tool in TOOLS if not (reads_only and is_writing(tool)))
    server.register([agents_resource, *TEMPLATES])
    return server
