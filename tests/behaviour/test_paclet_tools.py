"""The tools that check, pack and submit paclets."""

import zipfile
from pathlib import Path

import pytest

import paddock
from paddock import Server
from paddock.testing import connect
from paddock.toolkits.wolfram.paclet_tools import (
    build_paclet_tool,
    check_paclet_tool,
    submit_paclet_tool,
)
from tests.privileges import as_others_may

INFO = """PacletObject[<|
  "Name" -> "Ada/Tides",
  "Version" -> "1.0.0",
  "Description" -> "When the water comes",
  "Creator" -> "Ada", "License" -> "MIT", "WolframVersion" -> "13.0+",
  "Keywords" -> {"tides"}, "SourceControlURL" -> "https://example.com/tides",
  "Extensions" -> {
    {"Kernel", "Root" -> "Kernel", "Context" -> {"Ada`Tides`"}, "Symbols" -> {"Ada`Tides`High"}},
    {"AgentTools", "Tools" -> {"High"}}
  }
|>]
"""


@pytest.fixture
def tides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A paclet with nothing wrong."""
    monkeypatch.chdir(tmp_path)
    files = {
        "PacletInfo.wl": INFO,
        "Kernel/Tides.wl": 'BeginPackage["Ada`Tides`"]; High; EndPackage[]',
        "AgentTools/Tools/High.wl": '<|"Name" -> "High", "Description" -> "When", '
        '"Function" -> Function[1], "Parameters" -> {}|>',
        "Documentation/English/ReferencePages/Symbols/High.nb": "Notebook[{}]",
        "Tests/Tides.wlt": "VerificationTest[True]",
    }
    for name, text in files.items():
        file = tmp_path / "Tides" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "Tides"


def answer(tool: str, path: str, **more: object) -> str:
    server = Server("s", tools=[check_paclet_tool, build_paclet_tool, submit_paclet_tool])
    with connect(server) as peer:
        result = peer.call(tool, path=path, **more)
    assert not result.is_error, result.text
    return result.text


def test_a_paclet_without_issues_is_ready_to_be_built(tides: Path) -> None:
    assert answer("CheckPaclet", "Tides") == (
        "# Paclet Check Results\n\nNo problems were found. The paclet can be built."
    )


def test_a_file_of_the_paclet_means_its_directory(tides: Path) -> None:
    assert "No problems were found" in answer("CheckPaclet", "Tides/PacletInfo.wl")


@pytest.mark.parametrize(
    ("old", "new", "issue"),
    [
        ('"Ada/Tides"', '"Ada/../Tides"', '**InvalidName**: "Name" is'),
        ('"Ada/Tides"', '"Tides"', '**NoPublisher**: "Name" has no publisher'),
        ('"1.0.0"', "1.0", '**InvalidVersion**: "Version" is 1.0; expected a string'),
        ('"1.0.0"', '"1.0-beta"', "**InvalidVersion**"),
        ('"When the water comes"', '""', "**NoDescription**"),
        ("When the water comes", "XXXX", "**PlaceholderDescription**"),
        ('"Root" -> "Kernel"', '"Root" -> "Code"', "**MissingRoot**"),
        ('"Root" -> "Kernel"', f'"Root" -> "{"x" * 300}"', "**MissingRoot**"),
        ("Tides`High", f"Tides`{'x' * 300}", "**MissingPages**"),
        ('Ada`Tides`"}, ', 'Ada`Tide`"}, ', "**MissingContextFile**"),
        ('"Context"', '"Contexts"', "**NoContext**"),
        ('{"AgentTools"', '{"AgentTool"', "**UnknownExtension**"),
        ("Tides`High", "Tides`Low", "**MissingPages**: Symbols without a reference page: Low."),
        ("|>]", "|>", "**InvalidPacletInfo**"),
        ("PacletObject", "Something", "**InvalidPacletInfo**"),
    ],
)
def test_what_paclet_info_gets_wrong_is_reported(
    tides: Path, old: str, new: str, issue: str
) -> None:
    assert old in INFO
    (tides / "PacletInfo.wl").write_text(INFO.replace(old, new, 1))
    text = answer("CheckPaclet", "Tides")
    assert issue in text
    assert "## Summary" in text


def test_code_that_cannot_be_read_is_reported_with_its_place(tides: Path) -> None:
    (tides / "Kernel" / "Tides.wl").write_text("x = 1;\nf[}")
    assert "`Kernel/Tides.wl:2:3`" in answer("CheckPaclet", "Tides")


def test_without_a_description_there_is_nothing_to_check(tides: Path) -> None:
    (tides / "PacletInfo.wl").unlink()
    assert "**NoPacletInfo**" in answer("CheckPaclet", "Tides")
    assert answer("BuildPaclet", "Tides").startswith("# Paclet Build Failed\n\n## Errors")


def test_the_archive_has_the_paclet_and_nothing_else(tides: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tides / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tides / ".git").mkdir()
    (tides / ".git" / "config").write_text("x")
    (tides / "old.paclet").write_text("x")
    text = answer("BuildPaclet", "Tides")
    assert text.startswith("# Paclet Build Successful")
    assert "| **Version** | 1.0.0 |" in text
    with zipfile.ZipFile(tides / "build" / "Ada__Tides-1.0.0.paclet") as archive:
        assert sorted(archive.namelist()) == [
            "Ada__Tides/AgentTools/Tools/High.wl",
            "Ada__Tides/Documentation/English/ReferencePages/Symbols/High.nb",
            "Ada__Tides/Kernel/Tides.wl",
            "Ada__Tides/PacletInfo.wl",
            "Ada__Tides/Tests/Tides.wlt",
        ]


@pytest.mark.parametrize("link", ["build", "build/Ada__Tides-1.0.0.paclet"])
def test_links_do_not_lead_the_archive_elsewhere(tides: Path, tmp_path: Path, link: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    victim = other / "Ada__Tides-1.0.0.paclet"
    victim.write_text("mine")
    place = tides / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(other if link == "build" else victim)
    text = answer("BuildPaclet", "Tides")
    assert victim.read_text() == "mine"
    if link == "build":
        assert "Details: The build folder is a link out of the paclet" in text
    else:
        assert text.startswith("# Paclet Build Successful")
        assert not place.is_symlink()


def test_what_is_left_out_is_reported(tides: Path) -> None:
    (tides / "self.wl").symlink_to("self.wl")
    (tides / "gone.txt").symlink_to("/nowhere/at/all")
    (tides / "Kernel" / "node_modules").mkdir()
    left_out = "`Kernel/node_modules`, `gone.txt`, `self.wl`"
    assert f"| **Left out** | {left_out} |" in answer("BuildPaclet", "Tides")
    assert f"**LeftOut**: Excluded from the archive: {left_out.replace('`', '')}." in answer(
        "CheckPaclet", "Tides"
    )


def test_only_the_folder_of_builds_itself_is_not_a_part_of_the_paclet(tides: Path) -> None:
    script = tides / "Kernel" / "build" / "run.sh"
    script.parent.mkdir()
    script.write_text("#!/bin/sh")
    script.chmod(0o750)
    answer("BuildPaclet", "Tides")
    with zipfile.ZipFile(tides / "build" / "Ada__Tides-1.0.0.paclet") as archive:
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
    assert modes["Ada__Tides/Kernel/build/run.sh"] == 0o755
    assert modes["Ada__Tides/PacletInfo.wl"] == 0o644


def test_code_outside_the_archive_is_not_code_of_the_paclet(tides: Path, tmp_path: Path) -> None:
    (tides / "Kernel" / "Tides.wl").rename(tmp_path / "Tides.wl")
    (tides / "Kernel" / "Tides.wl").symlink_to(tmp_path / "Tides.wl")
    assert "**MissingContextFile**" in answer("CheckPaclet", "Tides")
    (tides / "PacletInfo.wl").rename(tmp_path / "PacletInfo.wl")
    (tides / "PacletInfo.wl").symlink_to(tmp_path / "PacletInfo.wl")
    assert "The file is a link out of the paclet." in answer("CheckPaclet", "Tides")
    assert answer("BuildPaclet", "Tides").startswith("# Paclet Build Failed")


def test_a_directory_that_cannot_be_listed_is_reported(tides: Path) -> None:
    (tides / "Kernel").chmod(0)
    with as_others_may():
        assert "**UnreadableDirectory**" in answer("CheckPaclet", "Tides")
        assert "**UnreadableDirectory**" in answer("BuildPaclet", "Tides")
    (tides / "Kernel").chmod(0o755)


def test_the_archive_is_a_paclet_that_paddock_takes(tides: Path) -> None:
    answer("BuildPaclet", "Tides")
    found = paddock.validate(tides / "build" / "Ada__Tides-1.0.0.paclet")
    assert found.is_valid
    assert [name.rpartition("/")[2] for name in found.tools] == ["High"]


def test_building_twice_makes_the_same_archive(tides: Path) -> None:
    answer("BuildPaclet", "Tides")
    archive = tides / "build" / "Ada__Tides-1.0.0.paclet"
    before = archive.read_bytes()
    (tides / "Kernel" / "Tides.wl").touch()
    answer("BuildPaclet", "Tides")
    assert archive.read_bytes() == before


def test_with_a_check_errors_keep_it_from_being_built(tides: Path) -> None:
    (tides / "Kernel" / "Tides.wl").write_text("f[}")
    text = answer("BuildPaclet", "Tides", check=True)
    assert text.startswith("# Paclet Build Aborted\n\n## Errors\n\n1. **SyntaxError**")
    assert not (tides / "build").exists()
    assert answer("BuildPaclet", "Tides").startswith("# Paclet Build Successful")


def test_an_archive_that_cannot_be_written_is_reported_as_text(tides: Path) -> None:
    (tides / "build").write_text("in the way")
    text = answer("BuildPaclet", "Tides")
    assert text.startswith("# Paclet Build Failed")
    assert "Details: " in text


def test_submitting_says_what_it_needs(tides: Path) -> None:
    text = answer("SubmitPaclet", "Tides")
    assert text.startswith("# Paclet Submission Failed")
    assert "$PublisherID" in text
    assert "CloudConnect[]" in text
    assert f'SubmitPaclet["{tides}"]' in text
    assert "# Paclet Check Results" in text
    quoted = tides.rename(tides.parent / 'a"b')
    assert 'a\\"b"]' in answer("SubmitPaclet", str(quoted))


def test_a_path_without_anything_is_an_error(tides: Path) -> None:
    server = Server("s", tools=[check_paclet_tool])
    with connect(server) as peer:
        result = peer.call("CheckPaclet", path="Nowhere")
    assert result.is_error
    assert "the file or directory does not exist: Nowhere" in result.text
