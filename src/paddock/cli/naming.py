"""Words on the command line that may be the name of a server, or lead to a file."""

from __future__ import annotations

from pathlib import Path


def parse_server_name(word: str) -> str | Path:
    """A name, or the path of a definition file where a word is one."""
    return Path(word) if word.endswith(".toml") and Path(word).is_file() else word
