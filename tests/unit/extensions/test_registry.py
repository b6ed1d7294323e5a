"""Names of declared items, and what they lead to."""

import subprocess
import sys
from pathlib import Path

import pytest

from paddock import (
    DefinitionError,
    LoadError,
    Prompt,
    Resource,
    Tool,
    default_prompts,
    default_tools,
)
from paddock.extensions.errors import (
    ExtensionError,
    ExtensionNotFoundError,
    ExtensionNotInstalledError,
    ItemNotDeclaredError,
    PromptNotFoundError,
    PromptSpecificationError,
    ResourceNameError,
    ToolNotFoundError,
    ToolSpecificationError,
)
from paddock.extensions.extension import Extension, get_built_in_extension
from paddock.extensions.registry import (
    InstalledItemRegistry,
    ItemRegistry,
)
from tests.unit.extensions.places import extension, write

CHARTS = """
    publisher = "acme"
    tools = ["Plot", ["Table", "Draws a table"]]
    prompts = ["Explain"]
    servers = ["Charts"]
"""


@pytest.fixture
def charts(tmp_path: Path) -> Extension:
    root = tmp_path / "charts" / "agenttools"
    for name in ("Plot", "Undeclared"):
        write(
            root / "tools" / f"{name}.py",
            f"def tool() -> str:\n    '''From acme.'''\n    return {name!r}",
        )
    write(root / "prompts" / "Explain.toml", 'name = "Search"\ncontent = "Explain it"')
    return extension(tmp_path / "charts", CHARTS)


@pytest.fixture
def ours(tmp_path: Path) -> Extension:
    write(
        tmp_path / "ours" / "own" / "tools.py",
        "def Plot() -> str: ...\ndef Echo() -> str: ...\nbroken = 1",
    )
    manifest = 'root = "own"\ntools = ["Plot", "Echo", "Broken"]\nprompts = ["WolframSearch"]'
    return extension(tmp_path / "ours", manifest, "paddock")


@pytest.fixture
def both(ours: Extension, charts: Extension) -> ItemRegistry:
    return ItemRegistry([ours, charts])


def tool(registry: ItemRegistry, name: str, owner: Extension | None = None) -> str:
    """Whose tool a name leads to."""
    found = registry.resolve_item("tools", name, owner=owner, where="here")
    assert isinstance(found, Tool)
    return f"{found.name} {found.handler.__module__.rpartition('/')[2]}"


def test_discovery_lists_what_is_declared(both: ItemRegistry) -> None:
    assert [
        (one.name, one.qualified_name, one.item.description) for one in both.list_items("tools")
    ] == [
        ("Plot", "paddock/Plot", None),
        ("Echo", "paddock/Echo", None),
        ("Broken", "paddock/Broken", None),
        ("acme/charts/Plot", "acme/charts/Plot", None),
        ("acme/charts/Table", "acme/charts/Table", "Draws a table"),
    ]


def test_discovery_runs_nothing(tmp_path: Path) -> None:
    write(tmp_path / "agenttools" / "tools" / "Plot.py", "raise SystemExit('run')")
    registry = ItemRegistry([extension(tmp_path, 'tools = ["Plot"]')])
    found = registry.find_item("tools", "charts/Plot")
    assert found is not None
    assert found.definition().path.name == "Plot.py"
    with pytest.raises(LoadError):
        registry.resolve_item("tools", "charts/Plot", where="here")


def test_manifest_can_refer_to_a_definition_in_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "registry_charts"
    write(package / "plots.py", "def plot() -> str:\n    '''Draw a plot.'''\n    return 'plot'")
    manifest = 'tools = [{ name = "Plot", definition = "registry_charts.plots:plot" }]'
    registry = ItemRegistry([extension(package, manifest)])
    found = registry.find_item("tools", "charts/Plot")
    assert found is not None
    assert found.definition().path == package / "plots.py"
    assert "registry_charts.plots" not in sys.modules
    monkeypatch.syspath_prepend(str(tmp_path))
    plot = registry.resolve_item("tools", "charts/Plot", where="here")
    assert plot.name == "Plot"


@pytest.mark.parametrize("reference", ["json:dumps", "registry_charts.missing:plot"])
def test_manifest_cannot_refer_to_a_definition_outside_the_package(
    reference: str, tmp_path: Path
) -> None:
    manifest = f'tools = [{{ name = "Plot", definition = "{reference}" }}]'
    registry = ItemRegistry([extension(tmp_path / "registry_charts", manifest)])
    with pytest.raises(LoadError, match="not in a module of this package"):
        registry.resolve_item("tools", "charts/Plot", where="here")


def test_discovery_of_what_is_built_in_imports_none_of_it() -> None:
    program = (
        "import sys, paddock; print(*paddock.default_tools(), *paddock.default_prompts());"
        "print([name for name in sys.modules if 'toolkits' in name or 'definition:' in name])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True
    )
    names, loaded = ran.stdout.splitlines()
    assert "DemoGreet" in names
    assert loaded == "[]"


def test_a_short_name_is_a_built_in_item(both: ItemRegistry) -> None:
    assert tool(both, "Plot") == "Plot tools.py"


def test_a_qualified_name_is_an_item_of_that_extension(both: ItemRegistry) -> None:
    assert tool(both, "acme/charts/Plot") == "Plot Plot.py"
    assert tool(both, "paddock/Plot") == "Plot tools.py"


def test_within_an_extension_its_own_items_come_first(
    both: ItemRegistry, charts: Extension
) -> None:
    assert tool(both, "Plot", charts) == "Plot Plot.py"
    assert tool(both, "Echo", charts) == "Echo tools.py"
    assert tool(both, "paddock/Plot", charts) == "Plot tools.py"


