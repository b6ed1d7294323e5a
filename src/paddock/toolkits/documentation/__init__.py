"""The documentation search tools and prompts, and the prompt `Notebook`."""
