"""What a manifest says, and what is reported about one that cannot be used."""

from pathlib import Path

import pytest

from paddock.extensions.discovery import list_extensions
from paddock.extensions.errors import ManifestError
from paddock.extensions.extension import get_built_in_extension
from paddock.extensions.manifest import ExtensionManifest, ManifestItem, read_manifest
from tests.unit.extensions.places import extension, write


def read(directory: Path, text: str) -> ExtensionManifest:
    return read_manifest(write(directory / "paddock.toml", text))


def test_an_item_has_one_of_three_forms(tmp_path: Path) -> None:
    manifest = read(
        tmp_path,
        """
        schema = 1
        publisher = "acme"
        root = "definitions"
        tools = [
            "Plot",
            ["Table", "Draws a table"],
            { name = "Export", description = "Exports", parameters = { path = {} } },
        ]
        prompts = ["Explain"]
        resources = [["Palette", "The colours"]]
        servers = ["Charts"]
        """,
    )
    assert manifest == ExtensionManifest(
        publisher="acme",
        root="definitions",
        tools=(
            ManifestItem("Plot"),
            ManifestItem("Table", "Draws a table"),
            ManifestItem("Export", "Exports", {"parameters": {"path": {}}}),
        ),
        prompts=(ManifestItem("Explain"),),
        resources=(ManifestItem("Palette", "The colours"),),
        servers=(ManifestItem("Charts"),),
    )


def test_everything_in_a_manifest_may_be_left_out(tmp_path: Path) -> None:
    assert read(tmp_path, "") == ExtensionManifest(root="agenttools")


def test_the_keys_of_the_wolfram_documents_are_understood(tmp_path: Path) -> None:
    manifest = read(
        tmp_path,
        """
        Root = "our tools"
        MCPServers = ["Charts"]
        MCPPrompts = ["Explain"]
        Tools = [{ Name = "Plot", Description = "Plots" }]
        """,
    )
    assert manifest.root == "our tools"
    assert manifest.servers == (ManifestItem("Charts"),)
    assert manifest.prompts == (ManifestItem("Explain"),)
    assert manifest.tools == (ManifestItem("Plot", "Plots"),)


def test_a_key_of_a_later_version_is_kept(tmp_path: Path) -> None:
    assert read(tmp_path, 'tools = ["Plot"]\ncategory = "art"').extra == {"category": "art"}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("schema = 2", "schema"),
        ("publisher = 5", "publisher"),
        ('publisher = "a/b"', "publisher"),
        ('root = "/etc"', "root"),
        ('root = "../elsewhere"', "root"),
        ('root = ""', "root"),
        ('tools = "Plot"', "tools"),
        ("tools = [5]", "tools[0]"),
        ('tools = ["Plot", ["a", "b", "c"]]', "tools[1]"),
        ('tools = [{ description = "no name" }]', "tools[0]"),
        ('tools = ["../../etc/passwd"]', "tools[0]"),
        ('tools = [{ name = "Plot", definition = "plot.py" }]', "tools[0]: definition"),
        ('tools = ["a:b"]', "tools[0]"),
        ('prompts = ["A", "A"]', "prompts[1]"),
        ("servers = [", "cannot be read"),
    ],
)
def test_what_is_wrong_is_reported_with_file_and_key(tmp_path: Path, text: str, key: str) -> None:
    with pytest.raises(ManifestError) as raised:
        read(tmp_path, text)
    assert raised.value.where == str(tmp_path / "paddock.toml")
    assert raised.value.message.startswith(key)


def test_a_missing_manifest_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ManifestError):
        read_manifest(tmp_path / "paddock.toml")


def test_a_publisher_is_part_of_an_extensions_name(tmp_path: Path) -> None:
    assert extension(tmp_path / "a", 'publisher = "acme"').name == "acme/charts"
    assert extension(tmp_path / "b", "").name == "charts"


def test_paddock_is_an_extension_with_a_demo_server() -> None:
    assert list_extensions()[0] == get_built_in_extension()
    assert get_built_in_extension().name == "paddock"
    assert "Demo" in [item.name for item in get_built_in_extension().manifest.servers]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('Tools = ["A"]\ntools = ["B"]', "'Tools' and 'tools' mean the same"),
        ('MCPServers = ["A"]\nservers = ["B"]', "'MCPServers' and 'servers' mean the same"),
        ('tools = [{ name = "A", Name = "B" }]', "'name' and 'Name' mean the same"),
        ("schema = true", "schema is True"),
        ("schema = 1.0", "schema is 1.0"),
    ],
)
def test_nothing_that_a_manifest_says_is_dropped_unsaid(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ManifestError) as raised:
        read(tmp_path, text)
    assert raised.value.message == message
