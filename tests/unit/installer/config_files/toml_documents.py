"""TOML texts as people leave them behind: all forms of tables, comments anywhere, odd spacing."""

import tomllib

from hypothesis import assume
from hypothesis import strategies as st

TRIVIA = st.lists(
    st.sampled_from(["", "", "   ", "# a comment", "  # [mcp_servers.x]", '# = "', "#"]), max_size=3
)
VALUES = st.sampled_from(
    [
        "1",
        '"text # no comment"',
        "'C:\\path'",
        '"""\n[mcp_servers.x]\ncommand = "a" \\"""" \n"""',
        "'''\n[[mcp.servers]]\n'''''",
        "[1, 2]",
        '[ # c\n  "a", # d\n  # e\n  "]",\n]',
        "{}",
        '{ a.b = 1, "c d" = [ { e = 2 } ] }',
        "1979-05-27 07:32:00",
        "true",
        "nan",
    ]
)
EQUALS = st.sampled_from([" = ", "=", "   = ", "= "])
INDENTS = st.sampled_from(["", "", "  ", "\t"])
KEYS = st.sampled_from(["a", "b", "c-d", '"e.f"', "'g h'", "1", "i.j", 'k . "l"'])
NAMES = st.sampled_from(["one", '"two words"', "three-3", "'4'"])
ENDINGS = st.sampled_from(["", " # behind", "  "])


@st.composite
def assignments(draw: st.DrawFn, *, prefix: str = "", least: int = 0) -> list[str]:
    """Lines with keys and values, and what may stand between them."""
    lines: list[str] = []
    indent = draw(INDENTS)
    for key in draw(st.lists(KEYS, unique=True, min_size=least, max_size=3)):
        lines += draw(TRIVIA)
        written = f"{indent}{prefix}{key}{draw(EQUALS)}{draw(VALUES)}{draw(ENDINGS)}"
        lines.append(written)
    return lines


@st.composite
def tables(draw: st.DrawFn, header: str) -> list[str]:
    """A header with its lines."""
    head = f"{draw(INDENTS)}{header}{draw(ENDINGS)}"
    return [*draw(TRIVIA), head, *draw(assignments()), *draw(TRIVIA)]


@st.composite
def server_blocks(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """Entries of `mcp_servers` in one of the forms that TOML has: lines at the top, and tables."""
    names = draw(st.lists(NAMES, unique=True, max_size=3))
    form = draw(st.sampled_from(["headers", "inline", "dotted", "lines", "dotted-lines", "empty"]))
    if form == "headers":
        blocks = [draw(tables(f"[mcp_servers.{name}]")) for name in names]
        subs = [draw(tables(f"[ mcp_servers . {n} . env ]")) for n in names if draw(st.booleans())]
        return [], blocks + subs
    if form == "inline":
        inner = ", ".join(f"{name} = {{ command = 'q' }}" for name in names)
        return [f"mcp_servers{draw(EQUALS)}{{{inner}}}{draw(ENDINGS)}"], []
    if form == "dotted":
        lines = [draw(assignments(prefix=f"mcp_servers.{name}.", least=1)) for name in names]
        return [line for block in lines for line in block], []
    if form == "empty":
        return [], [["[mcp_servers]", *draw(TRIVIA)]]
    entry = "{}.command = 'q' # c" if form == "dotted-lines" else "{} = {{ command = 'q' }} # c"
    return [], [["[mcp_servers]", *draw(TRIVIA), *(entry.format(name) for name in names)]]


@st.composite
def element_blocks(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """Elements of `mcp.servers` in one of the forms that TOML has."""
    names = draw(st.lists(st.sampled_from(["one", "two", "three"]), unique=True, max_size=3))
    form = draw(st.sampled_from(["headers", "inline", "many-lines", "comma"]))
    if form == "headers":
        blocks = []
        for name in names:
            block = [*draw(tables("[[mcp.servers]]")), f'name = "{name}"', *draw(TRIVIA)]
            if draw(st.booleans()):
                block += draw(tables("[mcp.servers.env]"))
            blocks.append(block)
        return [], blocks
    elements = [f'{{ name = "{name}" }}' for name in names]
    if form == "inline":
        return [f"mcp.servers = [{', '.join(elements)}]"], []
    ends = [","] * len(elements)
    if ends and form == "many-lines":
        ends[-1] = ""
    inner = [f"  {e}{end}{draw(ENDINGS)}" for e, end in zip(elements, ends, strict=True)]
    return ["[mcp]", "servers = [ # c", *inner, "  # last", "]"], []


@st.composite
def toml_texts(draw: st.DrawFn, *, elements: bool = False) -> str:
    """A whole file."""
    top, blocks = draw(element_blocks() if elements else server_blocks())
    root = draw(assignments())
    root = root + top if draw(st.booleans()) or top[:1] == ["[mcp]"] else top + root
    others = [draw(tables(header)) for header in ("[other]", "[other.in]", "[[list]]", "[[list]]")]
    chosen = [block for block in others if draw(st.booleans())]
    ordered = _interleaved(draw, blocks, chosen)
    lines = [*draw(TRIVIA), *root, *(line for block in ordered for line in block), *draw(TRIVIA)]
    text = "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assume(False)
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def _interleaved(
    draw: st.DrawFn, blocks: list[list[str]], others: list[list[str]]
) -> list[list[str]]:
    """Both lists in their own order, mixed."""
    marks = draw(st.permutations([True] * len(blocks) + [False] * len(others)))
    rest, more = iter(blocks), iter(others)
    return [next(rest) if mark else next(more) for mark in marks]
