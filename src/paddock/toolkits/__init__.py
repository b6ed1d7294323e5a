"""The tools, prompts and servers that come with Paddock, by families.

`paddock.toml` declares them; their definitions are in `tools/`, `prompts/` and `servers/`, and what
those run in a package for each family. Nothing imports them but their definitions.
"""
