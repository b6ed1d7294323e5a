"""Sample distributions: their files, built into wheels and installed as anybody's are.

They are written as text, since several are broken on purpose.
"""

import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

PATIENCE = 120
BUILD = """
import os, sys
from hatchling.build import build_wheel
for project in sys.argv[2:]:
    os.chdir(project)
    build_wheel(sys.argv[1])
"""

HOSTILE = """
    from pathlib import Path
    Path(__file__).with_suffix(".touched").touch()
    raise RuntimeError("must not be run")
"""

CHARTS = {
    "acme_charts/__init__.py": "",
    "acme_charts/drawing.py": '''
        def plot(values: list[float]) -> str:
            """Draw values as bars."""
            return " ".join("#" * int(value) for value in values)

        def start() -> None:
            STARTED.append("charts")

        def explain(arguments: dict[str, str]) -> str:
            return f"Explain the chart {arguments['name']}."

        STARTED: list[str] = []
        ''',
    "acme_charts/paddock.toml": """
        schema = 1
        publisher = "acme"
        root = "definitions"
        tools = [
            "Plot",
            ["Table", "Draws a table"],
            { name = "Export", description = "Writes a chart", parameters = { format = {} } },
            "Search",
        ]
        prompts = ["Explain", ["Greet", "Says hello"]]
        resources = ["Rules"]
        servers = ["Charts", { name = "Code", description = "In Python", tools = ["Plot"] }]
        """,
    "acme_charts/definitions/tools/Plot.py": """
        from paddock import Tool
        from acme_charts.drawing import plot
        tool = Tool("plot", plot)
        """,
    "acme_charts/definitions/tools/Table.toml": """
        name = "table"
        function = "acme_charts.drawing:plot"
        """,
    "acme_charts/definitions/tools/Export.json": """
        {"Name": "export", "Function": "acme_charts.drawing:explain",
         "Parameters": {"name": {"Interpreter": "String", "Help": "which", "Required": true}}}
        """,
    "acme_charts/definitions/tools/Undeclared.py": "def tool() -> str: ...",
    "acme_charts/definitions/tools.py": """
        def Search(query: str) -> str:
            '''Search in charts.'''
            return f"charts about {query}"
        """,
    "acme_charts/definitions/prompts.toml": """
        [Explain]
        type = "Function"
        content = "acme_charts.drawing:explain"
        arguments = [{ name = "name", required = true }]

        [Greet]
        content = "Hello"
        """,
    "acme_charts/definitions/resources/Rules.toml": 'uri = "rules://charts"\ntext = "Be brief."',
    "acme_charts/definitions/servers/Charts.toml": """
        title = "Charts of acme"
        tools = ["Plot", "DemoDice", "plain/Echo", "Search", "plain/Search"]
        prompts = ["Greet", "DemoTour"]
        resources = ["Rules"]
        initialization = "acme_charts.drawing:start"
        """,
    "acme_charts/definitions/servers/Code.py": """
        from acme_charts.drawing import plot
        server = {"ServerVersion": "7.0", "LLMEvaluator": {"Tools": ["Table", plot]}}
        """,
}

PLAIN = {
    "plain_tools/__init__.py": "",
    "plain_tools/paddock.toml": 'tools = ["Echo", "Twice", "Search", "Lost"]',
    "plain_tools/agenttools/tools/Echo.py": "def tool(text: str) -> str:\n    return f'own {text}'",
    "plain_tools/agenttools/tools/Echo.toml": 'function = "nowhere:nothing"',
    "plain_tools/agenttools/tools/Twice.py": "raise ValueError('broken on purpose')",
    "plain_tools/agenttools/tools.py": """
        def Echo(text: str) -> str: return f"combined {text}"
        def Twice(text: str) -> str: return text * 2
        def Search(query: str) -> str:
            '''Search in general.'''
            return f"something about {query}"
        """,
}

DEEP = {
    "acme_space/deep/__init__.py": "",
    "acme_space/deep/paddock.toml": 'servers = ["Small"]\ntools = ["Say"]',
    "acme_space/deep/agenttools/servers/Small.json": '{"tools": ["Say"]}',
    "acme_space/deep/agenttools/tools/Say.py": "def tool() -> str: return 'deep'",
}