def test_the_registry_name_is_not_what_clients_see(both: ItemRegistry) -> None:
    prompt = both.resolve_item("prompts", "acme/charts/Explain", where="here")
    assert isinstance(prompt, Prompt)
    assert prompt.name == "Search"


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        (
            "Plott",
            'No tool named "Plott" found in default_tools()',
            "did you mean Plot?",
        ),
        (
            "Table",
            'No tool named "Table" found in default_tools()',
            "did you mean acme/charts/Table?",
        ),
    ],
)
def test_a_name_of_nothing_is_reported_with_names_like_it(
    both: ItemRegistry, name: str, message: str, hint: str | None
) -> None:
    with pytest.raises(ToolNotFoundError) as raised:
        both.resolve_item("tools", name, where="here")
    assert raised.value.message == message
    assert raised.value.where == "here"
    assert hint in (None, raised.value.hint)


@pytest.mark.parametrize(
    ("name", "kind", "hint"),
    [
        ("acme/charts/Undeclared", ItemNotDeclaredError, "its tools are: Plot, Table"),
        ("acme/charts/Plott", ItemNotDeclaredError, "did you mean acme/charts/Plot?"),
        ("acme/graphs/Plot", ExtensionNotInstalledError, "did you mean Plot or acme/charts/Plot?"),
        ("pytest/Plot", ExtensionNotFoundError, "did you mean Plot or acme/charts/Plot?"),
    ],
)
def test_a_qualified_name_of_nothing_is_reported_with_the_reason(
    both: ItemRegistry, name: str, kind: type[ExtensionError], hint: str
) -> None:
    with pytest.raises(kind) as raised:
        both.resolve_item("tools", name, where="here")
    assert f'No tool named "{name}" found' in raised.value.message
    assert raised.value.where == "here"
    assert raised.value.extension == name.rpartition("/")[0]
    assert (raised.value.hint or "").startswith(hint)


def test_a_declared_item_without_a_definition_is_reported(both: ItemRegistry) -> None:
    for name in ("acme/charts/Table", "Broken"):
        with pytest.raises(LoadError):
            both.resolve_item("tools", name, where="here")


def test_every_built_in_item_can_be_loaded() -> None:
    tools, prompts = default_tools(), default_prompts()
    assert {name: type(tools[name]) for name in tools} == dict.fromkeys(tools, Tool)
    assert {name: type(prompts[name]) for name in prompts} == dict.fromkeys(prompts, Prompt)
    assert tools["DemoGreet"].name == "greet"
    assert [one.item.name for one in InstalledItemRegistry().list_items("tools")] == list(tools)
    with pytest.raises(KeyError):
        tools["NoSuchTool"]


def test_a_built_in_server_is_found_with_its_definition() -> None:
    found = InstalledItemRegistry().find_item("servers", "Demo")
    assert found == InstalledItemRegistry().find_item("servers", "paddock/Demo")
    assert found is not None
    definition = found.definition().load()
    assert isinstance(definition, dict)
    registry, owner = InstalledItemRegistry(), get_built_in_extension()
    for kind in ("tools", "prompts", "resources"):
        for name in definition[kind]:
            assert registry.resolve_item(kind, name, owner=owner, where="Demo")


def test_what_is_not_a_name_is_resolved_by_what_it_is(tmp_path: Path) -> None:
    write(
        tmp_path / "mine.py",
        """
        from paddock import Prompt, Resource
        def roll() -> str: ...
        table = {"name": "table", "function": "mine.py:roll"}
        prompt = Prompt("p", "text")
        resource = Resource("a://b", roll)
        """,
    )
    made = InstalledItemRegistry().resolve_item(
        "tools", "mine.py:roll", relative_to=tmp_path, where="here"
    )
    assert made.name == "roll"
    assert (
        InstalledItemRegistry()
        .resolve_item("tools", "mine.py:table", relative_to=tmp_path, where="here")
        .name
        == "table"
    )
    assert InstalledItemRegistry().resolve_item("tools", made, where="here") is made
    assert (
        InstalledItemRegistry()
        .resolve_item("tools", {"name": "t", "function": print}, where="here")
        .name
        == "t"
    )
    assert (
        InstalledItemRegistry()
        .resolve_item("prompts", "mine.py:prompt", relative_to=tmp_path, where="here")
        .name
        == "p"
    )
    resource = InstalledItemRegistry().resolve_item(
        "resources", "mine.py:resource", relative_to=tmp_path, where="here"
    )
    assert isinstance(resource, Resource)


@pytest.mark.parametrize("spec", [5, None, "", "mine.py", "mine.py:prompt"])
def test_what_cannot_be_a_tool_is_reported(tmp_path: Path, spec: object) -> None:
    write(tmp_path / "mine.py", "from paddock import Prompt\nprompt = Prompt('p', 'text')")
    with pytest.raises(ToolSpecificationError):
        InstalledItemRegistry().resolve_item("tools", spec, relative_to=tmp_path, where="here")


def test_each_kind_has_errors_of_its_own() -> None:
    expected: dict[type[DefinitionError], str] = {
        PromptNotFoundError: "NoSuch",
        PromptSpecificationError: "",
    }
    for error, spec in expected.items():
        with pytest.raises(error):
            InstalledItemRegistry().resolve_item("prompts", spec, where="here")
    with pytest.raises(ResourceNameError):
        InstalledItemRegistry().resolve_item("resources", "NoSuch", where="here")
