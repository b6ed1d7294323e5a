"""Which Python a project is meant for: the one that its code and its tests are run with.

Named in a call or by whoever runs the server, else that of the virtual environment beside the
files, else of the one that is activated, else our own. Nothing is started to find that out but a
program that somebody has named.

Where the modules of a project are found, told without starting its interpreter.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.handler_errors import ToolError
from paddock.toolkits.paths import get_working_directory, resolve_path
from paddock.toolkits.tool_options import INTERPRETER_OPTION_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.authoring.context import Context


ENVIRONMENT_NAMES = (".venv", "venv", "env", ".env")
"""What people call the virtual environment of a project."""
ACTIVE_ENVIRONMENT_VARIABLES = ("VIRTUAL_ENV", "CONDA_PREFIX")
VERSION_TIMEOUT_SECONDS = 20.0
_IS_WINDOWS = sys.platform == "win32"
_ENVIRONMENT_CONFIG_FILE = "pyvenv.cfg"
_VERSION_PATTERN = re.compile(r"^version(?:_info)?\s*=\s*(\d+\.\d+(?:\.\d+)?)", re.MULTILINE)
_PROGRAM_NAME_PATTERN = re.compile(r"(python|pypy)[\d.]*w?(\.exe)?", re.IGNORECASE)
_VERSION_PROGRAM = "import platform; print(platform.python_version())"


class InterpreterError(ToolError):
    """An interpreter that was named is none, or does not start."""

    code = "python-interpreter"


class PythonInterpreter(NamedTuple):
    """A Python that can be started."""

    path: Path
    """The program. In a virtual environment a link, which must not be followed."""
    version: str
    """Such as 3.12.1."""
    origin: str
    """Where it was found, to be told: "the environment .venv", …"""

    @property
    def prefix(self) -> Path:
        """The directory of its environment."""
        return self.path.parent if _is_in_environment_root(self.path) else self.path.parent.parent

    @property
    def is_current(self) -> bool:
        """Whether it is the one that Paddock itself runs in."""
        return self.prefix.resolve() == Path(sys.prefix).resolve()

    @property
    def site_packages(self) -> list[Path]:
        """The directories of its environment that packages are installed in."""
        minor = ".".join(self.version.split(".")[:2])
        places = (f"lib/python{minor}", f"lib64/python{minor}", f"lib/pypy{minor}", "Lib")
        found = (self.prefix / place / "site-packages" for place in places)
        return list({place.resolve(): place for place in found if place.is_dir()}.values())


def choose_interpreter(
    ctx: Context, explicit: str | None = None, near: Path | None = None
) -> PythonInterpreter:
    """The interpreter for files near a directory, or near the client's working directory.

    `explicit` is what the call names: a program, or the directory of an environment. In the
    stateless era this may end the call, which then comes again: choose before doing anything else.

    Raises:
        InterpreterError: when what was named is no interpreter.
        FolderError: when it is named in the call and lies where tools may not go.
    """
    if explicit and explicit.strip():
        return _load_named_interpreter(
            _resolve_explicit_path(explicit.strip(), ctx), "named in the call"
        )
    chosen = ctx.options.get(INTERPRETER_OPTION_NAME)
    if chosen:
        path = Path(chosen).expanduser()
        found = shutil.which(chosen) if len(path.parts) == 1 and not path.exists() else None
        return _load_named_interpreter(
            Path(found or path), f"named by the option {INTERPRETER_OPTION_NAME}"
        )
    top = get_working_directory(ctx)
    broken: list[str] = []
    for place in _find_environments(near or top, top):
        program = _find_program(place)
        version = _read_version(place)
        if program is not None and version is not None:
            return PythonInterpreter(program, version, f"of the environment {place}")
        broken.append(str(place))
    own = "Paddock's own"
    if broken:
        own += f", as no Python starts in {', '.join(broken)}"
    return PythonInterpreter(Path(sys.executable), platform.python_version(), own)


def _resolve_explicit_path(explicit: str, ctx: Context) -> Path:
    """A path that a call may name: one on the search path of programs, or where tools may go."""
    given = Path(explicit).expanduser()
    if len(given.parts) == 1 and _PROGRAM_NAME_PATTERN.fullmatch(explicit):
        found = shutil.which(explicit)
        if found is not None:
            return Path(found)
    if given.is_absolute() and _is_on_search_path(given):
        return given
    # The program itself is not followed: a link makes it that of an environment.
    place = resolve_path(str(given.parent), ctx) / given.name
    return resolve_path(explicit, ctx) if place.is_dir() else place


def _is_on_search_path(program: Path) -> bool:
    """Whether a program is one that whoever runs the server would start under its name."""
    found = shutil.which(program.name)
    return program == Path(sys.executable) or (found is not None and Path(found) == program)


def _load_named_interpreter(path: Path, origin: str) -> PythonInterpreter:
    program = _find_program(path) if path.is_dir() else path
    if program is None:
        raise InterpreterError(
            f"There is no Python in the directory {path}",
            hint="name a program, or the directory of a virtual environment",
        )
    if not _PROGRAM_NAME_PATTERN.fullmatch(program.name):
        raise InterpreterError(
            f"{program} is not called like a Python",
            hint="name a program such as .venv/bin/python, or the directory of an environment",
        )
    if not program.is_file() or not os.access(program, os.X_OK):
        raise InterpreterError(
            f"There is no program {program}", hint="relative paths begin where the client works"
        )
    program = Path(os.path.abspath(program))  # noqa: PTH100 - links must not be followed
    if program == Path(sys.executable):
        return PythonInterpreter(program, platform.python_version(), origin)
    return PythonInterpreter(
        program, _query_version(str(program), program.stat().st_mtime_ns), origin
    )


@lru_cache(maxsize=64)
def _query_version(program: str, _changed: int) -> str:
    """What a program says its version is; asked once for each that there is."""
    try:
        done = subprocess.run(  # noqa: S603 - somebody named it, and it may be started
            [program, "-I", "-S", "-c", _VERSION_PROGRAM],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InterpreterError(f"{program} does not start: {error}") from None
    version = done.stdout.decode(errors="replace").strip()
    if done.returncode or not re.fullmatch(r"\d+\.\d+\S*", version):
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise InterpreterError(f"{program} is no Python that works" + (f": {last}" if last else ""))
    return version


def _find_environments(near: Path, top: Path) -> Iterator[Path]:
    """The virtual environments that may be meant, the nearest first."""
    for folder in _list_project_folders(near, top):
        for name in ENVIRONMENT_NAMES:
            place = folder / name
            if (place / _ENVIRONMENT_CONFIG_FILE).is_file() and _is_trusted(place):
                yield place
    for variable in ACTIVE_ENVIRONMENT_VARIABLES:
        value = os.environ.get(variable)
        if value and Path(value).is_dir() and Path(value).resolve() != Path(sys.prefix).resolve():
            yield Path(value)


def _list_project_folders(near: Path, top: Path) -> Iterator[Path]:
    """From a directory up to where the project ends; what lies above may be anybody's."""
    above = [near, *near.parents]
    for number, folder in enumerate(above):
        if folder == top or (folder / ".git").exists():
            yield from above[: number + 1]
            return
    yield near
    yield from [folder for folder in above[1:] if (folder / "pyproject.toml").is_file()][:1]


