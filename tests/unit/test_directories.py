"""Where Paddock keeps what belongs to its user."""

from pathlib import Path

import platformdirs
import pytest

from paddock.directories import DATA_DIRECTORY_VARIABLE, get_data_directory


def test_it_is_where_other_programs_of_the_system_keep_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(DATA_DIRECTORY_VARIABLE)
    assert get_data_directory() == platformdirs.user_data_dir("paddock", appauthor=False)


def test_a_relative_xdg_directory_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DATA_DIRECTORY_VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", "here")
    assert "here" not in get_data_directory()


def test_the_user_can_choose_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, "~/mine")
    assert get_data_directory() == str(Path.home() / "mine")
