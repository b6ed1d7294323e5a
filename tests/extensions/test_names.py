"""What names mean, by where they stand: tools, prompts, resources and servers of extensions."""

import pytest

from paddock import LoadError, Tool, create_server, get_server, list_servers
from paddock.extensions.errors import (
    ExtensionNotFoundError,
    ExtensionNotInstalledError,
    ItemNotDeclaredError,
    ManifestError,
    ToolNotFoundError,
)
from paddock.extensions.registry import (
    InstalledItemRegistry,
)
from paddock.testing import connect

pytestmark = pytest.mark.usefixtures("installed")


def tool(name: str) -> Tool:
    item: Tool = InstalledItemRegistry().resolve_item("tools", name, where="here")
    return item


@pytest.mark.parametrize(
    ("name", "exposed"),
    [
        ("acme/charts/Plot", "plot"),
        ("acme/charts/Table", "table"),
        ("acme/charts/Export", "export"),
        ("acme/charts/Search", "Search"),
        ("plain/Echo", "Echo"),
        ("deep/Say", "Say"),
        ("paddock/DemoGreet", "greet"),
        ("DemoGreet", "greet"),
    ],
)
def test_a_name_of_two_or_three_parts_is_an_item_of_that_extension(name: str, exposed: str) -> None:
    assert tool(name).name == exposed


def test_prompts_and_resources_have_qualified_names_too() -> None:
    assert (
        InstalledItemRegistry().resolve_item("prompts", "acme/charts/Explain", where="here").name
        == "Explain"
    )
    assert (
        InstalledItemRegistry().resolve_item("resources", "acme/charts/Rules", where="here").name
        == "Rules"
    )


def test_all_forms_of_items_are_known_without_loading_them() -> None:
    found = [
        InstalledItemRegistry().find_item("tools", f"acme/charts/{name}")
        for name in ("Plot", "Table", "Export")
    ]
    assert [one and (one.item.description, dict(one.item.properties)) for one in found] == [
        (None, {}),
        ("Draws a table", {}),
        ("Writes a chart", {"parameters": {"format": {}}}),
    ]


def test_a_file_of_its_own_wins_over_a_combined_one() -> None:
    with connect(create_server("Own", tools=["plain/Echo"]).load()) as peer:
        assert peer.call("Echo", text="x").text == "own x"


def test_a_broken_file_of_its_own_wins_too() -> None:
    with pytest.raises(LoadError) as raised:
        tool("plain/Twice")
    assert "broken on purpose" in str(raised.value)


def test_an_item_that_is_declared_and_not_defined_is_reported() -> None:
    with pytest.raises(LoadError) as raised:
        tool("plain/Lost")
    assert raised.value.hint is not None


@pytest.mark.parametrize("name", ["Plot", "Echo", "charts/Plot", "acme/plain/Echo"])
def test_what_belongs_to_an_extension_needs_its_full_name(name: str) -> None:
    with pytest.raises((ToolNotFoundError, ExtensionNotInstalledError)) as raised:
        tool(name)
    assert "did you mean" in (raised.value.hint or "")


def test_an_item_that_is_not_declared_is_not_there_though_a_file_is() -> None:
    with pytest.raises(ItemNotDeclaredError) as raised:
        tool("acme/charts/Undeclared")
    assert raised.value.extension == "acme/charts"
    assert raised.value.code == "item-not-declared"


def test_an_extension_that_is_not_installed_is_reported_with_a_command_that_helps() -> None:
    with pytest.raises(ExtensionNotInstalledError) as raised:
        tool("someone/graphs/Draw")
    assert raised.value.extension == "someone/graphs"
    assert "paddock extensions search graphs" in (raised.value.hint or "")


def test_a_distribution_that_is_not_an_extension_is_reported() -> None:
    with pytest.raises(ExtensionNotFoundError):
        tool("pytest/Draw")


def test_a_distribution_whose_extension_is_called_otherwise_is_reported() -> None:
    with pytest.raises(ExtensionNotFoundError) as raised:
        tool("Acme_Charts/Plot")
    assert raised.value.extension == "acme/charts"
    assert raised.value.message.endswith('the extension in "Acme_Charts" is called "acme/charts"')
    assert raised.value.hint == "did you mean acme/charts/Plot?"


@pytest.mark.usefixtures("all_installed")
def test_a_name_in_a_broken_extension_says_what_is_broken() -> None:
    with pytest.raises(ManifestError) as raised:
        tool("new-schema/Draw")
    assert raised.value.message == "schema is 2"
    with pytest.raises(ManifestError):
        get_server("new-schema/Server")


def test_in_the_servers_of_an_extension_short_names_are_its_own_then_built_in() -> None:
    server = get_server("acme/charts/Charts")
    assert server.tool_names == ["plot", "roll_dice", "Echo", "Search1", "Search2"]
    assert server.prompt_names == ["Greet", "tour"]
    assert [resource.name for resource in server.resources] == ["Rules"]
    with connect(server.load()) as peer:
        assert peer.call("Search1", query="x").text == "charts about x"
        assert peer.call("Search2", query="x").text == "something about x"


def test_the_server_of_an_extension_has_its_full_name_and_the_version_of_its_package() -> None:
    server = get_server("acme/charts/Charts")
    assert (server.name, server.key, server.version) == ("acme/charts/Charts", "Charts", "1.2.3")
    assert server["Name"] == "acme/charts/Charts"
    assert server.location == "acme/charts"
    assert get_server("acme/charts/Code").version == "7.0"
    assert get_server("deep/Small").tool_names == ["Say"]


def test_a_server_may_be_defined_in_python() -> None:
    server = get_server("acme/charts/Code")
    assert server.tool_names == ["table", "plot"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("acme/charts/Nothing", ItemNotDeclaredError),
        ("acme/charts/Plot", ItemNotDeclaredError),
        ("someone/graphs/Graphs", ExtensionNotInstalledError),
        ("pytest/Server", ExtensionNotFoundError),
    ],
)
def test_a_server_that_is_not_there_is_reported_with_the_reason(
    name: str, kind: type[Exception]
) -> None:
    with pytest.raises(kind):
        get_server(name)


def test_a_server_of_the_users_may_have_such_a_name_and_comes_first() -> None:
    create_server("acme/charts/Charts", tools=["DemoGreet"])
    assert get_server("acme/charts/Charts").tool_names == ["greet"]
    assert [one.name for one in list_servers()].count("acme/charts/Charts") == 1


def test_servers_are_listed_by_their_full_names() -> None:
    names = [server.name for server in list_servers()]
    assert {"Demo", "acme/charts/Charts", "acme/charts/Code", "deep/Small"} <= set(names)
    assert [server.name for server in list_servers("acme/*")] == [
        "acme/charts/Charts",
        "acme/charts/Code",
    ]
    without = [server.name for server in list_servers(include_built_in=False)]
    assert "Demo" not in without
    assert "deep/Small" in without


def test_a_users_server_may_be_made_of_items_of_several_extensions() -> None:
    server = create_server(
        "Mixed",
        tools=["acme/charts/Plot", "plain/Search", "DemoDice"],
        prompts=["acme/charts/Greet"],
        resources=["acme/charts/Rules"],
    )
    again = get_server("Mixed")
    assert again.tool_names == server.tool_names == ["plot", "Search", "roll_dice"]
    assert again.prompt_names == ["Greet"]