def _is_trusted(place: Path) -> bool:
    """Whether an environment belongs to who runs the server, or to the system."""
    return _IS_WINDOWS or place.stat().st_uid in (os.getuid(), 0)


def _find_program(place: Path) -> Path | None:
    """The interpreter of an environment, if it can be started."""
    places = ("Scripts/python.exe", "python.exe") if _IS_WINDOWS else ("bin/python", "bin/python3")
    found = (place / name for name in places)
    return next((path for path in found if path.is_file() and os.access(path, os.X_OK)), None)


def _read_version(place: Path) -> str | None:
    """What an environment says is the version of its Python, else what that says itself."""
    try:
        found = _VERSION_PATTERN.search(
            (place / _ENVIRONMENT_CONFIG_FILE).read_text("utf-8", "replace")
        )
    except OSError:
        found = None
    if found:
        return found[1]
    libraries = sorted(place.glob("lib/python3.*"))
    if libraries:
        return libraries[-1].name.removeprefix("python")
    program = _find_program(place)
    if program is None:
        return None
    try:
        return _query_version(str(program), program.stat().st_mtime_ns)
    except InterpreterError:
        return None


def _is_in_environment_root(program: Path) -> bool:
    """Whether programs stand in the directory of an environment itself: Conda's on Windows."""
    return _IS_WINDOWS and program.parent.name.lower() != "scripts"


_SOURCE_FOLDERS = ("src", "lib", "python")
_HOME_PATTERN = re.compile(r"^home\s*=\s*(.+?)\s*$", re.MULTILINE)
_EDITABLE_PATH_PATTERN = re.compile(r"'[\w.]+': '([^'\n]+)'")
_MAX_CONFIG_BYTES = 1_000_000


def find_import_paths(
    project: Path, interpreter: PythonInterpreter, file: Path | None = None
) -> list[str]:
    """The directories that modules are imported from, as the project's interpreter has them."""
    found = [
        *_find_package_root(file, project),
        project,
        *(project / name for name in _SOURCE_FOLDERS),
    ]
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
