"""`validate` finds every fault of a paclet at once, in its directory and in its archive."""

import zipfile
from pathlib import Path

import pytest

from paddock import Validation, validate
from paddock.extensions.discovery import clear_extension_caches
from paddock.validation.findings import SEVERITY_BY_CODE
from tests.extensions.faulty import FAULTY

PACLETS = Path(__file__).parents[1] / "samples" / "paclets"
UNTIDY = [
    "unknown-key",
    "names-differ-by-case",
    "missing-version",
    "missing-definition",
    "undeclared-definition",
    "undeclared-definition",
    "item-not-declared",
    "extension-not-installed",
    "unknown-tool",
    "unknown-prompt",
    "missing-key",
    "missing-key",
    "missing-key",
    "missing-key",
    "missing-key",
    "invalid-tool",
    "missing-key",
]
FOUND = {
    "Sampler": ["duplicate-extension", *["missing-description"] * 2],
    "Counting": ["missing-description"],
    "Interpreters": ["missing-description"],
    "OldForm": ["missing-description"],
    "Combined": [
        "shadowed-definition",
        "shadowed-definition",
        "missing-description",
        "missing-description",
        "unreadable-definition",
        "unreadable-definition",
    ],
    "BadContents": [
        "missing-key",
        *["unreadable-definition"] * 2,
        "missing-key",
        *["unreadable-definition"] * 2,
        "prompt-without-content",
    ],
    "BadDeclaration": [
        "invalid-value",
        "invalid-item",
        "invalid-item",
        "duplicate-item",
        "unknown-key",
        "unknown-key",
        "missing-description",
    ],
    "BadReferences": ["unknown-tool", "unknown-prompt", "missing-description"],
    "MissingFiles": ["missing-root"],
    "SeveralFiles": [
        "duplicate-definition-files",
        "closed-format-beside",
        "closed-format",
        "shadowed-definition",
        "unreadable-definition",
        "missing-description",
    ],
    "Untidy": UNTIDY,
}
"""The codes of what is found in each sample."""
ELSEWHERE = {"no-extension", "no-entry-point", "invalid-entry-point", "invalid-archive"} | {
    "broken-extension",
    "immediate-initialization",
    "unread-entry-points",
}
"""Codes that other tests see, of what is not a sample in a table."""


def codes(found: Validation) -> list[str]:
    return [one.code for one in found.findings]


def archive(directory: Path, place: Path, folder: str = "") -> Path:
    """The archive of a paclet; everything in it may be in one folder."""
    with zipfile.ZipFile(place, "w") as file:
        for one in sorted(directory.rglob("*")):
            if one.is_file():
                file.write(one, folder + one.relative_to(directory).as_posix())
    return place


def test_every_sample_is_validated() -> None:
    assert {one.name for one in PACLETS.iterdir() if one.is_dir()} == set(FOUND)


@pytest.mark.parametrize("name", FOUND)
def test_faults_are_found_in_the_directory_of_a_paclet(name: str) -> None:
    found = validate(PACLETS / name)
    assert sorted(codes(found)) == sorted(FOUND[name])
    assert found.is_valid == all(SEVERITY_BY_CODE[one] == "warning" for one in FOUND[name])


@pytest.mark.parametrize("folder", ["", "Folder/"])
@pytest.mark.parametrize("name", FOUND)
def test_faults_are_found_in_the_archive_of_a_paclet(
    tmp_path: Path, name: str, folder: str
) -> None:
    found = validate(archive(PACLETS / name, tmp_path / f"{name}.paclet", folder))
    assert sorted(codes(found)) == sorted(FOUND[name])
    assert found.is_static


PARTS = """PacletObject[<| "Name" -> "Parts", "Version" -> 1.0, "Extensions" -> {
    {"AgentTools", "Root" -> "../x", "Tools" -> {"A", "a/b", {"../x", "X"}, "B"}, "Bogus" -> 1},
    {"AgentTools", "Tools" -> {"C"}}
} |>]"""


def test_everything_in_a_paclet_info_is_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "PacletInfo.wl").write_text(PARTS, encoding="utf-8")
    found = [(one.code, one.place.key) for one in validate(tmp_path).findings]
    assert found == [
        ("invalid-item", "Tools[[2]]"),
        ("invalid-item", "Tools[[3]]"),
        ("unknown-key", "Bogus"),
        ("invalid-value", "Root"),
        ("duplicate-extension", "Extensions"),
        ("missing-version", None),
    ]


