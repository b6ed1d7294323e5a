"""Changing a file without loss while other programs write it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec import structs

from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.installer.file_writer import FileEdit, WriteError, apply_edit, list_backups
from tests.privileges import as_others_may


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))


def added(now: bytes | None, _: tuple[Path, ...] = ()) -> FileEdit:
    return FileEdit((now or b"") + b"+", lambda content: content is not None and b"+" in content)


def gone(_: bytes | None, __: tuple[Path, ...]) -> FileEdit:
    return FileEdit(None, lambda content: content is None)


def test_a_file_is_changed_and_the_old_content_kept(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(b"old")
    applied = apply_edit(file, added)
    assert (applied.before, applied.edit.after, file.read_bytes()) == (b"old", b"old+", b"old+")
    assert applied.backup is not None
    assert applied.backup.read_bytes() == b"old"


def test_what_a_client_wrote_in_the_meantime_is_not_lost(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(b"old")
    client_writes = iter([b"from the client"])

    def edit(now: bytes | None, _: tuple[Path, ...]) -> FileEdit:
        for content in client_writes:
            file.write_bytes(content)
        return added(now)

    apply_edit(file, edit)
    assert file.read_bytes() == b"from the client+"
    assert [place.read_bytes() for place in list_backups(file)] == [b"from the client"]


def test_a_file_that_appeared_in_the_meantime_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "c.json"

    def edit(now: bytes | None, _: tuple[Path, ...]) -> FileEdit:
        if now is None:
            file.write_bytes(b"from the client")
        return added(now)

    apply_edit(file, edit)
    assert file.read_bytes() == b"from the client+"


def test_a_change_that_a_client_undoes_at_once_is_made_again(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(b"old")
    reverts = iter([b"reverted"])

    @contextmanager
    def journal() -> Iterator[None]:
        yield
        for content in reverts:
            file.write_bytes(content)

    apply_edit(file, lambda now, _: structs.replace(added(now), recording=journal()))
    assert file.read_bytes() == b"reverted+"


def test_a_client_that_never_stops_is_an_error_and_its_content_stays(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(b"0")

    def edit(now: bytes | None, _: tuple[Path, ...]) -> FileEdit:
        file.write_bytes(b"%d" % (int(now or b"0") + 1))
        return added(now)

    with pytest.raises(WriteError):
        apply_edit(file, edit)
    assert file.read_bytes().isdigit()


def test_nothing_to_do_leaves_the_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(b"same")
    before = file.stat()
    apply_edit(file, lambda now, _: FileEdit(now, lambda _: True))
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    assert list_backups(file) == []


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    file, link = tmp_path / "real.json", tmp_path / "link.json"
    file.write_bytes(b"old")
    link.symlink_to(file)
    apply_edit(link, added)
    assert link.is_symlink()
    assert file.read_bytes() == b"old+"
    apply_edit(link, gone)
    assert (link.is_symlink(), file.exists()) == (True, False)


def test_links_in_a_circle_are_an_error(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.symlink_to(other)
    other.symlink_to(one)
    with pytest.raises(WriteError):
        apply_edit(one, added)


def test_a_directory_in_its_place_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WriteError):
        apply_edit(tmp_path, added)


def test_the_directories_of_a_file_are_created_and_reported(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "c.json"
    created: list[tuple[Path, ...]] = []

    def edit(now: bytes | None, directories: tuple[Path, ...]) -> FileEdit:
        created.append(directories)
        return added(now)

    apply_edit(file, edit)
    assert file.read_bytes() == b"+"
    assert created == [(tmp_path / "a" / "b", tmp_path / "a")]


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(b"old")
    file.chmod(0o444)
    with as_others_may(), pytest.raises(WriteError):
        apply_edit(file, added)
    assert file.read_bytes() == b"old"
