"""Texts on the command line that may be in a file: `TEXT` or `@FILE`."""

from __future__ import annotations

from pathlib import Path

from paddock.cli.complaints import ArgumentError


def read_text_or_file(text: str, where: str) -> str:
    """The text itself, or what is in the file that it names.

    Raises:
        ArgumentError: when the file cannot be read.
    """
    if not text.startswith("@"):
        return text
    file = Path(text[1:]).expanduser()
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"Cannot read {file}: {error}", where=where) from None
