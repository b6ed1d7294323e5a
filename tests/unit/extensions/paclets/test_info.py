"""Reading the PacletInfo of a paclet."""

from pathlib import Path

import pytest

from paddock.extensions.errors import ExtensionNotFoundError, ManifestError
from paddock.extensions.manifest import ExtensionManifest, ManifestItem
from paddock.extensions.paclets.info import MalformedItem, PacletInfo, parse_paclet_info
from paddock.extensions.paclets.paclet import inspect_paclet, read_paclet
from tests.unit.extensions.paclets.making import SAMPLES, info, sample


def parsed(text: str) -> PacletInfo:
    return parse_paclet_info(text.encode(), "PacletInfo.wl")


def declared(extensions: str) -> ExtensionManifest | None:
    text = f'PacletObject[<| "Name" -> "A", "Version" -> "1", "Extensions" -> {extensions} |>]'
    return parsed(text).manifest


def test_items_are_declared_in_three_forms() -> None:
    found = sample("Sampler")
    assert (found.name, found.version, found.kind) == ("SamplePublisher/Sampler", "1.2.0", "paclet")
    assert found.manifest == ExtensionManifest(
        publisher="SamplePublisher",
        root="AgentTools",
        servers=(ManifestItem("Bench", None, {"tools": ["Echo"]}),),
        tools=(
            ManifestItem("Echo"),
            ManifestItem("Count", "Counts characters"),
            ManifestItem("Next", "The next number", {"parameters": {"x": {}}}),
        ),
        prompts=(ManifestItem("Greeting"), ManifestItem("Letter")),
    )


def test_an_info_file_in_the_old_form_is_read_too() -> None:
    found = sample("OldForm")
    assert (found.name, found.version, found.manifest) == (
        "OldForm",
        "2.0",
        ExtensionManifest(root="Mcp", tools=(ManifestItem("Old"),)),
    )


def test_the_newer_name_of_the_file_wins(tmp_path: Path) -> None:
    (tmp_path / "PacletInfo.m").write_text(info('"Tools" -> { "Old" }'), encoding="utf-8")
    (tmp_path / "PacletInfo.wl").write_text(info('"Tools" -> { "New" }'), encoding="utf-8")
    assert read_paclet(tmp_path).manifest.tools == (ManifestItem("New"),)


@pytest.mark.parametrize(
    "extensions",
    [
        '{ { "Kernel" }, { "AgentTools", "Root" -> "R", "Tools" -> { "T" } } }',
        '{ { "AgentTools", <| "Root" -> "R", "Tools" -> { "T" } |> } }',
        '{ { "AgentTools", { "Root" -> "R", "Tools" -> { "T" } } } }',
        '{ "Kernel" -> { }, "AgentTools" -> { "Root" -> "R", "Tools" -> { "T" } } }',
        '<| "AgentTools" -> <| "Root" -> "R", "Tools" -> { "T" } |> |>',
        '{ { "AgentTools", Root -> "R", Tools -> { "T" } }, { "AgentTools", "Root" -> "S" } }',
        '{ { "AgentTools", "Root" -> FileNameJoin[ { "R" } ], "Tools" -> { "T" } } }',
    ],
)
def test_extensions_are_lists_or_rules_and_the_first_one_counts(extensions: str) -> None:
    assert declared(extensions) == ExtensionManifest(root="R", tools=(ManifestItem("T"),))


def test_the_root_has_a_default() -> None:
    assert declared('{ { "AgentTools" } }') == ExtensionManifest(root="AgentTools")


@pytest.mark.parametrize("extensions", ["{ }", '{ { "Kernel", "Root" -> "K" } }', "unknown[ ]"])
def test_a_paclet_without_the_extension_declares_nothing(extensions: str) -> None:
    assert declared(extensions) is None


def test_being_no_extension_is_an_error_for_one_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "PacletInfo.wl").write_text('PacletObject[<| "Name" -> "A" |>]', encoding="utf-8")
    with pytest.raises(ExtensionNotFoundError):
        read_paclet(tmp_path)


def test_what_is_not_an_item_does_not_count_and_is_reported() -> None:
    found = inspect_paclet(SAMPLES / "BadDeclaration").info
    assert found.manifest is not None
    assert found.manifest.tools == (ManifestItem("Good"),)
    assert found.malformed_items == (
        MalformedItem("servers", 0, "'NotAList'"),
        MalformedItem("tools", 2, "123"),
        MalformedItem("tools", 3, "[42]"),
        MalformedItem("tools", 4, "'Good'"),
    )
    assert found.manifest.extra == {"Bogus": 1, "AlsoBogus": {"x": "y"}}


def test_an_item_whose_name_could_lead_elsewhere_does_not_count() -> None:
    found = parsed(info('"Tools" -> { "A", "a/b", { "../x", "X" }, "B" }'))
    assert found.manifest is not None
    assert [item.name for item in found.manifest.tools] == ["A", "B"]
    assert found.malformed_items == (
        MalformedItem("tools", 2, "'a/b'"),
        MalformedItem("tools", 3, "['../x', 'X']"),
    )


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "PacletInfo.wl"),
        ('PacletObject[<| "Name" -> "A", |>]', "PacletInfo.wl:1:14"),
        ('"text"', "PacletInfo.wl:1:1"),
        ("\n  Get[ elsewhere ]", "PacletInfo.wl:2:3"),
        ('PacletObject[<| "Name" -> 1 |>]', "PacletInfo.wl:1:1"),
        ('PacletObject[<| "Name" -> "a/b/c" |>]', "PacletInfo.wl:1:1"),
        ('PacletObject[<| "Name" -> "../A" |>]', "PacletInfo.wl:1:1"),
        ('PacletObject[<| "Name" -> "/A" |>]', "PacletInfo.wl:1:1"),
        (info('"Root" -> "../R"'), "PacletInfo.wl:1:1"),
        (info('"Root" -> "/R"'), "PacletInfo.wl:1:1"),
        (info("42"), "PacletInfo.wl:1:1"),
        ("PacletObject[\n  <| ]", "PacletInfo.wl:2:3"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(
    tmp_path: Path, text: str, where: str
) -> None:
    (tmp_path / "PacletInfo.wl").write_text(text, encoding="utf-8")
    with pytest.raises(ManifestError) as fault:
        read_paclet(tmp_path)
    assert fault.value.where is not None
    assert Path(fault.value.where).name == where


def test_a_directory_without_an_info_file_is_not_a_paclet(tmp_path: Path) -> None:
    with pytest.raises(ManifestError):
        read_paclet(tmp_path)


@pytest.mark.parametrize("depth", [300, 20_000])
def test_an_info_file_that_is_nested_too_deeply_is_refused(tmp_path: Path, depth: int) -> None:
    text = info(f'"Tools" -> {"{" * depth}{"}" * depth}')
    (tmp_path / "PacletInfo.wl").write_text(text, encoding="utf-8")
    with pytest.raises(ManifestError):
        read_paclet(tmp_path)


def test_every_sample_can_be_read() -> None:
    names = {place.name for place in SAMPLES.iterdir()}
    assert {sample(name).name.rpartition("/")[2] for name in names} == names
