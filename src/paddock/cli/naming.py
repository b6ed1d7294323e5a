"""Words on the command line that may be the name of a server, or lead to a file."""

from __future__ import annotations

from pathlib import Path

FILE_ENDINGS = (".py", ".toml")
SIGNS = ("/", "\\", ":")


def looks_like_path(word: str) -> bool:
    """Whether a word is written like the path of a file; a qualified name is too."""
    return word.endswith(FILE_ENDINGS) or any(sign in word for sign in SIGNS)


def server_name(word: str) -> str | Path:
    """A name, or the path of a definition file where a word is one."""
    return Path(word) if word.endswith(".toml") and Path(word).is_file() else word
