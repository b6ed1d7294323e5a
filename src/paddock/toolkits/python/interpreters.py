"""Selection of a project's Python interpreter and its import paths.

The interpreter is the one that the call or the server's options name, or else that of the virtual
environment next to the files, the activated environment, or Paddock itself. Only programs that the
user named or that belong to trusted environments are started.
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
from paddock.toolkits.paths import RELATIVE_PATH_HINT, get_working_directory, resolve_path
from paddock.toolkits.tool_options import INTERPRETER_OPTION_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.authoring.context import Context


# Usual names for a project's virtual environment, most common first.
ENVIRONMENT_NAMES = (".venv", "venv", "env", ".env")
ACTIVE_ENVIRONMENT_VARIABLES = ("VIRTUAL_ENV", "CONDA_PREFIX")
VERSION_TIMEOUT_SECONDS = 20.0
_IS_WINDOWS = sys.platform == "win32"
_ENVIRONMENT_CONFIG_FILE = "pyvenv.cfg"
_VERSION_PATTERN = re.compile(r"^version(?:_info)?\s*=\s*(\d+\.\d+(?:\.\d+)?)", re.MULTILINE)
_PROGRAM_NAME_PATTERN = re.compile(r"(python|pypy)[\d.]*w?(\.exe)?", re.IGNORECASE)
_VERSION_PROGRAM = "import platform; print(platform.python_version())"
_SOURCE_FOLDERS = ("src", "lib", "python")
_HOME_PATTERN = re.compile(r"^home\s*=\s*(.+?)\s*$", re.MULTILINE)
# The finder for an editable install contains its paths as text. It is read but never run.
_EDITABLE_PATH_PATTERN = re.compile(r"'[\w.]+': '([^'\n]+)'")
_MAX_CONFIG_BYTES = 1_000_000


class InterpreterError(ToolError):
    """A named interpreter does not exist or does not start."""

    code = "python-interpreter"


class PythonInterpreter(NamedTuple):
    """A Python interpreter that runs or analyses a project's code."""

    path: Path
    """The executable. In a virtual environment, it is a link that must not be resolved."""
    version: str
    """A version such as 3.12.1."""
    origin: str
    """How it was found, for messages: "of the environment .venv", …"""

    @property
    def prefix(self) -> Path:
        """The directory of its environment."""
        return self.path.parent if _is_in_environment_root(self.path) else self.path.parent.parent

    @property
    def is_current(self) -> bool:
        """Whether Paddock itself runs in this environment."""
        return self.prefix.resolve() == Path(sys.prefix).resolve()

    @property
    def site_packages(self) -> list[Path]:
        """The directories where the environment's packages are installed."""
        minor_version = ".".join(self.version.split(".")[:2])
        libraries = (
            f"lib/python{minor_version}",
            f"lib64/python{minor_version}",
            f"lib/pypy{minor_version}",
            "Lib",  # Windows
        )
        directories = (self.prefix / library / "site-packages" for library in libraries)
        # `lib64` is often a link to `lib`. Resolved paths are used as keys so that it is listed
        # only once.
        return list({path.resolve(): path for path in directories if path.is_dir()}.values())


def choose_interpreter(
    ctx: Context, named_path: str | None = None, project_files: Path | None = None
) -> PythonInterpreter:
    """Return the Python interpreter to use for a project.

    The order is: the one that the call names, the one in the tool's options, a virtual environment
    near the files, an activated environment, Paddock's own interpreter. Environments whose Python
    does not start are skipped and named in the result's `origin`.

    A stateless server may have to ask the client for its roots. That ends the call, and the client
    repeats it with the answer. A handler must therefore choose the interpreter before its first
    side effect.

    Args:
        ctx: The context of the call, with the tool's options.
        named_path: The executable or environment directory that the call names.
        project_files: The directory of the files to run or inspect. Defaults to the client's
            working directory.

    Raises:
        InterpreterError: The named path is not an interpreter.
        PathNotAllowedError: The path in the call is outside the allowed folders.
    """
    if named_path and named_path.strip():
        path = _resolve_named_path(named_path.strip(), ctx)
        return _load_named_interpreter(path, "named in the call")
    configured = ctx.options.get(INTERPRETER_OPTION_NAME)
    if configured:
        path = Path(configured).expanduser()
        if len(path.parts) == 1 and not path.exists():
            # A name without a directory, such as `python3.12`, is looked up in `PATH`.
            path = Path(shutil.which(configured) or path)
        return _load_named_interpreter(path, f"named by the option {INTERPRETER_OPTION_NAME}")
    working_directory = get_working_directory(ctx)
    broken_environments: list[str] = []
    for environment in _find_environments(project_files or working_directory, working_directory):
        program = _find_program(environment)
        version = _read_version(environment)
        if program is not None and version is not None:
            return PythonInterpreter(program, version, f"of the environment {environment}")
        broken_environments.append(str(environment))
    origin = "Paddock's own"
    if broken_environments:
        origin += f", because no Python starts in {', '.join(broken_environments)}"
    return PythonInterpreter(Path(sys.executable), platform.python_version(), origin)