MINES = {
    "mines/__init__.py": HOSTILE,
    "mines/paddock.toml": """
        tools = ["Boom"]
        prompts = ["Boom"]
        resources = ["Boom"]
        servers = [["Boom", "Do not touch"]]
        """,
    "mines/agenttools/__init__.py": HOSTILE,
    "mines/agenttools/tools/Boom.py": HOSTILE,
    "mines/agenttools/prompts.py": HOSTILE,
    "mines/agenttools/resources/Boom.py": HOSTILE,
    "mines/agenttools/servers/Boom.py": HOSTILE,
}


WORKING = {
    "acme-charts": ("charts = acme_charts", CHARTS),
    "plain": ("plain = plain_tools", PLAIN),
    "acme-deep": ("deep = acme_space.deep", DEEP),
    "mines": ("mines = mines", MINES),
}
"""Distributions by their names: the entry point, and the files."""

BROKEN = {
    "no-manifest": ("no-manifest = b_none", None),
    "no-toml": ("no-toml = b_toml", "tools = ["),
    "new-schema": ("new-schema = b_schema", "schema = 2"),
    "no-list": ("no-list = b_list", 'tools = "Plot"'),
    "bad-item": ("bad-item = b_item", 'tools = ["Plot", 42]'),
    "twice": ("twice = b_twice", 'tools = ["Plot", "Plot"]'),
    "outside": ("outside = b_outside", 'root = "../elsewhere"'),
    "bad-name": ("bad-name = b_name", 'tools = ["../Plot"]'),
    "bad-publisher": ("bad-publisher = b_publisher", 'publisher = "a/b"'),
    "an-object": ("an-object = b_object:thing", ""),
    "slash": ("a/b = b_slash", ""),
    "other-charts": ("charts = b_charts", 'publisher = "acme"'),
    "impostor": ("paddock = b_paddock", 'tools = ["DemoGreet"]'),
    "binary": ("binary = b_binary", "\x00"),
    "huge": ("huge = b_huge", "# " + "x" * 1_000_001),
}
"""The same, each with a manifest that is broken in its own way."""


def broken_files(entry_point: str, manifest: str | None) -> dict[str, str]:
    """A package that is nothing but a manifest, or not even that."""
    package = entry_point.partition(" = ")[2].partition(":")[0]
    files = {f"{package}/__init__.py": HOSTILE}
    return files if manifest is None else {**files, f"{package}/paddock.toml": manifest}


def write(directory: Path, name: str, entry_point: str, files: Mapping[str, str]) -> Path:
    """The project of a distribution."""
    point, _, value = entry_point.partition(" = ")
    packages = sorted({file.partition("/")[0] for file in files})
    pyproject = f"""
        [build-system]
        requires = ["hatchling"]
        build-backend = "hatchling.build"
        [project]
        name = "{name}"
        version = "1.2.3"
        [project.entry-points."paddock.extensions"]
        "{point}" = "{value}"
        [tool.hatch.build.targets.wheel]
        only-include = {[f"src/{package}" for package in packages]}
        sources = ["src"]
        [tool.hatch.build]
        dev-mode-dirs = ["src"]
        """
    project = directory / name
    texts = {"pyproject.toml": pyproject, **{f"src/{file}": text for file, text in files.items()}}
    for place, text in texts.items():
        file = project / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
    return project


def build(projects: Iterable[Path], wheels: Path) -> list[Path]:
    """Build projects into wheels."""
    run([sys.executable, "-c", BUILD, wheels, *projects])
    return sorted(wheels.glob("*.whl"))


def install(wheels: Iterable[Path], site: Path) -> Path:
    """Install wheels into a directory."""
    options = ["--quiet", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check"]
    run([sys.executable, "-m", "pip", "install", *options, "--target", site, *wheels])
    return site


def run(command: list[str | Path]) -> str:
    """Run a program that has to succeed; what it says."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def put(site: Path, name: str, files: Mapping[str, str | bytes], version: str = "1.0") -> Path:
    """A distribution and extension of a name, as an installer leaves it; its metadata.

    Names of files count from its package, and from its metadata where they begin with `@`.
    """
    metadata = site / f"{name}-{version}.dist-info"
    points = f"[paddock.extensions]\n{name} = {name}\n"
    for place, content in {"@entry_points.txt": points, **files}.items():
        file = metadata / place[1:] if place.startswith("@") else site / name / place
        file.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else textwrap.dedent(content).encode()
        file.write_bytes(data)
    return metadata
