"""Creates new extensions from the templates in `starter`.

The README.md template explains the files to the author.
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
"""Distributions and modules of Paddock and its dependencies, which an extension must not shadow."""
_NAME_PATTERN = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_TEST_MODULES = ("test_extension", "conftest")
"""Modules that pytest imports before the tests import the package."""
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
"""The path of each template in the new extension."""


class ExtensionScaffold(NamedTuple):
    """The names and files of an extension written by `create_extension`."""

    name: str
    server: str
    """The qualified name of its server."""
    files: tuple[Path, ...]
    """Paths relative to the extension's directory."""


class ScaffoldError(ExtensionError):
    """A new extension cannot be created with the given name or directory."""

    code = "cannot-start-extension"


def create_extension(
    directory: Path, *, name: str | None = None, publisher: str | None = None
) -> ExtensionScaffold:
    """Write the files of a new extension: a Python package with an example tool and server.

    The files are created from templates.

    Args:
        directory: A directory that does not exist or contains only hidden files.
        name: The name of the extension and its distribution (default: the directory's name).
        publisher: The publisher, for item names of the form `publisher/name/Item`.

    Raises:
        ScaffoldError: The directory is not empty or not writable, or a name is invalid.
    """
    name = name or directory.absolute().name
    _check_names(name, publisher)
    _require_empty_directory(directory)
    module = make_module_name(name)
    full_name = format_extension_name(name, publisher)
    substitutions = {
        "name": name,
        "module": module,
        "full": full_name,
        "publisher": "" if publisher is None else f'publisher = "{publisher}"\n',
    }
    target_paths = {
        template: Path(target_path.format(module=module))
        for template, target_path in _TARGET_PATHS.items()
    }
    try:
        for template, target_path in target_paths.items():
            text = (TEMPLATE_DIRECTORY / f"{template}{TEMPLATE_SUFFIX}").read_text(encoding="utf-8")
            file = directory / target_path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(Template(text).substitute(substitutions), encoding="utf-8")
    except OSError as error:
        raise ScaffoldError(
            f"cannot be written: {error.strerror or error}",
            where=str(error.filename or directory),
            hint="choose a directory that you may write to",
        ) from None
    return ExtensionScaffold(
        full_name, f"{full_name}/{TEMPLATE_SERVER_NAME}", tuple(target_paths.values())
    )


def _check_names(name: str, publisher: str | None) -> None:
    """Check the name and the publisher of a new extension.

    Raises:
        ScaffoldError: A name is invalid, or would shadow Paddock or one of its dependencies.
    """
    for label, part in (("name", name), ("publisher", publisher)):
        if part is not None and not _NAME_PATTERN.fullmatch(part):
            raise ScaffoldError(
                f"{part!r} is not a valid {label} of an extension",
                hint="use letters, digits, and '-', '_' and '.' between them, as in acme-charts",
            )
    if normalize_distribution_name(name) in RESERVED_NAMES:
        raise ScaffoldError(
            f"{name!r} cannot be the name of an extension: Paddock or one of its dependencies has "
            "this name",
            hint=f"choose another, as in my-{name}: --name my-{name}",
        )


def make_module_name(name: str) -> str:
    """Return the name of the Python package for a distribution, such as `acme_charts`.

    The name gets the prefix `ext_` if Python could not import a package with this name, or would
    import a different module, such as one from the standard library.
    """
    module = re.sub(r"\W+", "_", name).lower()
    is_taken = module in sys.stdlib_module_names or module in _TEST_MODULES
    is_importable = module.isidentifier() and not keyword.iskeyword(module)
    return module if is_importable and not is_taken else f"ext_{module}"


def _require_empty_directory(directory: Path) -> None:
    """Check that a directory does not exist or contains only hidden files.

    Otherwise, new files could overwrite existing ones.

    Raises:
        ScaffoldError: The directory contains other files, or the path is a file.
    """
    try:
        is_empty = not directory.exists() or (
            directory.is_dir() and not any(directory.glob("[!.]*"))
        )
    except OSError:
        is_empty = True  # writing the files reports the error, with the file name
    if not is_empty:
        raise ScaffoldError(
            "is not an empty directory",
            where=str(directory),
            hint="choose a directory that does not exist yet",
        )