def _resolve_named_path(named_path: str, ctx: Context) -> Path:
    """Return the path of the interpreter or environment that a call names.

    The call may give the name of a program on the search path, such as `python3.12`, or a path
    within the folders that tools may access.

    Raises:
        PathNotAllowedError: The path is outside the folders that tools may access.
    """
    path = Path(named_path).expanduser()
    executable = shutil.which(path.name)
    if len(path.parts) == 1 and _PROGRAM_NAME_PATTERN.fullmatch(named_path) and executable:
        return Path(executable)
    # The name alone is allowed, so the full path of the same program is allowed too.
    is_on_search_path = executable is not None and path == Path(executable)
    if path.is_absolute() and (path == Path(sys.executable) or is_on_search_path):
        return path
    # The link must be kept: Python would not use the environment if started through its target.
    program = resolve_path(str(path.parent), ctx) / path.name
    return resolve_path(named_path, ctx) if program.is_dir() else program


def _load_named_interpreter(path: Path, origin: str) -> PythonInterpreter:
    """Return the interpreter for an executable or environment that the user named.

    The program is started to ask for its version, so only Python program names, such as
    `python3.12`, are accepted.

    Args:
        path: The executable or environment directory.
        origin: A description of where the path comes from, for messages.

    Raises:
        InterpreterError: The path is not a working Python.
    """
    program = _find_program(path) if path.is_dir() else path
    if program is None:
        raise InterpreterError(
            f"{path} contains no Python",
            hint="give an executable, or the directory of a virtual environment",
        )
    if not _PROGRAM_NAME_PATTERN.fullmatch(program.name):
        raise InterpreterError(
            f"{program} does not have the name of a Python",
            hint="give an executable such as .venv/bin/python, or the directory of an environment",
        )
    if not program.is_file() or not os.access(program, os.X_OK):
        raise InterpreterError(f"{program} is not an executable file", hint=RELATIVE_PATH_HINT)
    program = Path(os.path.abspath(program))  # noqa: PTH100 - `resolve` would follow links
    is_own = program == Path(sys.executable)
    version = platform.python_version() if is_own else _query_version(program)
    return PythonInterpreter(program, version, origin)


