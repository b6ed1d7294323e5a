"""Archives that come from anybody: read as they are, unpacked safely, or refused."""

import io
import stat
import struct
import warnings
import zipfile
from pathlib import Path

import pytest

from paddock import LoadError
from paddock.extensions.errors import ManifestError
from paddock.extensions.paclets.archives import ArchiveError, PacletArchiveLimits, unpack_archive
from paddock.extensions.paclets.paclet import read_paclet
from paddock.extensions.registry import ItemRegistry
from tests.unit.extensions.paclets.making import SAMPLES, info, packed

GOOD = {"PacletInfo.wl": info('"Tools" -> { "Tool" }').encode()}


def archive(directory: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    """An archive of a good paclet with more in it, whatever the names are."""
    path = directory / "Scratch.paclet"
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        warnings.simplefilter("ignore")  # that a name stands twice is what we want
        for name, data in [*GOOD.items(), *entries]:
            zipped.writestr(name, data)
    return path


def special(name: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = mode << 16
    return entry


def everything_below(directory: Path) -> set[str]:
    return {path.relative_to(directory).as_posix() for path in directory.rglob("*")}


@pytest.mark.parametrize("folder", ["", "Sampler-1.2.0/"])
def test_an_archive_is_read_without_unpacking_it(tmp_path: Path, folder: str) -> None:
    path = packed(SAMPLES / "Sampler", tmp_path / "Sampler.paclet", folder)
    found = read_paclet(path)
    tool = ItemRegistry([found]).resolve_item("tools", "SamplePublisher/Sampler/Echo", where="here")
    assert (found.name, found.version, tool.title) == ("SamplePublisher/Sampler", "1.2.0", "Echo")
    assert everything_below(tmp_path) == {"Sampler.paclet"}


@pytest.mark.parametrize("folder", ["", "Sampler-1.2.0/"])
def test_an_archive_is_unpacked_without_the_folder_around_it(tmp_path: Path, folder: str) -> None:
    path = packed(SAMPLES / "Sampler", tmp_path / "Sampler.paclet", folder)
    target = unpack_archive(path, tmp_path / "new" / "Sampler")
    assert everything_below(target) == everything_below(SAMPLES / "Sampler")
    assert everything_below(tmp_path / "new") - {
        f"Sampler/{name}" for name in everything_below(target)
    } == {"Sampler"}
    assert read_paclet(target).manifest == read_paclet(path).manifest


def test_what_exists_already_is_left_as_it_is(tmp_path: Path) -> None:
    path = packed(SAMPLES / "Sampler", tmp_path / "Sampler.paclet")
    target = unpack_archive(path, tmp_path / "Sampler")
    (target / "mine.txt").write_text("kept", encoding="utf-8")
    assert unpack_archive(path, target) == target
    assert (target / "mine.txt").read_text(encoding="utf-8") == "kept"


BAD = {
    "up": "../escaped.txt",
    "up-inside": "AgentTools/../../escaped.txt",
    "absolute": "/escaped.txt",
    "drive": "C:/escaped.txt",
    "relative-drive": "C:escaped.txt",
    "share": "//host/share/escaped.txt",
    "backslash": "..\\escaped.txt",
    "stream": "PacletInfo.wl:stream",
    "dots": ".../escaped.txt",
    "blank": "AgentTools /escaped.txt",
    "twice": "PacletInfo.wl",
    "twice-but-for-case": "pacletinfo.WL",
    "long": "a" * 500,
}


@pytest.mark.parametrize("name", BAD.values(), ids=BAD)
def test_a_name_that_could_do_harm_is_refused(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path, (name, b"harm"))
    refused(path, tmp_path)


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_what_is_not_a_file_is_refused(tmp_path: Path, mode: int) -> None:
    path = archive(tmp_path, (special("AgentTools/link", mode | 0o777), b"/etc/passwd"))
    refused(path, tmp_path)


def test_a_file_that_is_also_a_folder_is_refused(tmp_path: Path) -> None:
    refused(archive(tmp_path, ("AgentTools", b"x"), ("agenttools/Tools/x.wl", b"x")), tmp_path)


def test_an_archive_that_unpacks_to_much_more_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, ("AgentTools/zeros", bytes(20_000_000)))
    assert path.stat().st_size < 100_000
    refused(path, tmp_path)


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, ("AgentTools/data", bytes(2000)))
    refused(path, tmp_path, PacletArchiveLimits(max_bytes=1000))


def test_an_archive_of_too_many_files_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, ("a", b""), ("b", b""))
    refused(path, tmp_path, PacletArchiveLimits(max_entries=2))


def test_a_claim_to_be_small_does_not_help(tmp_path: Path) -> None:
    path = archive(tmp_path, ("zeros", bytes(3_000_000)))
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\1\2", 24), (b"PK\3\4", 22)):
        at = data.rfind(mark)
        data[at + place : at + place + 4] = struct.pack("<L", 10)
    path.write_bytes(data)
    with pytest.raises(ArchiveError):
        unpack_archive(path, tmp_path / "target")
    assert everything_below(tmp_path) == {"Scratch.paclet"}


