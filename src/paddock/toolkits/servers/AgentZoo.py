"""The server `AgentZoo`."""

from paddock.toolkits.zoo.agent_zoo import make_server

server = make_server()

__all__ = ["server"]
