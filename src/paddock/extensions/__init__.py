"""Extensions: what a manifest declares, found without running it and loaded when it is used.

Paddock itself is one: its own tools, prompts and servers come in through `paddock.toml`.
"""
