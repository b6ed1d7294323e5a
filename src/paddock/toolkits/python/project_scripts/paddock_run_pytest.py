"""A program that runs pytest in the project's interpreter, with Paddock's pytest as a fallback.

It uses only the standard library and supports Python 3.8. Its argument is a JSON object.
"""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
import json
import os
import sys
from typing import Any

SHARED_PACKAGES = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
MIN_PYTHON_VERSION = (3, 10)
NO_PYTEST_STATUS = 90
"""The exit status if the project has no pytest and cannot use Paddock's."""


class SharedPackageFinder:
    """Import hook that finds pytest and its dependencies in Paddock's environment."""

    def __init__(self, search_paths: list[str]) -> None:
        self._search_paths = search_paths

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the import spec of a module in a shared package, or None for other modules."""
        package = name.partition(".")[0]
        # Nothing else in Paddock's environment may replace or hide the project's packages.
        if package not in SHARED_PACKAGES:
            return None
        finder = importlib.machinery.PathFinder
        return finder.find_spec(name, self._search_paths if name == package else path)

    def find_distributions(self, context: Any = None) -> Any:
        """Return a shared distribution's metadata, which pytest searches for plugins."""
        if getattr(context, "name", None) not in SHARED_PACKAGES:
            return iter(())
        finder = importlib.metadata.MetadataPathFinder
        query = importlib.metadata.DistributionFinder.Context(
            name=context.name, path=self._search_paths
        )
        return finder.find_distributions(query)


def main() -> int:
    """Run pytest and return its exit status.

    This script runs in the project's Python. The project's own pytest is preferred. Paddock's is
    made importable only if the project has no pytest and its Python is recent enough.
    """
    settings = json.loads(sys.argv[1])
    # Like `python -m pytest`, but absolute because tests may change the directory.
    sys.path[0] = os.getcwd()
    sys.argv = ["pytest", *settings["arguments"]]
    if importlib.util.find_spec("pytest") is None:
        if not settings["lent"] or sys.version_info < MIN_PYTHON_VERSION:
            return NO_PYTEST_STATUS
        sys.meta_path.append(SharedPackageFinder(settings["lent"]))
    pytest = importlib.import_module("pytest")
    sys.path.append(settings["plugin"])
    return int(pytest.main(settings["arguments"]))


if __name__ == "__main__":
    sys.exit(main())
