"""YAML texts as people leave them behind: all styles, comments anywhere, odd indentation."""

from hypothesis import assume
from hypothesis import strategies as st

from paddock.installer.config_files.document import ConfigurationError
from paddock.installer.config_files.yaml_document import read

TRIVIA = st.lists(
    st.sampled_from(["", "", "   ", "# a comment", "  # x:", "# extensions: {}", "#"]), max_size=2
)
BEHIND = st.sampled_from(["", "", " # behind", "  "])
SCALARS = st.sampled_from(
    [
        "1",
        "plain text",
        "'single # no comment'",
        '"double: \\" x"',
        "",
        "~",
        "*anchor",
        "!tag text",
        "{a: 1, b: [c, {d: e}]}",
        "[]",
        "no",
        "2001-01-01",
        "a#b:c",
    ]
)
KEYS = ["one", "'two words'", '"three"', "4", "five-5", "~", "<<"]
HEADS = st.sampled_from(["|", ">", "|-", "|+", ">+", "|2"])


@st.composite
def values(draw: st.DrawFn, column: int, depth: int = 2) -> tuple[str, list[str]]:
    """What stands behind a colon, and the lines below it; the key is at a column."""
    kinds = ["scalar", "scalar", "literal", "folded", "flow"]
    kind = draw(st.sampled_from([*kinds, *(["mapping", "list"] if depth else [])]))
    pad = " " * (column + 2)
    if kind == "scalar":
        return f" {draw(SCALARS)}{draw(BEHIND)}", []
    if kind == "literal":
        lines = [f"{pad}extensions:", f"{pad}# no comment", *draw(TRIVIA.map(_blanks)), f"{pad}a"]
        return f" {draw(HEADS)}{draw(BEHIND)}", [*lines, *draw(TRIVIA.map(_blanks))]
    if kind == "folded":
        return " plain", [f"{pad}and more", "", f"{pad}at the end{draw(BEHIND)}"]
    if kind == "flow":
        inner = [f"{pad}a: 1,{draw(BEHIND)}", f"{pad}# c", f"{pad}b: [2, 3]{draw(BEHIND)}"]
        return " {", [*inner, f"{pad}}}{draw(BEHIND)}"]
    head = draw(st.sampled_from(["", " # c", " &other", " !!map" if kind == "mapping" else ""]))
    if kind == "mapping":
        return head, draw(mappings(column + draw(st.integers(1, 4)), depth - 1))
    return head, draw(lists(column + draw(st.sampled_from([0, 2])), depth - 1))


@st.composite
def mappings(draw: st.DrawFn, column: int, depth: int, *, least: int = 1) -> list[str]:
    """The lines of a mapping whose keys is at a column."""
    lines: list[str] = []
    for key in draw(st.lists(st.sampled_from(KEYS), unique=True, min_size=least, max_size=3)):
        behind, below = draw(values(column, depth))
        lines += [*draw(TRIVIA), f"{' ' * column}{key}:{behind}", *below]
    return lines


@st.composite
def lists(draw: st.DrawFn, column: int, depth: int) -> list[str]:
    """The lines of a list whose dashes is at a column."""
    lines: list[str] = []
    gap = draw(st.integers(1, 3))
    for index in range(draw(st.integers(1, 3))):
        dash = f"{' ' * column}-"
        lines += draw(TRIVIA)
        if draw(st.booleans()):
            lines.append(f"{dash} {draw(SCALARS)}{draw(BEHIND)}")
            continue
        inner = draw(mappings(column + 1 + gap, depth))
        while not inner[0].strip() or inner[0].lstrip().startswith("#"):
            inner.pop(0)
        name = f"{' ' * (column + 1 + gap)}name: n{index}"
        lines += [f"{dash}{' ' * gap}{inner[0].lstrip()}", *inner[1:], name]
    return lines


@st.composite
def containers(draw: st.DrawFn, *, elements: bool) -> tuple[str, list[str]]:
    """A container of entries that is not null."""
    empty = "[]" if elements else "{}"
    form = draw(st.sampled_from(["block", "block", "block", "empty", "flow", "flow-lines"]))
    if form == "empty":
        return draw(st.sampled_from([" ", "   "])) + empty + draw(BEHIND), []
    if form == "block" and elements:
        return draw(BEHIND), draw(lists(draw(st.sampled_from([0, 2, 4])), 1))
    if form == "block":
        return draw(BEHIND), draw(mappings(draw(st.integers(1, 4)), 2))
    left, right = empty[0], empty[1]
    items = ["{name: one}", "{name: two}"] if elements else ["one: {cmd: q}", '"two": {}']
    if form == "flow":
        return f" {left} {', '.join(items)} {right}{draw(BEHIND)}", []
    last = draw(st.sampled_from(["", ","]))
    inner = [f"    {items[0]},{draw(BEHIND)}", "    # c", f"    {items[1]}{last}{draw(BEHIND)}"]
    return f" {left}", [*inner, f"  {right}"]


@st.composite
def yaml_texts(draw: st.DrawFn, *, elements: bool = False) -> str:
    """A whole file with a container `extensions` or `mcpServers`, or without it."""
    key = "mcpServers" if elements else "extensions"
    before = ["base: &anchor text", *draw(mappings(0, 2, least=0))]
    if draw(st.booleans()):
        behind, below = draw(containers(elements=elements))
        before += [*draw(TRIVIA), f"{key}:{behind}", *below]
    after = draw(TRIVIA)
    if draw(st.booleans()):
        after = [*after, "last: 1", *draw(TRIVIA)]
    lines = [*draw(TRIVIA), *before, *after]
    lines = [
        *draw(st.sampled_from([[], ["---"], ["%YAML 1.2", "---"], ["# top", "--- # c"]])),
        *lines,
    ]
    lines += draw(st.sampled_from([[], [], ["..."], ["... # c", "# end"]]))
    text = "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))
    if "|" in text or ">" in text:  # a block text at the end needs a line end behind it
        text += "\n"
    try:
        read(text, where="f")
    except ConfigurationError:
        assume(False)
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def _blanks(lines: list[str]) -> list[str]:
    return ["" for line in lines if not line]
