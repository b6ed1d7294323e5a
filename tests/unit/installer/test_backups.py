"""Copies of clients' files."""

from pathlib import Path

import pytest

from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.installer.file_writer import (
    MAX_BACKUPS_PER_FILE,
    create_backup,
    list_backups,
    prune_backups,
)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))
    return tmp_path / "data"


def test_the_newest_of_each_file_are_kept_and_the_first(tmp_path: Path) -> None:
    for number in range(MAX_BACKUPS_PER_FILE + 3):
        create_backup(tmp_path / "a.json", b"%d" % number)
        prune_backups(tmp_path / "a.json")
    create_backup(tmp_path / "b.json", b"other")
    kept = [place.read_bytes() for place in list_backups(tmp_path / "a.json")]
    assert kept == [
        *(b"%d" % number for number in reversed(range(4, MAX_BACKUPS_PER_FILE + 3))),
        b"0",
    ]
    assert [place.read_bytes() for place in list_backups(tmp_path / "b.json")] == [b"other"]


def test_only_their_owner_can_read_them(tmp_path: Path) -> None:
    place = create_backup(tmp_path / "a.json", b"secret")
    assert place.stat().st_mode & 0o777 == 0o600
    assert place.parent.stat().st_mode & 0o077 == 0


def test_a_link_and_its_file_have_the_same_backups(tmp_path: Path) -> None:
    file, link = tmp_path / "a.json", tmp_path / "link.json"
    file.touch()
    link.symlink_to(file)
    assert list_backups(file) == []
    create_backup(link, b"content")
    assert len(list_backups(file)) == 1
