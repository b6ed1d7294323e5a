"""The tools, resources and prompts of the server AgentZoo: the zoo as a chat sees it."""
