"""Extensions: packages whose manifest declares tools, prompts, resources and servers.

Discovery reads manifests and runs no code. Items are loaded on first use. Paddock's own items are
an extension too, declared in `paddock.toml`.

It may import `server`, `mounting` and the packages below them, but not `toolkits`.
"""