def _query_version(program: Path) -> str:
    """Start a Python interpreter and return its version, such as "3.12.1".

    The version is cached until the interpreter's file changes.
    """
    return _query_cached_version(str(program), program.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _query_cached_version(program: str, _modification_time_ns: int) -> str:
    """Start a Python interpreter and return the version that it prints.

    The modification time is only part of the cache key, so a changed program is started again.

    Raises:
        InterpreterError: The program does not start, or does not print a version.
    """
    try:
        process = subprocess.run(  # noqa: S603 - named by the user, or in a trusted environment
            # Without site and in isolated mode, no code from the environment runs.
            [program, "-I", "-S", "-c", _VERSION_PROGRAM],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InterpreterError(f"{program} does not start: {error}") from None
    version = process.stdout.decode(errors="replace").strip()
    if process.returncode or not re.fullmatch(r"\d+\.\d+\S*", version):
        last_line = process.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise InterpreterError(
            f"{program} is not a working Python" + (f": {last_line}" if last_line else "")
        )
    return version


def _find_environments(project_files: Path, working_directory: Path) -> Iterator[Path]:
    """Yield the virtual environments that may belong to a project, most likely first.

    Environments in the project's folders, such as `.venv`, come before activated ones.
    """
    for folder in _list_project_folders(project_files, working_directory):
        for name in ENVIRONMENT_NAMES:
            environment = folder / name
            if (environment / _ENVIRONMENT_CONFIG_FILE).is_file() and _is_trusted(environment):
                yield environment
    for variable in ACTIVE_ENVIRONMENT_VARIABLES:
        value = os.environ.get(variable)
        # If Paddock itself runs in the activated environment, the environment may have been
        # activated for Paddock rather than for the project.
        if value and Path(value).is_dir() and Path(value).resolve() != Path(sys.prefix).resolve():
            yield Path(value)


def _list_project_folders(project_files: Path, working_directory: Path) -> Iterator[Path]:
    """Yield a directory and its parents up to the project root.

    The root is the working directory or a Git repository. If there is neither, the only parent
    included is the nearest one with a `pyproject.toml`. Folders above the project may belong to
    other users, so they are not searched for environments.
    """
    ancestors = [project_files, *project_files.parents]
    for index, folder in enumerate(ancestors):
        if folder == working_directory or (folder / ".git").exists():
            yield from ancestors[: index + 1]
            return
    yield project_files
    yield from [folder for folder in ancestors[1:] if (folder / "pyproject.toml").is_file()][:1]


def _is_trusted(environment: Path) -> bool:
    # In a shared folder another user could have planted the environment.
    return _IS_WINDOWS or environment.stat().st_uid in (os.getuid(), 0)


def _find_program(environment: Path) -> Path | None:
    """Return an environment's executable, or None."""
    names = ("Scripts/python.exe", "python.exe") if _IS_WINDOWS else ("bin/python", "bin/python3")
    programs = (environment / name for name in names)
    return next((path for path in programs if path.is_file() and os.access(path, os.X_OK)), None)


def _read_version(environment: Path) -> str | None:
    """Return the Python version of an environment, or None if its Python does not start.

    The version is read from the environment's files. The program is started only if they do not
    contain the version.
    """
    match = _VERSION_PATTERN.search(_read_text(environment / _ENVIRONMENT_CONFIG_FILE))
    if match:
        return match[1]
    libraries = sorted(environment.glob("lib/python3.*"))
    if libraries:
        return libraries[-1].name.removeprefix("python")
    program = _find_program(environment)
    if program is None:
        return None
    try:
        return _query_version(program)
    except InterpreterError:
        return None


def _is_in_environment_root(program: Path) -> bool:
    # Conda on Windows puts the executable next to `Lib`, not in a scripts folder.
    return _IS_WINDOWS and program.parent.name.lower() != "scripts"


def find_import_paths(
    project: Path, interpreter: PythonInterpreter, file: Path | None = None
) -> list[str]:
    """Return the directories that a project's code imports modules from, like `sys.path`.

    The interpreter is not started: its directories are derived from its layout, and those of
    editable installations are read from files. Missing directories are left out.

    Args:
        project: The project directory.
        interpreter: The project's interpreter.
        file: A file whose package is searched first.
    """
    directories = [
        *_find_package_root(file, project),
        project,
        *(project / name for name in _SOURCE_FOLDERS),
    ]
    for site_packages in interpreter.site_packages:
        directories += [site_packages, *_read_editable_paths(site_packages)]
    directories += _find_standard_library(interpreter)
    return [str(directory) for directory in dict.fromkeys(directories) if directory.is_dir()]


def _find_package_root(file: Path | None, project: Path) -> Iterator[Path]:
    """Yield the directory that a file's package is imported from, if there is a file.

    It is the directory that contains the file's topmost package, but never above the project.
    """
    if file is None:
        return
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder != project and folder != folder.parent:
        folder = folder.parent
    yield folder


def _read_editable_paths(site_packages: Path) -> Iterator[Path]:
    """Yield the directories that `.pth` files and editable installations add to the import path.

    setuptools installs some editable packages with an import hook, a generated module named
    `__editable___*_finder.py`. The paths in that module are read without running it.
    """
    for file in sorted(site_packages.glob("*.pth")):
        for line in _read_text(file).splitlines():
            if line.strip() and not line.startswith(("import ", "import\t", "#")):
                yield (site_packages / line.strip()).resolve()
    for finder in sorted(site_packages.glob("__editable___*_finder.py")):
        for package_path in _EDITABLE_PATH_PATTERN.findall(_read_text(finder)):
            yield Path(package_path).parent


def _find_standard_library(interpreter: PythonInterpreter) -> Iterator[Path]:
    """Yield the directories of the standard library, or Paddock's own if they are not found.

    A virtual environment does not contain the standard library. Its configuration file names the
    installation that contains it.
    """
    minor_version = ".".join(interpreter.version.split(".")[:2])
    home_match = _HOME_PATTERN.search(_read_text(interpreter.prefix / _ENVIRONMENT_CONFIG_FILE))
    prefixes = [Path(home_match[1]).parent] if home_match else []
    for prefix in (*prefixes, interpreter.prefix):
        library = prefix / "lib" / f"python{minor_version}"
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
