"""Runs pytest in the project's interpreter, or lends it ours where the project has none.

Started as a program with its settings as JSON. Only the standard library, of Python 3.8.
"""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import json
import os
import sys
from typing import Any

SHARED_PACKAGES = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
MIN_PYTHON_VERSION = (3, 10)
NO_PYTEST_STATUS = 90
"""How it ends when there is no pytest, and none can be lent."""


class SharedPackageFinder:
    """Finds pytest and what it needs in another environment, and nothing else there."""

    def __init__(self, places: list[str]) -> None:
        self._search_paths = places

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """What leads to a module that is lent."""
        top = name.partition(".")[0]
        if top not in SHARED_PACKAGES:
            return None
        finder = importlib.machinery.PathFinder
        return finder.find_spec(name, self._search_paths if name == top else path)

    def find_distributions(self, context: Any = None) -> Any:
        """What is known of a distribution that is lent."""
        if getattr(context, "name", None) not in SHARED_PACKAGES:
            return iter(())
        finder = importlib.metadata.MetadataPathFinder
        wanted = importlib.metadata.DistributionFinder.Context(
            name=context.name, path=self._search_paths
        )
        return finder.find_distributions(wanted)


def main() -> int:
    """Run the tests."""
    settings = json.loads(sys.argv[1])
    # As `python -m pytest` has it, with a path that holds when the directory changes.
    sys.path[0] = os.getcwd()
    sys.argv = ["pytest", *settings["arguments"]]
    try:
        import pytest
    except ModuleNotFoundError as error:
        if error.name != "pytest":
            raise
        if not settings["lent"] or sys.version_info < MIN_PYTHON_VERSION:
            return NO_PYTEST_STATUS
        sys.meta_path.append(SharedPackageFinder(settings["lent"]))
        import pytest
    sys.path.append(settings["plugin"])
    return int(pytest.main(settings["arguments"]))


if __name__ == "__main__":
    sys.exit(main())
