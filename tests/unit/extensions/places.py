"""Extensions on disk, for tests."""

import textwrap
from pathlib import Path

from paddock.extensions.extension import (
    BUILT_IN_EXTENSION_NAME,
    Extension,
    ExtensionKind,
    read_extension,
)
from paddock.extensions.registry import ItemRegistry


def write(file: Path, text: str) -> Path:
    """A file with a text, and the directories that it needs."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    return file


def extension(directory: Path, manifest: str, package: str = "charts") -> Extension:
    """The extension that a manifest in a directory makes of it."""
    write(directory / "paddock.toml", manifest)
    kind: ExtensionKind = "built-in" if package == BUILT_IN_EXTENSION_NAME else "distribution"
    return read_extension(directory, package, kind)


def registry(*extensions: Extension) -> ItemRegistry:
    return ItemRegistry(extensions)
