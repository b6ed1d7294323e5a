"""Which Python the tools take for a project."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from paddock import Context, Server, Tool
from paddock.testing import connect
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTIONS, ALLOWED_FOLDERS_VARIABLE
from paddock.toolkits.python.interpreters import ACTIVE_ENVIRONMENT_VARIABLES, choose_interpreter
from paddock.toolkits.tool_options import INTERPRETER_OPTION_NAME, INTERPRETER_OPTIONS

Choose = Callable[..., str]
OWN = f"{sys.executable} {platform.python_version()}: "


def chosen(ctx: Context, interpreter: str | None = None, near: str | None = None) -> str:
    found = choose_interpreter(ctx, interpreter, Path(near) if near else None)
    return f"{found.path} {found.version}: {found.origin}"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and nothing else that tools may touch."""
    place = tmp_path / "work"
    (place / "tests").mkdir(parents=True)
    (tmp_path / "temporary").mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    for variable in (ALLOWED_FOLDERS_VARIABLE, *ACTIVE_ENVIRONMENT_VARIABLES):
        monkeypatch.delenv(variable, raising=False)
    return place


@pytest.fixture
def choose(era: str, work: Path) -> Choose:
    def call(option: str | None = None, **arguments: str) -> str:
        options = {
            **INTERPRETER_OPTIONS,
            **ALLOWED_FOLDERS_OPTIONS,
        }
        server = Server("s", tools=[Tool("chosen", chosen, options=options)])
        server.set_tool_options({"chosen": {INTERPRETER_OPTION_NAME: option}})
        with connect(server, era=era) as peer:
            return peer.call("chosen", **arguments).text

    return call


@pytest.fixture
def environment(work: Path) -> Path:
    """A real virtual environment of the project."""
    place = work / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    return place


def test_without_anything_it_is_our_own(choose: Choose) -> None:
    assert choose() == f"{OWN}Paddock's own"


def test_the_environment_beside_or_above_the_files_is_the_projects(
    choose: Choose, work: Path, environment: Path
) -> None:
    told = f"{environment / 'bin/python'} {platform.python_version()}: of the environment "
    assert choose() == told + str(environment)
    assert choose(near=str(work / "tests")) == told + str(environment)


def test_an_environment_above_the_project_counts_for_nothing(
    choose: Choose, work: Path, environment: Path
) -> None:
    shutil.move(environment, work.parent / ".venv")
    assert choose(near=str(work / "tests")) == f"{OWN}Paddock's own"


def test_an_activated_environment_counts_after_that_of_the_project(
    choose: Choose, work: Path, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = work.parent / "activated"
    shutil.copytree(environment, other, symlinks=True)
    monkeypatch.setenv("VIRTUAL_ENV", str(other))
    assert choose().endswith(f"of the environment {environment}")
    shutil.rmtree(environment)
    assert choose().endswith(f"of the environment {other}")


def test_an_environment_whose_python_is_gone_is_ignored_and_named(
    choose: Choose, environment: Path
) -> None:
    for program in (environment / "bin").glob("python*"):
        program.unlink()
    (environment / "bin/python").symlink_to("/nowhere/python3")
    assert choose() == f"{OWN}Paddock's own, because no Python starts in {environment}"


@pytest.mark.parametrize("given", [".venv", ".venv/bin/python", "./.venv/bin/python3"])
def test_a_call_may_name_a_program_or_an_environment(
    choose: Choose, environment: Path, given: str
) -> None:
    told = choose(interpreter=given, near="/")
    assert told.startswith(f"{environment}/bin/python")
    assert told.endswith(f" {platform.python_version()}: named in the call")


def test_the_operator_of_the_server_may_name_any_interpreter(
    choose: Choose, tmp_path: Path
) -> None:
    link = tmp_path / "python3"
    link.symlink_to(sys.executable)
    assert choose(option=str(link)) == (
        f"{link} {platform.python_version()}: named by the option Interpreter"
    )


def test_a_call_may_name_no_program_where_tools_may_not_go(choose: Choose, tmp_path: Path) -> None:
    (tmp_path / "python3").symlink_to(sys.executable)
    assert "is outside the folders" in choose(interpreter=str(tmp_path / "python3"))


def test_our_own_and_those_on_the_search_path_may_be_named(
    choose: Choose, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert choose(interpreter=sys.executable) == f"{OWN}named in the call"
    (tmp_path / "python9").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + os.environ["PATH"])
    assert choose(interpreter="python9").startswith(f"{tmp_path / 'python9'} ")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("tests", None, "{}/tests contains no Python"),
        ("prog", "#!/bin/sh\necho 3.12.1\n", "{}/prog does not have the name of a Python"),
        ("python3.99", None, "{}/python3.99 is not an executable file"),
        ("python", "#!/bin/sh\necho no >&2; exit 1\n", "{}/python is not a working Python: no"),
        ("python", "#!/bin/sh\necho hello\n", "{}/python is not a working Python"),
    ],
)
def test_what_is_not_python_is_reported(
    choose: Choose, work: Path, name: str, content: str | None, told: str
) -> None:
    if content is not None:
        (work / name).write_text(content)
        (work / name).chmod(0o755)
    assert choose(interpreter=f"./{name}").startswith(told.format(work))
