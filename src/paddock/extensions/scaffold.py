"""Writing a new extension: a distribution that works, to be changed by its author.

The files are those in `starter`, with blanks that are filled in. What they do is told in the
README.md among them.
"""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path
from string import Template
from typing import NamedTuple

from paddock.extensions.errors import ExtensionError
from paddock.extensions.extension import format_extension_name
from paddock.extensions.names import normalize_distribution_name

TEMPLATE_DIRECTORY = Path(__file__).parent / "starter"
TEMPLATE_SERVER_NAME = "Writing"
TEMPLATE_SUFFIX = ".template"
RESERVED_NAMES = frozenset(
    [
        *("paddock", "click", "filelock", "jsonschema-rs", "msgspec", "packaging", "rich"),
        *("ruamel-yaml", "tomlkit", "httptools", "pyjwt", "urllib3", "uvicorn", "uvloop"),
        *("cloudpickle", "pytest", "jwt", "ruamel"),
    ]
)
"""Paddock, and what it and the new extension need, by the names of distributions and of modules:
another distribution of that name would take its place."""
_NAME_PATTERN = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_TEST_MODULES = ("test_extension", "conftest")
"""Modules that pytest has imported by the time the tests look for the package."""
_TARGET_PATHS = {
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


class ExtensionScaffold(NamedTuple):
    """A new extension."""

    name: str
    server: str
    """The qualified name of its server."""
    files: tuple[Path, ...]
    """What was written, relative to its directory."""


class ScaffoldError(ExtensionError):
    """A new extension cannot be written as it was asked for."""

    code = "cannot-start-extension"


def create_extension(
    directory: Path, *, name: str | None = None, publisher: str | None = None
) -> ExtensionScaffold:
    """Write a new extension into a directory, which is made if need be.

    Args:
        directory: One that is not there, or is empty but for hidden files.
        name: What the extension and its distribution are called; else the directory's name.
        publisher: Gives its items names of three parts.

    Raises:
        StartError: when the directory is not empty or cannot be written, or a name cannot be.
    """
    name = name or directory.absolute().name
    for what, given in (("name", name), ("publisher", publisher)):
        if given is not None and not _NAME_PATTERN.fullmatch(given):
            raise ScaffoldError(
                f"{given!r} cannot be the {what} of an extension",
                hint="use letters, digits, '-', '_' and '.' between them, as in acme-charts",
            )
    if normalize_distribution_name(name) in RESERVED_NAMES:
        raise ScaffoldError(
            f"{name!r} cannot be the name of an extension: Paddock needs the distribution of that "
            "name",
            hint=f"choose another, as in my-{name}: --name my-{name}",
        )
    _require_empty_directory(directory)
    module = make_module_name(name)
    full = format_extension_name(name, publisher)
    blanks = {
        "name": name,
        "module": module,
        "full": full,
        "publisher": "" if publisher is None else f'publisher = "{publisher}"\n',
    }
    places = {one: Path(place.format(module=module)) for one, place in _TARGET_PATHS.items()}
    try:
        for source, place in places.items():
            text = (TEMPLATE_DIRECTORY / f"{source}{TEMPLATE_SUFFIX}").read_text(encoding="utf-8")
            file = directory / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(Template(text).substitute(blanks), encoding="utf-8")
    except OSError as error:
        raise ScaffoldError(
            f"cannot be written: {error.strerror or error}",
            where=str(error.filename or directory),
            hint="name a directory that you may write to",
        ) from None
    return ExtensionScaffold(full, f"{full}/{TEMPLATE_SERVER_NAME}", tuple(places.values()))


def make_module_name(name: str) -> str:
    """The Python package of a distribution of a name, which nothing else hides."""
    module = re.sub(r"\W+", "_", name).lower()
    is_hidden = module in sys.stdlib_module_names or module in _TEST_MODULES
    if not module.isidentifier() or keyword.iskeyword(module) or is_hidden:
        module = f"ext_{module}"
    return module


def _require_empty_directory(directory: Path) -> None:
    try:
        is_empty = not directory.exists() or (
            directory.is_dir() and not any(directory.glob("[!.]*"))
        )
    except OSError:
        is_empty = True  # what is wrong with it is told when it is written
    if not is_empty:
        raise ScaffoldError(
            "is not an empty directory", where=str(directory), hint="name one that is not there yet"
        )
