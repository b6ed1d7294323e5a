"""The server `PythonDevelopment` as clients start it: a process of its own, and all its tools."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock import Peer, connect
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.toolkits.python.interpreters import ACTIVE_ENVIRONMENT_VARIABLES
from tests.architecture.test_import_budget import among, modules_after
from tests.kernels.test_python_test_report import BARE

HEAVY = {
    "griffe",
    "jedi",
    "jupyter_client",
    "jupytext",
    "nbformat",
    "parso",
    "pytest",
    "subprocess",
}
NOTEBOOK = {
    "cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# Twice"}],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
CODE = """\
import os
with open("RAN", "a") as file:
    file.write(f"{os.getpid()} ")


def double(number: int) -> int:
    return 2 * number
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("project")
    (place / "twice.py").write_text(CODE)
    (place / "pyproject.toml").write_text(BARE)
    (place / "test_twice.py").write_text(
        "from twice import double\n\ndef test_double():\n    assert double(2) == 5\n"
    )
    (place / "twice.ipynb").write_text(json.dumps(NOTEBOOK))
    return place


@pytest.fixture(scope="module")
def peer(project: Path) -> Iterator[Peer]:
    """The server, over the standard input and output of a process."""
    environment = {
        key: value for key, value in os.environ.items() if key not in ACTIVE_ENVIRONMENT_VARIABLES
    }
    environment[DATA_DIRECTORY_VARIABLE] = str(project.parent / "data")
    command = [sys.executable, "-m", "paddock", "serve", "PythonDevelopment"]
    with connect(command, env=environment, cwd=project) as connected:
        yield connected


def test_listing_its_tools_loads_nothing_that_they_need() -> None:
    loaded = modules_after("import paddock.toolkits.notebooks, paddock.toolkits.python.tools")
    assert "paddock.toolkits.python.tools" in loaded
    assert among(HEAVY, loaded) == set()


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("PythonEvaluator", {"code": "6 * 7"}, "42"),
        ("PythonSymbolDefinition", {"symbols": "twice.double"}, "return 2 * number"),
        ("PythonTestReport", {}, "**Actual Output:**\n\n```py\n4\n```"),
        ("PythonCodeInspector", {"code": "import os\n"}, "`os` imported but unused"),
        (
            "PythonDoc",
            {"operation": "checkDocstrings", "file": "twice.py"},
            "- Line 6: `double` has no docstring",
        ),
        ("WriteNotebook", {"file": "a.ipynb", "markdown": "# Twice\n"}, "a.ipynb"),
        ("ReadNotebook", {"notebook": "twice.ipynb"}, "# Twice\n"),
    ],
)
def test_each_tool_answers(peer: Peer, tool: str, arguments: dict[str, str], told: str) -> None:
    answer = peer.call(tool, arguments)
    assert not answer.is_error, answer.text
    assert told in answer.text


def test_no_tool_has_loaded_the_projects_code_into_the_server(peer: Peer, project: Path) -> None:
    (project / "RAN").unlink(missing_ok=True)
    peer.call("PythonSymbolDefinition", symbols="twice.double, twice.nothing", live=True)
    peer.call("PythonTestReport")
    ran = (project / "RAN").read_text().split()
    assert len(ran) == 2
    assert all(not Path(f"/proc/{pid}").exists() for pid in ran)
