"""The tools, resources and prompts of the AgentZoo server."""
