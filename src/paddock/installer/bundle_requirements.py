"""What Python files need to run somewhere else: files beside them, and installed distributions.

Found by reading the files, not by running them.
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from importlib.metadata import Distribution, distribution, packages_distributions
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PADDOCK_MODULE = "paddock"
EXCLUDED_NAMES = frozenset({"__pycache__", "node_modules"})
ENVIRONMENT_MARKER = "pyvenv.cfg"
"""The file that makes a directory a virtual environment."""


class BundleError(PaddockError):
    """A server cannot be put into a bundle as it is."""

    code = "bundle"


class ImportedModule(NamedTuple):
    """A module that a file imports."""

    name: str
    is_optional: bool
    """Whether the file goes on without it."""


def collect_imported_files(file: Path) -> list[Path]:
    """A Python file, and the modules and packages beside it that it imports, and so on."""
    found: dict[Path, None] = {}
    waiting = [file.resolve()]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found[one] = None
        for module in parse_imports(one):
            waiting.extend(_find_module_files(file.resolve().parent, module.name))
    return sorted(found)


def list_server_files(directory: Path) -> list[Path]:
    """The files of a directory that belong to a server.

    Left out are files and directories with a dot before their names, environments, what is made by
    Python itself, and links that lead out of the directory: there may be secrets in them.
    """
    root = directory.resolve()
    return sorted(
        path
        for path in directory.rglob("*")
        if path.is_file()
        and path.resolve().is_relative_to(root)
        and _is_server_file(path, directory)
    )


def collect_requirements(files: list[Path]) -> list[str]:
    """The distributions that Python files import, as requirements.

    Raises:
        BundleError: when a module comes from no distribution that could be installed elsewhere.
    """
    found = set()
    for file in files:
        for module in parse_imports(file):
            requirement = _find_module_requirement(module, file)
            if requirement is not None:
                found.add(requirement)
    return sorted(found)


def find_requirement(module: str, where: str) -> str:
    """The requirement that brings a module.

    Raises:
        BundleError: when none can.
    """
    names = _map_modules_to_distributions().get(module, [])
    if not names:
        raise BundleError(
            f"no installed distribution has the module {module!r}",
            where=where,
            hint="install it from the package index, or put the file beside this one",
        )
    found = distribution(names[0])
    if _is_local_distribution(found):
        raise BundleError(
            f"{found.name} is installed from a directory, where nobody else can get it",
            where=where,
            hint="publish it, or make a bundle for this machine: leave out --portable",
        )
    return f"{found.name}>={found.version}"


def parse_imports(file: Path) -> list[ImportedModule]:
    """The modules that a file imports, by the first part of their names.

    Raises:
        BundleError: when it is no Python.
    """
    if file.suffix != ".py":
        return []
    try:
        tree = ast.parse(file.read_bytes(), str(file))
    except SyntaxError as error:
        raise BundleError(f"is no Python: {error.msg}", where=f"{file}:{error.lineno}") from None
    return sorted({*_iterate_imports(tree, is_optional=False)})


def _iterate_imports(node: ast.AST, *, is_optional: bool) -> Iterator[ImportedModule]:
    if isinstance(node, ast.Import):
        yield from (
            ImportedModule(alias.name.partition(".")[0], is_optional) for alias in node.names
        )
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield ImportedModule(node.module.partition(".")[0], is_optional)
    inside = is_optional or isinstance(node, ast.Try)
    children = node.orelse if _is_type_checking_block(node) else ast.iter_child_nodes(node)
    for child in children:
        yield from _iterate_imports(child, is_optional=inside)


def _is_type_checking_block(node: ast.AST) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _find_module_files(directory: Path, module: str) -> list[Path]:
    file = directory / f"{module}.py"
    if file.is_file():
        return [file]
    return list_server_files(directory / module)


def _is_server_file(path: Path, directory: Path) -> bool:
    parts = path.relative_to(directory).parts
    if any(part.startswith(".") or part in EXCLUDED_NAMES for part in parts):
        return False
    folders = (directory.joinpath(*parts[:depth]) for depth in range(1, len(parts)))
    return not any(folder.joinpath(ENVIRONMENT_MARKER).exists() for folder in folders)


def _find_module_requirement(module: ImportedModule, file: Path) -> str | None:
    is_known = module.name in sys.stdlib_module_names or module.name == PADDOCK_MODULE
    if is_known or _has_local_module(file, module.name):
        return None
    if module.is_optional and module.name not in _map_modules_to_distributions():
        return None
    return find_requirement(module.name, str(file))


def _has_local_module(file: Path, module: str) -> bool:
    """Whether a module stands beside a file, or beside the package that the file is in."""
    folders = [file.parent, *file.parents[1:3]]
    return any(_find_module_files(folder, module) for folder in folders)


def _is_local_distribution(found: Distribution) -> bool:
    return '"file:' in (found.read_text("direct_url.json") or "")


@cache
def _map_modules_to_distributions() -> dict[str, list[str]]:
    return dict(packages_distributions())
