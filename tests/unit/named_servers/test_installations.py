"""Records of where servers are installed: nothing is lost, and nothing damaged is overwritten."""

import subprocess
import sys
from pathlib import Path

import pytest

from paddock import Installation, LoadError
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.installer.records import update_records
from paddock.named_servers.installations import get_installations_path, read_installations

PROGRAM = """
import sys
from paddock import Installation
from paddock.installer.records import update_records
for number in range(20):
    key = f"{sys.argv[1]}{number}"
    update_records(added=[Installation(server="s", client="cursor", file="/f.json", key=key)])
"""


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path))


def one(server: str = "calc", key: str = "calc") -> Installation:
    splice = {"before": "{}"}
    return Installation(server=server, client="cursor", file="/f.json", key=key, splice=splice)


def test_what_is_recorded_is_read_until_it_is_forgotten() -> None:
    assert read_installations() == []
    update_records(added=[one()])
    update_records(added=[one("other", "other")])
    assert read_installations() == [one(), one("other", "other")]
    assert read_installations("calc") == [one()]
    update_records(removed=[one()])
    assert read_installations() == [one("other", "other")]


def test_another_server_in_the_same_place_replaces_the_record() -> None:
    update_records(added=[one("Wolfram", "shared")])
    update_records(added=[one("WolframAlpha", "shared")])
    assert [record.server for record in read_installations()] == ["WolframAlpha"]


def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", PROGRAM, name]) for name in ("left", "right")
    ]
    assert [process.wait(timeout=60) for process in started] == [0, 0]
    assert len({record.key for record in read_installations()}) == 40


def test_records_of_a_newer_paddock_are_left_as_they_are() -> None:
    text = '{"schema": 9, "installations": {}}'
    path = get_installations_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LoadError):
        update_records(added=[one()])
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("text", ["{", "[]", '{"installations": [{"server": 1}]}'])
def test_damaged_records_are_set_aside(text: str) -> None:
    path = get_installations_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert read_installations() == []
    update_records(added=[one()])
    assert read_installations() == [one()]
    (aside,) = path.parent.glob("installations.broken-*")
    assert aside.read_text(encoding="utf-8") == text
