"""The local files and installed distributions that Python files need on other machines.

A portable bundle contains the files that a server imports from its own directory, and lists the
distributions that it imports from the environment. The files are parsed, not run.
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
"""The file that marks the root of a virtual environment."""


class BundleError(PaddockError):
    """A server cannot be bundled, or the bundle cannot be written."""

    code = "bundle"


class ImportedModule(NamedTuple):
    """A module that a file imports."""

    name: str
    is_optional: bool
    """True if the file also works without the module."""


def collect_imported_files(file: Path) -> list[Path]:
    """Return a Python file, and the files in its directory that it imports directly or indirectly.

    The files are parsed, not run.

    Raises:
        BundleError: A file is not valid Python.
    """
    directory = file.resolve().parent
    collected_files: set[Path] = set()
    pending_files = [file.resolve()]
    while pending_files:
        current_file = pending_files.pop()
        if current_file in collected_files:
            continue
        collected_files.add(current_file)
        for module in parse_imports(current_file):
            pending_files.extend(_find_module_files(directory, module.name))
    return sorted(collected_files)


def list_server_files(directory: Path) -> list[Path]:
    """Return the files of a server's directory that are copied into a bundle.

    Hidden files, virtual environments and caches are left out, because they are not needed or may
    contain secrets. So are links that point outside the directory.
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
    """Return the requirements of Python files, such as `["httpx>=0.28.1"]`.

    They are the installed distributions that contain the imported modules.

    Raises:
        BundleError: A distribution cannot be installed on other machines, or a module is not in
            any distribution.
    """
    requirements = {
        _find_module_requirement(module, file) for file in files for module in parse_imports(file)
    }
    return sorted(requirement for requirement in requirements if requirement is not None)


def find_requirement(module: str, where: str) -> str:
    """Return the requirement for a module, such as `httpx>=0.28.1`.

    Args:
        module: The top-level name of the module.
        where: The file that imports it, for errors.

    Raises:
        BundleError: No installed distribution contains the module, or the distribution cannot be
            installed on other machines.
    """
    distribution_names = _map_modules_to_distributions().get(module, [])
    if not distribution_names:
        raise BundleError(
            f"no installed distribution contains the module {module!r}",
            where=where,
            hint="install it from a package index, or put the file beside this one",
        )
    module_distribution = distribution(distribution_names[0])
    if _is_local_distribution(module_distribution):
        raise BundleError(
            f"{module_distribution.name} is installed from a directory of this machine",
            where=where,
            hint="publish it, or leave out --portable to make a bundle for this machine only",
        )
    return f"{module_distribution.name}>={module_distribution.version}"


def parse_imports(file: Path) -> list[ImportedModule]:
    """Return the top-level modules that a Python file imports, such as `acme` for `acme.charts`.

    The file is parsed, not run. Files without the suffix `.py` are not parsed and give [].

    Raises:
        BundleError: The file is not valid Python.
    """
    if file.suffix != ".py":
        return []
    try:
        tree = ast.parse(file.read_bytes(), str(file))
    except SyntaxError as error:
        raise BundleError(
            f"not valid Python: {error.msg}", where=f"{file}:{error.lineno}"
        ) from None
    return sorted({*_iterate_imports(tree, is_optional=False)})


def _iterate_imports(node: ast.AST, *, is_optional: bool) -> Iterator[ImportedModule]:
    """Yield the modules that are imported in a syntax tree.

    Relative imports, and imports in `if TYPE_CHECKING:` blocks, are left out.

    Args:
        node: The root of the tree.
        is_optional: True inside a `try` statement, which may handle a missing module.
    """
    if isinstance(node, ast.Import):
        yield from (
            ImportedModule(alias.name.partition(".")[0], is_optional) for alias in node.names
        )
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield ImportedModule(node.module.partition(".")[0], is_optional)
    is_optional_inside = is_optional or isinstance(node, ast.Try)
    children = node.orelse if _is_type_checking_block(node) else ast.iter_child_nodes(node)
    for child in children:
        yield from _iterate_imports(child, is_optional=is_optional_inside)


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
    parents = (directory.joinpath(*parts[:depth]) for depth in range(1, len(parts)))
    return not any(parent.joinpath(ENVIRONMENT_MARKER).exists() for parent in parents)


def _find_module_requirement(module: ImportedModule, file: Path) -> str | None:
    """Return the requirement for an imported module, such as `httpx>=0.28.1`, or None.

    Standard library modules, Paddock's own modules and those in the file's directory need no
    requirement. An optional module that is not installed on this machine is not required either.

    Raises:
        BundleError: The module cannot be installed on other machines.
    """
    is_always_present = module.name in sys.stdlib_module_names or module.name == PADDOCK_MODULE
    if is_always_present or _has_local_module(file, module.name):
        return None
    if module.is_optional and module.name not in _map_modules_to_distributions():
        return None
    return find_requirement(module.name, str(file))


def _has_local_module(file: Path, module: str) -> bool:
    """Return whether a module is next to a file, or up to two directories above it.

    A file in a package may import modules that are next to the package.
    """
    return any(_find_module_files(directory, module) for directory in file.parents[:3])


def _is_local_distribution(installed: Distribution) -> bool:
    # PEP 610: the file records the origin of a distribution that is not from a package index.
    return '"file:' in (installed.read_text("direct_url.json") or "")


@cache
def _map_modules_to_distributions() -> dict[str, list[str]]:
    return dict(packages_distributions())