def test_a_list_of_files_that_would_fill_the_memory_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "Scratch.paclet"
    listed = 1 << 31
    path.write_bytes(b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, 9, 9, listed, 0, 0))
    refused(path, tmp_path)


def test_a_list_for_large_archives_is_not_read(tmp_path: Path) -> None:
    path = archive(tmp_path)
    data = path.read_bytes()
    end = data.rfind(b"PK\5\6")
    locator = b"PK\6\7" + struct.pack("<LQL", 0, 0, 1)
    path.write_bytes(data[:end] + locator + data[end:])
    refused(path, tmp_path)


def test_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, ("secret", b"x"))
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\1\2")
    data[at + 8] |= 1
    path.write_bytes(data)
    refused(path, tmp_path)


def test_an_unusual_packing_is_refused(tmp_path: Path) -> None:
    entry = zipfile.ZipInfo("packed")
    entry.compress_type = zipfile.ZIP_LZMA
    refused(archive(tmp_path, (entry, b"x" * 1000)), tmp_path)


@pytest.mark.parametrize("data", [b"", b"PK", b"no archive at all", b"PK\5\6" + bytes(10)])
def test_what_is_not_an_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "Scratch.paclet"
    path.write_bytes(data)
    refused(path, tmp_path)


def test_an_archive_that_ends_too_early_is_refused(tmp_path: Path) -> None:
    whole = packed(SAMPLES / "Sampler", tmp_path / "Scratch.paclet").read_bytes()
    for cut in range(1, len(whole), 97):
        (tmp_path / "Scratch.paclet").write_bytes(whole[:cut])
        refused(tmp_path / "Scratch.paclet", tmp_path)


def test_a_damaged_file_leaves_nothing_behind(tmp_path: Path) -> None:
    path = packed(SAMPLES / "Sampler", tmp_path / "Scratch.paclet")
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        last = zipped.infolist()[-1]
    at = last.header_offset + 30 + len(last.filename)
    data[at : at + 20] = bytes(20)
    path.write_bytes(data)
    with pytest.raises(ArchiveError):
        unpack_archive(path, tmp_path / "target")
    assert everything_below(tmp_path) == {"Scratch.paclet"}


def test_a_manifest_of_fifty_megabytes_is_refused(tmp_path: Path) -> None:
    text = info('"Tools" -> { "Tool" }') + "(*" + " " * 50_000_000 + "*)"
    path = tmp_path / "Scratch.paclet"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as zipped:
        zipped.writestr("PacletInfo.wl", text)
    with pytest.raises(ManifestError, match=r"longer than 1,000,000 bytes"):
        read_paclet(path)
    (tmp_path / "PacletInfo.wl").write_text(text, encoding="utf-8")
    with pytest.raises(ManifestError, match=r"longer than 1,000,000 bytes"):
        read_paclet(tmp_path)


def test_a_definition_of_fifty_megabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "Scratch.paclet"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as zipped:
        zipped.writestr("PacletInfo.wl", GOOD["PacletInfo.wl"])
        zipped.writestr("AgentTools/Tools/Tool.wl", b" " * 50_000_000)
    with pytest.raises(LoadError, match="longer than 2,000,000 bytes"):
        read_paclet(path).definition("tools", "Tool").load()


def test_an_archive_without_paclet_info_is_not_a_paclet(tmp_path: Path) -> None:
    path = tmp_path / "Scratch.paclet"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("deep/er/PacletInfo.wl", GOOD["PacletInfo.wl"])
    with pytest.raises(ManifestError):
        read_paclet(path)


def refused(path: Path, directory: Path, limits: PacletArchiveLimits | None = None) -> None:
    """It can be neither read nor unpacked, and nothing is left of the attempt."""
    before = everything_below(directory)
    with pytest.raises(ArchiveError) as fault:
        unpack_archive(
            path, directory / "target" / "Scratch", limits=limits or PacletArchiveLimits()
        )
    assert fault.value.where == str(path)
    if limits is None:
        with pytest.raises(ArchiveError):
            read_paclet(path)
    assert everything_below(directory) == before
    assert not (directory.parent / "escaped.txt").exists()


def test_an_archive_is_not_opened_for_every_definition_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"T{number}" for number in range(20)]
    listed = ", ".join(f'"{name}"' for name in names)
    tool = b'<| "Name" -> "t", "Function" -> f, "Parameters" -> { } |>'
    path = tmp_path / "Scratch.paclet"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("PacletInfo.wl", info(f'"Tools" -> {{ {listed} }}'))
        for name in names:
            zipped.writestr(f"AgentTools/Tools/{name}.wl", tool)
    times = 0

    class Counting(zipfile.ZipFile):
        def __init__(self, place: Path) -> None:
            nonlocal times
            times += 1
            super().__init__(place)

    monkeypatch.setattr(zipfile, "ZipFile", Counting)
    known = ItemRegistry([read_paclet(path)])
    for name in names:
        known.resolve_item("tools", f"Scratch/{name}", where="here")
    assert times < 5
