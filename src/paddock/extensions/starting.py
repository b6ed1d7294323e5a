"""Writing a new extension: a distribution that works, to be changed by its author.

The files are those in `starter`, with blanks that are filled in. What they do is told in the
README.md among them.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from string import Template
from typing import NamedTuple

from paddock.extensions.errors import ExtensionError
from paddock.extensions.extension import qualified

STARTER = Path(__file__).parent / "starter"
SERVER = "Writing"
ENDING = ".template"
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_PLACES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "init.py": "src/{module}/__init__.py",
    "texts.py": "src/{module}/texts.py",
    "paddock.toml": "src/{module}/paddock.toml",
    "CountWords.py": "src/{module}/agenttools/tools/CountWords.py",
    "Shorten.toml": "src/{module}/agenttools/prompts/Shorten.toml",
    "Writing.toml": "src/{module}/agenttools/servers/Writing.toml",
    "test_extension.py": "tests/test_extension.py",
}
"""Where each file of the starter goes."""


class Started(NamedTuple):
    """A new extension."""

    name: str
    server: str
    """The qualified name of its server."""
    files: tuple[Path, ...]
    """What was written, relative to its directory."""


class StartError(ExtensionError):
    """A new extension cannot be written as it was asked for."""

    code = "cannot-start-extension"


def start_extension(
    directory: Path, *, name: str | None = None, publisher: str | None = None
) -> Started:
    """Write a new extension into a directory, which is made if need be.

    Args:
        directory: An empty directory, or one that is not there.
        name: What the extension and its distribution are called; else the directory's name.
        publisher: Gives its items names of three parts.

    Raises:
        StartError: when the directory is not empty, or a name cannot be.
    """
    name = name or directory.absolute().name
    for what, given in (("name", name), ("publisher", publisher)):
        if given is not None and not _NAME.fullmatch(given):
            raise StartError(
                f"{given!r} cannot be the {what} of an extension",
                hint="use letters, digits, '-', '_' and '.' between them, as in acme-charts",
            )
    _check_empty(directory)
    module = module_name(name)
    full = qualified(name, publisher)
    blanks = {
        "name": name,
        "module": module,
        "full": full,
        "publisher": "" if publisher is None else f'publisher = "{publisher}"\n',
    }
    places = {one: Path(place.format(module=module)) for one, place in _PLACES.items()}
    for source, place in places.items():
        text = (STARTER / f"{source}{ENDING}").read_text(encoding="utf-8")
        file = directory / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(Template(text).substitute(blanks), encoding="utf-8")
    return Started(full, f"{full}/{SERVER}", tuple(places.values()))


def module_name(name: str) -> str:
    """The Python package of a distribution of a name."""
    module = re.sub(r"\W+", "_", name).lower()
    if not module.isidentifier() or keyword.iskeyword(module):
        module = f"ext_{module}"
    return module


def _check_empty(directory: Path) -> None:
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise StartError(
            "is not an empty directory", where=str(directory), hint="name one that is not there yet"
        )
