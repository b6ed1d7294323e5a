"""Generated configuration files: as people and programs leave them behind, in each format."""

import json
from typing import Any

from hypothesis import strategies as st

NAMES = ["theme", "mcpServers", "other", "x", "ü", "with space", "env", "list"]
SCALARS = st.one_of(
    st.integers(-5, 5),
    st.booleans(),
    st.none(),
    st.sampled_from(["", "text", 'a"b', "# no comment", "ünï", "a: b", "// no", "{}"]),
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=8,
)
NEWLINES = st.sampled_from(["\n", "\r\n"])
INDENTS = st.sampled_from(["", " ", "  ", "    ", "\t"])


@st.composite
def json_files(draw: st.DrawFn, path: tuple[str, ...], dialect: str) -> bytes:
    """A JSON file that a client of this dialect can read, with or without servers at the path."""
    data = draw(st.dictionaries(st.sampled_from(NAMES[2:]), DATA, max_size=3))
    inner: Any = data
    there = draw(st.sampled_from([path[:length] for length in range(len(path) + 1)]))
    for key in there:
        inner[key] = {}
        holder, inner = inner, inner[key]
    if there and draw(st.integers(0, 4)) == 0:
        holder[there[-1]] = None
    elif inner is not data and draw(st.booleans()) and len(path) == depth_of(data, path):
        inner["x"] = {"command": "/x", "args": [], "env": {"A": "b"}}
    writer = JsonWriter(draw, dialect)
    text = writer.text(data, 0)
    before, after = writer.gap(), writer.gap()
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return (mark + before + text + after).encode()


def depth_of(data: dict[str, Any], path: tuple[str, ...]) -> int:
    depth = 0
    for key in path:
        if key not in data:
            break
        data, depth = data[key], depth + 1
    return depth


class JsonWriter:
    """Writes data in one style, with comments and commas as far as a dialect allows."""

    def __init__(self, draw: st.DrawFn, dialect: str) -> None:
        self._draw = draw
        self._newline = draw(NEWLINES)
        self._indent = draw(INDENTS)
        self._is_flat = draw(st.booleans())
        self._colon = draw(st.sampled_from([": ", ":", " : "]))
        self._has_comments = dialect != "strict" and draw(st.booleans())
        self._ends_with_comma = dialect == "jsonc" and draw(st.booleans())

    def gap(self) -> str:
        gap: str = self._draw(st.sampled_from(["", " ", self._newline]))
        return gap + self._comment()

    def text(self, data: Any, depth: int) -> str:
        if isinstance(data, dict):
            pairs = (
                f"{json.dumps(key, ensure_ascii=False)}{self._colon}{self.text(value, depth + 1)}"
                for key, value in data.items()
            )
            return self._bracketed("{", list(pairs), "}", depth)
        if isinstance(data, list):
            return self._bracketed("[", [self.text(one, depth + 1) for one in data], "]", depth)
        return json.dumps(data, ensure_ascii=self._draw(st.booleans()))

    def _bracketed(self, start: str, parts: list[str], end: str, depth: int) -> str:
        if not parts:
            return start + self._draw(st.sampled_from(["", " ", self._newline])) + end
        line = "" if self._is_flat else self._newline + self._indent * (depth + 1)
        last = "" if self._is_flat else self._newline + self._indent * depth
        comma = "," if self._ends_with_comma else ""
        inner = f",{self._comment()}{line or ' '}".join(parts)
        return f"{start}{self._comment()}{line}{inner}{comma}{self._comment()}{last}{end}"

    def _comment(self) -> str:
        if not self._has_comments:
            return ""
        choices = ["", "", f" // a comment{self._newline}", ' /* one, "two" */']
        comment: str = self._draw(st.sampled_from(choices))
        return comment


TOML_TOP = [
    "# a comment\n",
    'model = "gpt"  # why\n',
    "\n",
    "notify = [\n  'a', # one\n  'b',\n]\n",
    'text = """\n[no.table]\n"""\n',
    '"quoted key" = 1\n',
]
TOML_TABLES = [
    "[profiles.x]\nmodel = 'y'\n",
    '[mcp_servers.x]\ncommand = "/x" # mine\nargs = []\n',
    "[mcp_servers.y]\ncommand = '/y'\n[mcp_servers.y.env]\nTOKEN = \"t\"\n\n",
    '# about the next one\n[projects."/abs/dir"]\ntrust_level = "trusted"\n',
    "  [tui]\n  theme = 'dark'\n",
    "[[hooks]]\nname = 'a'\n\n[[hooks]]\nname = 'b'\n",
    "[empty]\n",
]


@st.composite
def toml_files(draw: st.DrawFn) -> bytes:
    top = draw(st.lists(st.sampled_from(TOML_TOP), max_size=4, unique=True))
    tables = draw(st.lists(st.sampled_from(TOML_TABLES), max_size=4, unique=True))
    end = draw(st.sampled_from(["", "\n", "\n\n", "# the end\n", "# the end"]))
    return finished(draw, "".join([*top, *tables, end]))


YAML_BLOCKS = [
    "# a comment\n",
    "\n",
    "GOOSE_PROVIDER: openai  # mine\n",
    "list:\n- a\n- b: 1\n  c: 2\n",
    "list2:\n  - a\n\n  - b\n",
    "text: |\n  extensions:\n    no: 1\n",
    "flow: {a: 1, b: [x, 'y']}\n",
    'nested:\n    deep:\n        deeper: "x"\n',
    "extensions:\n  x:\n    cmd: /x   # why\n    enabled: true\n",
    "mcpServers:\n  - name: x\n    command: /x\n",
    "mcp_servers:\n    x:\n        command: /x\n        env: {A: b}\n",
    "extensions: null # none\nmcp_servers: ~\n",
    "extensions:\nmcpServers:\n",
    "mcp_servers: {}  \n",
    "anchored: &a\n  k: 1\nuse: *a\n",
]


@st.composite
def yaml_files(draw: st.DrawFn) -> bytes:
    blocks = draw(st.lists(st.sampled_from(YAML_BLOCKS), max_size=5, unique=True))
    start = draw(st.sampled_from(["", "", "---\n", "%YAML 1.2\n---\n"]))
    return finished(draw, start + "".join(blocks))


def finished(draw: st.DrawFn, text: str) -> bytes:
    """A text with line ends, perhaps without the last one, and perhaps with a mark."""
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    text = text.replace("\n", draw(NEWLINES))
    return (draw(st.sampled_from(["", "\ufeff"])) + text).encode()
