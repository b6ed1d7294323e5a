"""What a catalogue lists is installed as it is described, by one process, or not at all."""

import hashlib
import json
import re
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest

from paddock import get_server
from paddock.errors import PaddockError
from paddock.extensions.catalogues import store
from paddock.extensions.catalogues.document import CatalogueEntry, parse_catalogue
from paddock.extensions.catalogues.installer import describe_installation, install_entry
from paddock.extensions.catalogues.remote import find_remote_extension
from paddock.extensions.errors import FetchError, HashMismatchError, InstallExtensionError
from paddock.extensions.paclets.archives import ArchiveError
from tests.catalogues.conftest import CATALOGUE, wheel, write_catalogue
from tests.catalogues.web import Web
from tests.command_line.program import PATIENCE, Program
from tests.unit.extensions.paclets.making import info

SAMPLER = "SamplePublisher/Sampler"


def entry(name: str) -> CatalogueEntry:
    found = find_remote_extension(name)
    assert found is not None
    return found.entry


def left_in(data: Path) -> list[str]:
    """What is in the data directory besides locks."""
    files = (file.relative_to(data).as_posix() for file in data.rglob("*"))
    return [file for file in files if not file.startswith("locks")]


def relisted(archive: Path, *, by: CatalogueEntry, **changes: object) -> CatalogueEntry:
    """An archive with the description of another."""
    data = archive.read_bytes()
    return by._replace(
        url=str(archive),
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        **changes,  # type: ignore[arg-type]  # as the test names them
    )


def test_a_paclet_is_unpacked_and_found(known: Path, data: Path) -> None:
    assert describe_installation(entry(SAMPLER))[-1] == (
        f"unpack it into {data / 'paclets' / 'SamplePublisher__Sampler-1.2.0'}"
    )
    assert install_entry(entry(SAMPLER))
    server = get_server(f"{SAMPLER}/Bench")
    assert not server.is_remote
    assert "Echo" in str(server.definition.tools)
    assert not install_entry(entry(SAMPLER)), "it is there"
    assert not (data / "downloads").exists()


def test_a_paclet_is_fetched_over_the_web(web: Web, shelf: Path, data: Path) -> None:
    web.put_directory(shelf)
    (found,) = [
        one
        for one in parse_catalogue(
            (shelf / CATALOGUE).read_bytes(), f"{web.url}/{CATALOGUE}"
        ).entries
        if one.kind == "paclet"
    ]
    assert install_entry(found)
    assert web.asked == ["/Sampler-1.2.0.paclet"]


def test_a_file_with_another_hash_is_refused_and_nothing_stays(
    web: Web, shelf: Path, data: Path
) -> None:
    web.put_directory(shelf)
    content = bytearray((shelf / "Sampler-1.2.0.paclet").read_bytes())
    content[100] ^= 1
    web.put("/Sampler-1.2.0.paclet", bytes(content))
    listed = parse_catalogue((shelf / CATALOGUE).read_bytes(), f"{web.url}/{CATALOGUE}").entries
    (found,) = [one for one in listed if one.kind == "paclet"]
    with pytest.raises(HashMismatchError, match="does not match the catalogue: its SHA-256"):
        install_entry(found)
    web.put("/Sampler-1.2.0.paclet", bytes(content) * 2)
    with pytest.raises(FetchError, match="is longer than"):
        install_entry(found)
    del web.answers["/Sampler-1.2.0.paclet"]
    with pytest.raises(FetchError, match="cannot be fetched"):
        install_entry(found)
    assert left_in(data) == []


def link(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


UNSAFE = pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("../outside.txt", b"text", "'../outside.txt'"),
        ("/absolute.txt", b"text", "'/absolute.txt'"),
        ("a/../../outside.txt", b"text", "'a/../../outside.txt'"),
        (link("link"), b"/etc/passwd", "'link'"),
        ("bomb", bytes(50_000_000), "times"),
    ],
    ids=["traversal", "absolute", "hidden traversal", "symbolic link", "bomb"],
)


@UNSAFE
def test_an_archive_that_is_not_safe_is_refused_and_nothing_stays(
    known: Path, data: Path, tmp_path: Path, name: str | zipfile.ZipInfo, content: bytes, said: str
) -> None:
    archive = tmp_path / "Sampler-1.2.0.paclet"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("PacletInfo.wl", info('"Tools" -> { "Tool" }'))
        zipped.writestr(name, content)
    with pytest.raises(ArchiveError, match=re.escape(said)):
        install_entry(relisted(archive, by=entry(SAMPLER)))
    assert left_in(data) == []
    assert not list(tmp_path.rglob("outside.txt"))


@UNSAFE
def test_a_wheel_that_is_not_safe_is_refused_before_an_installer_sees_it(
    known: Path, data: Path, tmp_path: Path, name: str | zipfile.ZipInfo, content: bytes, said: str
) -> None:
    file = wheel(tmp_path, "unsafe")
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr(name, content)
    listed = entry("acme/charts")._replace(name="unsafe", distribution="unsafe", version="1.0")
    with pytest.raises(ArchiveError, match=re.escape(said)):
        install_entry(relisted(file, by=listed))
    assert left_in(data) == []
    assert not list(tmp_path.rglob("outside.txt"))