SLIPS = """<|
    "A" -> LLMTool[<| "Name" -> "a", "Descripton" -> "A", "Icon" -> 1, "Function" -> f,
        "Parameters" -> {}, "Initialization" -> Needs["X`"] |>],
    "B" -> <| "Name" -> "b", "Description" -> "B", "Function" -> f, "Parameters" -> {},
        "Initialization" :> Needs["X`"] |>
|>"""


def test_slips_in_the_definitions_of_a_paclet_are_reported(tmp_path: Path) -> None:
    info = """PacletObject[<| "Name" -> "Slips", "Version" -> "1",
        "Extensions" -> {{"AgentTools", "Tools" -> {"A", "B"}}} |>]"""
    (tmp_path / "PacletInfo.wl").write_text(info, encoding="utf-8")
    (tmp_path / "AgentTools").mkdir()
    (tmp_path / "AgentTools" / "Tools.wl").write_text(SLIPS, encoding="utf-8")
    found = [(one.code, one.place.key, one.remedy) for one in validate(tmp_path).findings]
    assert found[:2] == [
        ("unknown-key", "Descripton", "did you mean Description?"),
        ("immediate-initialization", "Initialization", 'write "Initialization" :> …'),
    ]
    assert [one[0] for one in found[2:]] == ["missing-description"]


def test_the_paclet_in_the_documentation_has_no_faults() -> None:
    assert validate(PACLETS.parents[2] / "docs_src" / "paclets" / "Weather").findings == ()


def test_a_paclet_on_the_path_is_known_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDOCK_PACLET_PATH", str(PACLETS / "Sampler"))
    clear_extension_caches()
    found = validate("SamplePublisher/Sampler")
    assert found.is_valid
    assert found.kind == "paclet"
    assert found.servers == ("SamplePublisher/Sampler/Bench",)
    server = validate("SamplePublisher/Sampler/Bench")
    assert (server.kind, codes(server)) == ("server", FOUND["Sampler"])


def test_a_finding_names_the_file_and_the_key() -> None:
    found = [one for one in validate(PACLETS / "Untidy").findings if one.code == "unknown-key"]
    (one,) = found
    assert one.place == (str(PACLETS / "Untidy" / "PacletInfo.wl"), 5, None, "Tool")
    assert one.remedy == "did you mean Tools?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('PacletObject[<| "Name" -> "X", "Version" -> "1" |>]', "no-extension"),
        ('PacletObject[<| "Name" -> "X", ', "unreadable-manifest"),
        ("42", "invalid-value"),
        (
            'PacletObject[<| "Name" -> "a/b/c", "Extensions" -> {{"AgentTools"}} |>]',
            "invalid-value",
        ),
        ('PacletObject[<| "Name" -> "X", "Extensions" -> {{"AgentTools", 1}} |>]', "invalid-value"),
    ],
)
def test_a_paclet_info_that_cannot_be_used_is_reported(
    tmp_path: Path, text: str, expected: str
) -> None:
    (tmp_path / "PacletInfo.wl").write_text(text, encoding="utf-8")
    assert codes(validate(tmp_path)) == [expected]
    assert codes(validate(tmp_path / "PacletInfo.wl")) == [expected]


def test_an_invalid_archive_or_one_without_a_paclet_is_reported(tmp_path: Path) -> None:
    (tmp_path / "broken.paclet").write_bytes(b"PK no")
    assert codes(validate(tmp_path / "broken.paclet")) == ["invalid-archive"]
    with zipfile.ZipFile(tmp_path / "other.paclet", "w") as file:
        file.writestr("readme.txt", "")
    assert codes(validate(tmp_path / "other.paclet")) == ["missing-manifest"]


def test_every_code_is_found_in_some_sample() -> None:
    distributions = {code for one in FAULTY.values() for code in (*one.codes, *one.read)}
    paclets = {code for one in FOUND.values() for code in one}
    assert distributions | paclets | ELSEWHERE == set(SEVERITY_BY_CODE)
