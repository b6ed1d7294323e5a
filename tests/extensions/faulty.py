"""Distributions with faults, each with the codes of what `validate` finds in it.

`{package}` in a file means the distribution's package, which is its extension's name too.
"""

from typing import NamedTuple

CODE = """
    def plot(values: list[float]) -> str:
        '''Draw values as bars.'''
        return ""

    LIMIT = 3

    def silent() -> str:
        return ""

    def explain(arguments: dict[str, str]) -> str:
        return ""
    """
GOOD_TOOL = 'function = "{package}.code:plot"'


def nested(opening: str, closing: str) -> str:
    """Something that is nested too deeply to be read."""
    return opening * 20_000 + closing * 20_000


class Faulty(NamedTuple):
    """A distribution with faults."""

    files: dict[str, str]
    """By their names in the package."""
    codes: list[str]
    """What is found in the directory of the project."""
    static: list[str] | None = None
    """What is found when nothing is run, if that is something else."""

    @property
    def read(self) -> list[str]:
        """What is found when nothing is run."""
        return self.codes if self.static is None else self.static


FAULTY = {
    "f_manifest": Faulty({"paddock.toml": "tools = ["}, ["unreadable-manifest"]),
    "f_binary": Faulty({"paddock.toml": "\x00"}, ["unreadable-manifest"]),
    "f_huge": Faulty(
        {"paddock.toml": "# " + "".join(map(str, range(190_000)))}, ["unreadable-manifest"]
    ),
    "f_schema": Faulty({"paddock.toml": "schema = 2"}, ["unsupported-schema", "empty-extension"]),
    "f_key": Faulty({"paddock.toml": 'tool = ["A"]'}, ["unknown-key", "empty-extension"]),
    "f_value": Faulty(
        {"paddock.toml": 'publisher = "a/b"\nroot = "../x"\ntools = "Plot"'},
        ["invalid-value", "invalid-value", "invalid-value", "empty-extension"],
    ),
    "f_spellings": Faulty(
        {
            "paddock.toml": 'tools = ["A"]\nTools = ["A"]',
            "agenttools/tools/A.toml": GOOD_TOOL,
        },
        ["invalid-value"],
    ),
    "f_item": Faulty(
        {
            "paddock.toml": 'tools = ["Good", 42, ["Alone"], "../Up", { description = "x" }]',
            "agenttools/tools/Good.toml": GOOD_TOOL,
        },
        ["invalid-item"] * 4,
    ),
    "f_twice": Faulty(
        {"paddock.toml": 'tools = ["A", "A"]', "agenttools/tools/A.toml": GOOD_TOOL},
        ["duplicate-item"],
    ),
    "f_empty": Faulty({"paddock.toml": ""}, ["empty-extension"]),
    "f_case": Faulty(
        {
            "paddock.toml": 'tools = ["Plot", "plot"]',
            "agenttools/tools.toml": f"[Plot]\n{GOOD_TOOL}\n[plot]\n{GOOD_TOOL}\n",
        },
        ["names-differ-by-case"],
    ),
    "f_root": Faulty(
        {"paddock.toml": 'root = "nowhere"\ntools = ["A"]\nservers = ["B"]'}, ["missing-root"]
    ),
    "f_missing": Faulty(
        {
            "paddock.toml": 'tools = ["A", "B", "C"]\nprompts = ["D"]',
            "agenttools/tools/A.toml": GOOD_TOOL,
            "agenttools/tools/b.txt": "",
            "agenttools/prompts.toml": "",
        },
        ["missing-definition", "missing-definition", "unreadable-definition"],
    ),
    "f_several": Faulty(
        {
            "paddock.toml": 'tools = ["A"]',
            "agenttools/tools/A.toml": GOOD_TOOL,
            "agenttools/tools/A.json": "nothing",
        },
        ["duplicate-definition-files"],
    ),
    "f_undeclared": Faulty(
        {
            "paddock.toml": 'tools = ["A"]',
            "agenttools/tools/A.toml": GOOD_TOOL,
            "agenttools/tools/B.py": "raise RuntimeError",
            "agenttools/tools/__init__.py": "",
            "agenttools/prompts.json": '{"C": {"content": "c"}}',
        },
        ["undeclared-definition", "undeclared-definition"],
    ),
    "f_unreadable": Faulty(
        {
            "paddock.toml": 'tools = ["A", "B", "C", "D", "E", "F", "G", "H"]',
            "agenttools/tools/A.py": "def tool(:\n",
            "agenttools/tools/B.toml": "function = \nname = 1",
            "agenttools/tools/C.json": "{",
            "agenttools/tools/D.json": "[]",
            "agenttools/tools/E.py": "tool = 1 / 0",
            "agenttools/tools/F.py": "import os as _os",
            "agenttools/tools/G.json": nested("[", "]"),
            "agenttools/tools/H.py": "tool = " + nested("(", ")"),
        },
        ["unreadable-definition"] * 8,
        ["unreadable-definition"] * 7,
    ),
    "f_tools": Faulty(
        {
            "paddock.toml": 'tools = ["A", "B", "C", "D"]',
            "agenttools/tools/A.toml": 'function = "{package}.code:plot"\nfunktion = 1',
            "agenttools/tools/B.toml": "description = 'Nothing to call'",
            "agenttools/tools/C.toml": 'name = "not valid"\nfunction = "{package}.code:plot"',
            "agenttools/tools/D.py": "def tool(*values: int) -> str:\n    '''Take any.'''\n",
        },
        ["invalid-tool"] * 4,
        ["invalid-tool"] * 3,
    ),
    "f_prompts": Faulty(
        {
            "paddock.toml": 'prompts = ["A", "B", "C", "D"]',
            "agenttools/prompts/A.toml": 'description = "a"\ncontent = "a"\ntype = "Song"',
            "agenttools/prompts/B.toml": 'description = "b"',
            "agenttools/prompts/C.toml": 'description = "c"\ncontent = ""',
            "agenttools/prompts/D.toml": 'description = "d"\ncontent = "d"\narguments = [1]',
        },
        ["invalid-prompt", "prompt-without-content", "prompt-without-content", "invalid-prompt"],
    ),
    "f_resources": Faulty(
        {
            "paddock.toml": 'resources = ["A", "B", "C"]',
            "agenttools/resources/A.toml": 'text = "nowhere"',
            "agenttools/resources/B.toml": 'uri = "b://b"\nfile = "b.txt"',
            "agenttools/resources/C.toml": 'uri = "c://c"\nfile = "../c.txt"',
            "agenttools/c.txt": "c",
        },
        ["invalid-resource", "invalid-resource"],
        ["invalid-resource", "reference-not-found"],
    ),
    "f_servers": Faulty(
        {
            "paddock.toml": 'servers = [["A", "a"], ["B", "b"], ["C", "c"], ["D", "d"]]',
            "agenttools/servers/A.toml": 'toools = ["DemoDice"]',
            "agenttools/servers/B.json": '{"tools": {"name": "alone"}}',
            "agenttools/servers/C.toml": 'initialization = "now"',
            "agenttools/servers/D.py": "server = 42",
        },
        ["invalid-server"] * 4,
        ["invalid-server"] * 3,
    ),
    "f_references": Faulty(
        {
            "paddock.toml": 'tools = ["A", "B", "C", "D"]\nservers = [["E", "e"]]',
            "agenttools/tools/A.toml": 'function = "{package}.code:plott"',
            "agenttools/tools/B.toml": 'function = "{package}.nowhere:plot"',
            "agenttools/tools/C.toml": 'function = "../../code.py:plott"',
            "agenttools/tools/D.toml": 'function = "../../code.py:plot"',
            "agenttools/servers/E.toml": """
                tools = ["{package}.code:nothing", "{package}.code:plot", "{package}.code:LIMIT"]
                initialization = "{package}.code:start"
                """,
        },
        [*["reference-not-found"] * 5, "invalid-tool"],
        ["reference-not-found"] * 5,
    ),
    "f_names": Faulty(
        {
            "paddock.toml": 'tools = ["Own"]\nservers = [["A", "a"]]',
            "agenttools/tools/Own.toml": GOOD_TOOL,
            "agenttools/servers/A.toml": """
                tools = [
                    "Own", "DemoDice", "{package}/Own", "paddock/DemoDice",
                    "Owns", "{package}/Other", "paddock/Other", "absent/here/Tool",
                ]
                prompts = ["DemoTour", "Nothing"]
                resources = ["Nothing"]
                """,
        },
        [
            "unknown-tool",
            "item-not-declared",
            "item-not-declared",
            "extension-not-installed",
            "unknown-prompt",
            "unknown-resource",
        ],
    ),
    "f_initialization": Faulty(
        {
            "paddock.toml": 'servers = [["A", "a"], ["B", "b"]]',
            "agenttools/servers/A.toml": 'initialization = "{package}.code:plot"',
            "agenttools/servers/B.toml": 'initialization = "{package}.code:LIMIT"',
        },
        ["invalid-server"] * 2,
        [],
    ),
    "f_templates": Faulty(
        {
            "paddock.toml": 'resources = ["A", "B"]',
            "agenttools/resources/A.toml": """
                uri_template = "x://{a"
                function = "{package}.code:plot"
                """,
            "agenttools/resources/B.toml": """
                uri_template = "x://{zz}"
                function = "{package}.code:plot"
                """,
        },
        ["invalid-resource"] * 2,
        [],
    ),
    "f_null": Faulty(
        {"paddock.toml": 'tools = ["A"]', "agenttools/tools.json": '{"A": null}'},
        ["unreadable-definition"],
    ),
    "f_made": Faulty(
        {
            "paddock.toml": 'servers = [["A", "a"]]',
            "agenttools/servers/A.py": """
                from paddock import Server
                server = Server("A")

                @server.tool
                def good() -> str:
                    '''Good.'''

                @server.tool
                def bad(x: "Nope") -> str:
                    '''Bad.'''
                """,
        },
        ["invalid-tool"],
        [],
    ),
    "f_arguments": Faulty(
        {
            "paddock.toml": 'tools = ["A"]\nprompts = ["B", "C"]',
            "agenttools/tools/A.toml": """
                description = "a"
                function = "{package}.code:silent"
                [parameters.x]
                interpreter = "String"
                """,
            "agenttools/prompts/B.toml": """
                description = "b"
                type = "Template"
                content = "Dear {nam},"
                arguments = [{ name = "name" }]
                """,
            "agenttools/prompts/C.toml": """
                description = "c"
                type = "Function"
                content = "{package}.code:silent"
                arguments = [{ name = "name" }]
                """,
        },
        ["invalid-tool", "unfilled-blank", "invalid-prompt"],
        ["unfilled-blank"],
    ),
    "f_options": Faulty(
        {
            "paddock.toml": 'tools = ["A"]\nservers = [["B", "b"]]',
            "agenttools/tools/A.toml": f"{GOOD_TOOL}\noptions = {{ most = 3 }}",
            "agenttools/servers/B.toml": """
                tools = ["A", "absent/here/Tool"]
                options = { A = { least = 1 }, "absent/here/Tool" = { any = 1 } }
                """,
        },
        ["extension-not-installed", "invalid-server"],
        ["extension-not-installed"],
    ),
    "f_same": Faulty(
        {
            "paddock.toml": 'prompts = ["A", "B"]\nresources = ["C", "D"]\nservers = [["E", "e"]]',
            "agenttools/prompts.toml": """
                [A]
                name = "same"
                description = "a"
                content = "a"
                [B]
                name = "same"
                description = "b"
                content = "b"
                """,
            "agenttools/resources/C.toml": 'uri = "c://c"\ntext = "c"',
            "agenttools/resources/D.toml": 'uri = "c://c"\ntext = "d"',
            "agenttools/servers/E.toml": 'prompts = ["A", "B"]\nresources = ["C", "D"]',
        },
        ["duplicate-name"] * 2,
        [],
    ),
    "f_silent": Faulty(
        {
            "paddock.toml": 'tools = ["A"]\nprompts = ["B"]\nservers = ["C"]',
            "agenttools/tools/A.toml": 'function = "{package}.code:silent"',
            "agenttools/prompts/B.toml": 'content = "b"',
            "agenttools/servers/C.toml": 'tools = ["A"]',
        },
        ["missing-description"] * 3,
        ["missing-description"] * 2,
    ),
    "f_none": Faulty({}, ["missing-manifest"]),
}


def files_of(package: str) -> dict[str, str]:
    """The files of one of these, by their places below the directory of packages."""
    given = {"__init__.py": "", "code.py": CODE, **FAULTY[package].files}
    return {
        f"{package}/{place}": text.replace("{package}", package) for place, text in given.items()
    }
