"""The tools and prompts that search documentation, and the prompt `Notebook`."""