def test_a_file_that_is_not_what_its_entry_says_is_refused(
    known: Path, data: Path, shelf: Path
) -> None:
    for other in (entry("mines"), entry("acme/charts")._replace(version="9")):
        file = shelf / entry("acme/charts").file
        with pytest.raises(HashMismatchError, match="does not match the catalogue"):
            install_entry(relisted(file, by=other))
    with pytest.raises(HashMismatchError) as raised:
        install_entry(entry(SAMPLER)._replace(version="9"))
    assert raised.value.message == (
        "does not match the catalogue: its version is '1.2.0', expected '9'"
    )
    with pytest.raises(
        HashMismatchError, match=r"; its servers is \['Bench'\], expected \['Boom'\]"
    ):
        install_entry(entry(SAMPLER)._replace(manifest=entry("mines").manifest))
    assert left_in(data) == []


def test_what_a_process_that_was_ended_has_left_is_cleared(known: Path, data: Path) -> None:
    left = data / "downloads" / "tmpleft" / "half.paclet"
    left.parent.mkdir(parents=True)
    left.touch()
    assert install_entry(entry(SAMPLER))
    assert not (data / "downloads").exists()


def test_the_plan_names_what_will_be_installed_and_nothing_else(known: Path) -> None:
    requires = (
        "plain>=1",
        'extra ; extra == "docs"',
        'windows ; sys_platform == "atari"',
        'here>2 ; python_version >= "3.11"',
        "direct @ https://example.org/direct.whl",
        "what is this",
    )
    lines = describe_installation(entry("acme/charts")._replace(requires=requires))
    assert lines[3:] == [
        "and missing dependencies from pip's index: plain>=1, here>2, what is this",
        "and, if missing, direct from https://example.org/direct.whl",
    ]


def test_a_setting_forbids_it(known: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(store.NO_INSTALL_VARIABLE, "1")
    with pytest.raises(InstallExtensionError, match="disabled by the variable PADDOCK_NO_INSTALL"):
        install_entry(entry(SAMPLER))
    monkeypatch.delenv(store.NO_INSTALL_VARIABLE)
    data.mkdir()
    store.get_settings_file().write_text('install = "never"\n')
    with pytest.raises(InstallExtensionError, match="install = 'never' in"):
        install_entry(entry(SAMPLER))


def test_a_distribution_is_installed_by_pip_into_the_environment(
    paddock_in_venv: Program,
) -> None:
    foreign = paddock_in_venv.work / "pip.py"
    foreign.write_text("raise SystemExit('this is not pip')", encoding="utf-8")
    said = paddock_in_venv("extensions", "install", "acme/charts", "--yes")
    assert said.code == 0, said.err
    assert "check that its SHA-256 is" in said.err
    assert f"with pip into {paddock_in_venv.work.parent / 'venv'}" in said.err
    assert said.err.endswith("Installed acme/charts 1.2.3\n")
    called = paddock_in_venv("call", "acme/charts/Charts", "plot", "values=[1,2]")
    assert (called.code, called.out) == (0, "# ##\n"), called.err
    again = paddock_in_venv("extensions", "install", "acme/charts", "--yes")
    assert again.code == 0
    assert "is installed:" in again.err


def test_two_processes_that_install_at_once_do_it_once(paddock_in_venv: Program) -> None:
    processes = [
        subprocess.Popen(
            [*paddock_in_venv.command, "extensions", "install", name, "--yes"],
            env=paddock_in_venv.environment,
            cwd=paddock_in_venv.work,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("acme/charts", SAMPLER) * 2
    ]
    said = [process.communicate(timeout=PATIENCE)[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, said
    for name in ("acme/charts", SAMPLER):
        assert sum(f"\nInstalled {name}" in text for text in said) == 1, said
    listed = paddock_in_venv("extensions", "--json").json
    assert [one["name"] for one in listed] == ["paddock", "acme/charts", SAMPLER]
    assert all(one["problem"] is None for one in listed)


def test_what_pip_cannot_install_is_reported(
    paddock_in_venv: Program, shelf: Path, tmp_path: Path
) -> None:
    wheel = tmp_path / "files" / "needy-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as zipped:
        zipped.writestr("needy/paddock.toml", 'servers = ["Needy"]')
        zipped.writestr(
            "needy-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: needy\nVersion: 1.0\nRequires-Dist: is-nowhere>=2\n",
        )
        zipped.writestr("needy-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        zipped.writestr(
            "needy-1.0.dist-info/entry_points.txt", "[paddock.extensions]\nneedy = needy\n"
        )
        zipped.writestr("needy-1.0.dist-info/RECORD", "")
    paddock_in_venv.environment[store.CATALOGUES_VARIABLE] = str(write_catalogue(wheel.parent))
    said = paddock_in_venv("extensions", "install", "needy", "--yes")
    assert said.code == 2
    assert "and missing dependencies from pip's index: is-nowhere>=2" in said.err
    assert "Error: needy could not be installed: " in said.err
    assert "is-nowhere" in said.err.rpartition("Error:")[2]
    assert left_in(paddock_in_venv.data) == []


def test_entries_are_plain_json(shelf: Path) -> None:
    table = json.loads((shelf / CATALOGUE).read_text())
    assert table["catalogue"] == 1
    with pytest.raises(PaddockError):
        install_entry(
            parse_catalogue((shelf / CATALOGUE).read_bytes(), "/nowhere/c.json").entries[0]
        )
