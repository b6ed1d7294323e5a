"""Nothing in the working directory takes the place of an installed server of that name."""

import os
from pathlib import Path

import pytest

from paddock.errors import PaddockError
from paddock.named_servers.missing_extensions import find_missing_extensions
from paddock.named_servers.server_ref import ServerRef, find_target, is_path_target
from paddock.serving.target import PathTarget
from tests.command_line.program import Program

OTHER = """
from paddock import Server
Server("Intruder").run()
"""


@pytest.fixture
def there(paddock: Program, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory in which there are files with the names of servers."""
    for name in ("acme/charts/Charts", "absent/there", "acme/charts/Nothing"):
        file = paddock.work / name / "server.py"
        file.parent.mkdir(parents=True)
        file.write_text(OTHER, encoding="utf-8")
    monkeypatch.chdir(paddock.work)
    return paddock.work


def test_a_qualified_name_is_the_server_though_there_is_such_a_path(there: Path) -> None:
    assert isinstance(find_target("acme/charts/Charts"), ServerRef)
    assert not is_path_target("acme/charts/Charts")
    assert find_missing_extensions("acme/charts/Charts") == []


@pytest.mark.parametrize(
    "text",
    [
        "./acme/charts/Charts",
        "absent/there",
        "acme/charts/Nothing",
        "absent/there/server.py",
        "acme/charts/Charts/",
    ],
)
def test_what_is_written_as_a_path_or_is_not_a_server_is_the_path(there: Path, text: str) -> None:
    assert is_path_target(text)
    assert isinstance(find_target(text), PathTarget)


def test_a_program_of_that_name_is_not_started(there: Path, paddock: Program) -> None:
    file = paddock.work / "deep" / "Small"
    file.parent.mkdir()
    file.write_text("#!/bin/sh\ntouch touched\n", encoding="utf-8")
    file.chmod(0o755)
    assert paddock("call", "deep/Small", "Say").out == "deep\n"
    assert not (paddock.work / "touched").exists()


@pytest.mark.usefixtures("all_installed")
@pytest.mark.parametrize("name", ["no-manifest/Server", "new-schema/Server"])
def test_a_broken_extension_is_not_a_reason_to_run_what_is_called_like_it(
    there: Path, paddock: Program, name: str
) -> None:
    file = there / name / "server.py"
    file.parent.mkdir(parents=True)
    file.write_text(OTHER, encoding="utf-8")
    with pytest.raises(PaddockError) as raised:
        find_target(name)
    assert raised.value.code in ("extension-not-found", "invalid-manifest")
    environment = {"PYTHONPATH": os.environ["PYTHONPATH"]}
    said = paddock("inspect", name, environment=environment)
    assert said.code == 2
    assert "Intruder" not in said.out + said.err
