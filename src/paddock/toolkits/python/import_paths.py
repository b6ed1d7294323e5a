"""Where the modules of a project are found, told without starting its interpreter."""

from __future__ import annotations

import re
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.toolkits.python.interpreters import PythonInterpreter

_SOURCE_FOLDERS = ("src", "lib", "python")
_HOME_PATTERN = re.compile(r"^home\s*=\s*(.+?)\s*$", re.MULTILINE)
_EDITABLE_PATH_PATTERN = re.compile(r"'[\w.]+': '([^'\n]+)'")
_MAX_CONFIG_BYTES = 1_000_000


def find_import_paths(project: Path, interpreter: PythonInterpreter, file: Path | None = None) -> list[str]:
    """The directories that modules are imported from, as the project's interpreter has them."""
    found = [*_find_package_root(file, project), project, *(project / name for name in _SOURCE_FOLDERS)]
    for packages in interpreter.site_packages:
        found += [packages, *_read_editable_paths(packages)]
    found += _find_standard_library(interpreter)
    return [str(place) for place in dict.fromkeys(found) if place.is_dir()]


def _find_package_root(file: Path | None, project: Path) -> Iterator[Path]:
    """Where the topmost package that a file is in lies."""
    if file is None:
        return
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder != project and folder != folder.parent:
        folder = folder.parent
    yield folder


def _read_editable_paths(packages: Path) -> Iterator[Path]:
    """What `.pth` files add, as those of editable installations do."""
    for file in sorted(packages.glob("*.pth")):
        for line in _read_text(file).splitlines():
            if line.strip() and not line.startswith(("import ", "import\t", "#")):
                yield (packages / line.strip()).resolve()
    for finder in sorted(packages.glob("__editable___*_finder.py")):
        for place in _EDITABLE_PATH_PATTERN.findall(_read_text(finder)):
            yield Path(place).parent


def _find_standard_library(interpreter: PythonInterpreter) -> Iterator[Path]:
    """Its standard library, or ours if that is not where it is expected."""
    minor = ".".join(interpreter.version.split(".")[:2])
    home = _HOME_PATTERN.search(_read_text(interpreter.prefix / "pyvenv.cfg"))
    places = [Path(home[1]).parent] if home else []
    for prefix in (*places, interpreter.prefix):
        library = prefix / "lib" / f"python{minor}"
        if (library / "os.py").is_file():
            yield from (library, library / "lib-dynload")
            return
    for name in ("stdlib", "platstdlib"):
        yield Path(sysconfig.get_path(name))
    yield Path(sysconfig.get_path("platstdlib")) / "lib-dynload"
    yield from [Path(path) for path in sys.path if path.endswith(".zip")]


def _read_text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(_MAX_CONFIG_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
