"""Copies of clients' files."""

from pathlib import Path

import pytest

from paddock.clients.backups import KEPT, back_up, backups_of, forget_old
from paddock.directories import DATA_VARIABLE


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "data"))
    return tmp_path / "data"


def test_the_newest_of_each_file_are_kept_and_the_first(tmp_path: Path) -> None:
    for number in range(KEPT + 3):
        back_up(tmp_path / "a.json", b"%d" % number)
        forget_old(tmp_path / "a.json")
    back_up(tmp_path / "b.json", b"other")
    kept = [place.read_bytes() for place in backups_of(tmp_path / "a.json")]
    assert kept == [*(b"%d" % number for number in reversed(range(4, KEPT + 3))), b"0"]
    assert [place.read_bytes() for place in backups_of(tmp_path / "b.json")] == [b"other"]


def test_only_their_owner_can_read_them(tmp_path: Path) -> None:
    place = back_up(tmp_path / "a.json", b"secret")
    assert place.stat().st_mode & 0o777 == 0o600
    assert place.parent.stat().st_mode & 0o077 == 0


def test_a_link_and_its_file_have_the_same_backups(tmp_path: Path) -> None:
    file, link = tmp_path / "a.json", tmp_path / "link.json"
    file.touch()
    link.symlink_to(file)
    assert backups_of(file) == []
    back_up(link, b"content")
    assert len(backups_of(file)) == 1
