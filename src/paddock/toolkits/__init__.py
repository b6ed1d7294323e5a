"""Paddock's built-in tools, prompts and servers.

The manifest `paddock.toml` names the object that defines each tool and prompt; servers are defined
in `servers/`. Modules called `tools` declare tools and import as little as possible, because every
server loads them before it answers. A handler imports its implementation on the first call.

This package may import `zoo`, `docsearch` and the packages below them, but not `extensions`.
"""
