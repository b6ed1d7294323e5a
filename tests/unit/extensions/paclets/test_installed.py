"""Which paclets are found, and which of several versions counts."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from paddock.errors import LoadError
from paddock.extensions.discovery import clear_extension_caches, discover, discover_extension
from paddock.extensions.paclets.discovery import find_all, find_named, is_installed
from paddock.extensions.paclets.search_paths import PACLET_PATH_VARIABLE
from tests.privileges import as_others_may
from tests.unit.extensions.paclets.making import SAMPLES, info, packed
from tests.unit.extensions.places import write


@pytest.fixture(autouse=True)
def no_other_paclets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the paclets of the user who runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("WOLFRAM_USERBASE", raising=False)
    monkeypatch.setenv(PACLET_PATH_VARIABLE, str(tmp_path / "path"))


def names() -> list[tuple[str, str | None]]:
    return [(one.name, one.version) for one in find_all().extensions]


def add(place: Path, version: str = "1.0.0", name: str = "Charts") -> Path:
    write(place / "PacletInfo.wl", info('"Tools" -> { "Plot" }', name, version))
    return place


@pytest.mark.parametrize(
    "place",
    ["path", "path/Charts", "path/Repository/Charts-1.0.0", "path/Paclets/Repository/Charts-1.0.0"],
)
def test_a_paclet_is_found_in_a_directory_or_in_a_repository(tmp_path: Path, place: str) -> None:
    add(tmp_path / place)
    assert names() == [("Charts", "1.0.0")]


def test_the_folders_of_wolfram_are_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WOLFRAM_USERBASE", str(tmp_path / "base"))
    add(tmp_path / "base/Paclets/Repository/acme__Charts-1.0.0", name="acme/Charts")
    assert names() == [("acme/Charts", "1.0.0")]


def test_an_archive_on_the_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = packed(SAMPLES / "Sampler", tmp_path / "Sampler.paclet", "Sampler/")
    monkeypatch.setenv(PACLET_PATH_VARIABLE, str(archive))
    assert names() == [("SamplePublisher/Sampler", "1.2.0")]


def test_archives_in_a_directory_on_the_path_are_found(tmp_path: Path) -> None:
    (tmp_path / "path").mkdir()
    packed(SAMPLES / "Sampler", tmp_path / "path" / "Sampler.paclet", "Sampler/")
    add(tmp_path / "path" / "Charts")
    assert names() == [("Charts", "1.0.0"), ("SamplePublisher/Sampler", "1.2.0")]


def test_what_is_deeper_in_is_not_looked_for(tmp_path: Path) -> None:
    add(tmp_path / "path" / "project" / "Charts")
    assert names() == []


def test_of_several_versions_the_highest_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("1.9.0", "1.10.0", "1.2.0"):
        add(tmp_path / "path" / "Repository" / f"Charts-{version}", version)
    other = add(tmp_path / "other" / "Charts", "1.10")
    monkeypatch.setenv(PACLET_PATH_VARIABLE, os.pathsep.join([str(tmp_path / "path"), str(other)]))
    assert names() == [("Charts", "1.10.0")]


def test_the_highest_version_counts_even_when_it_is_not_an_extension(tmp_path: Path) -> None:
    add(tmp_path / "path" / "Charts-1", "1.0.0")
    write(
        tmp_path / "path" / "Charts-2" / "PacletInfo.wl",
        'PacletObject[<| "Name" -> "Charts", "WolframVersion" -> "1+", "Version" -> "2.0.0" |>]',
    )
    assert find_all() == ((), ())
    assert is_installed("Charts")
    assert not is_installed("Chart")


def test_the_highest_version_counts_even_when_it_is_broken(tmp_path: Path) -> None:
    add(tmp_path / "path" / "Charts-1", "1.0.0")
    broken = info('"Tools" -> { "Plot" ', version="2.0.0", name="Charts")
    write(tmp_path / "path" / "Charts-2" / "PacletInfo.wl", broken)
    found = find_all()
    assert found.extensions == ()
    assert [(one.name, one.version, one.place.name) for one in found.broken] == [
        ("Charts", "2.0.0", "Charts-2")
    ]


def test_one_that_is_broken_hides_no_other(tmp_path: Path) -> None:
    add(tmp_path / "path" / "Charts")
    write(tmp_path / "path" / "Bad" / "PacletInfo.wl", "AgentTools ((((")
    (tmp_path / "path" / "Worse").mkdir()
    (tmp_path / "path" / "Worse" / "PacletInfo.wl").write_bytes(b"AgentTools \xff\xfe\0")
    found = discover()
    assert [one.name for one in found.extensions if one.kind == "paclet"] == ["Charts"]
    assert {one.name for one in found.broken if one.kind == "paclet"} == {"Bad", "Worse"}


@pytest.mark.parametrize(
    "item",
    [
        *("Optional[" * 2000 + "a" + "]" * 2000, "1/(" * 150 + "1" + ")" * 150),
        *("{" * 3000 + "}" * 3000, "9" + "*9" * 100_000, "36^^" + "z" * 3900),
    ],
    ids=lambda item: item[:9],
)
def test_whatever_a_paclet_declares_hides_no_other(tmp_path: Path, item: str) -> None:
    odd = info(f'"Tools" -> {{ {item} }}, "More" -> {item}', name="Odd")
    write(tmp_path / "path" / "Odd" / "PacletInfo.wl", odd)
    add(tmp_path / "path" / "Charts")
    found = find_all()
    whole = {one.name for one in found.extensions}
    assert "Charts" in whole
    assert whole | {one.name for one in found.broken} == {"Charts", "Odd"}


@pytest.mark.skipif(os.name == "nt", reason="directories have no modes there")
@pytest.mark.parametrize("given", ["path", "path/Secret"])
def test_a_directory_that_may_not_be_entered_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv(PACLET_PATH_VARIABLE, str(tmp_path / given))
    secret = add(tmp_path / "path" / "Secret")
    secret.chmod(0)
    with as_others_may():
        found = find_all()
    secret.chmod(0o700)
    assert found.extensions == ()
    assert [(one.name, one.place, str(one.problem)) for one in found.broken] == [
        ("Secret", secret, f"{secret}: cannot be read: Permission denied")
    ]
    assert names() == [("Charts", "1.0.0")]


@pytest.mark.skipif(os.name == "nt", reason="directories have no modes there")
def test_definitions_that_may_not_be_read_are_reported_when_they_are_loaded(tmp_path: Path) -> None:
    place = add(tmp_path / "path" / "Charts")
    folder = place / "AgentTools" / "Tools"
    write(folder / "Plot.wl", '<| "Function" -> f |>')
    (paclet,) = find_all().extensions
    folder.chmod(0)
    with as_others_may(), pytest.raises(LoadError, match="cannot be read: Permission denied"):
        paclet.definition("tools", "Plot").load()
    folder.chmod(0o700)


def test_a_broken_archive_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Charts-1.0.paclet").write_bytes(b"not an archive")
    monkeypatch.setenv(PACLET_PATH_VARIABLE, str(tmp_path / "Charts-1.0.paclet"))
    assert [(one.name, one.problem.code) for one in find_all().broken] == [
        ("Charts", "invalid-archive")
    ]


def test_a_paclet_is_found_by_its_name(tmp_path: Path) -> None:
    add(tmp_path / "path" / "one", name="acme/Charts")
    add(tmp_path / "path" / "two", name="Charts")
    assert [one.name for one in find_named("acme/Charts").extensions] == ["acme/Charts"]
    assert [one.directory.name for one in discover_extension("Charts").extensions] == ["two"]
    assert find_named("Plots") == ((), ())


def test_what_changes_is_read_again(tmp_path: Path) -> None:
    place = add(tmp_path / "path" / "Charts")
    assert names() == [("Charts", "1.0.0")]
    add(place, "1.0.10")
    assert names() == [("Charts", "1.0.10")]
    shutil.rmtree(place)
    assert names() == []
    clear_extension_caches()
    assert names() == []


def test_other_paclets_do_not_load_the_parser(tmp_path: Path) -> None:
    for number in range(20):
        write(
            tmp_path / "path" / f"Other{number}" / "PacletInfo.wl",
            f'PacletObject[<| "Name" -> "Other{number}", "Version" -> "1.0.0" |>]',
        )
    program = (
        "import sys; from paddock.extensions.discovery import discover; discover();"
        "print([name for name in sys.modules if name.startswith('paddock.wolfram')"
        " or name in ('zipfile', 'paddock.extensions.paclets.paclet')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_files_that_raise_an_error_are_not_touched_by_discovery(tmp_path: Path) -> None:
    place = add(tmp_path / "path" / "Charts")
    write(place / "AgentTools" / "Tools" / "Plot.wl", "<| broken")
    write(place / "Kernel" / "Charts.wl", "Exit[1]")
    assert names() == [("Charts", "1.0.0")]
