"""`PythonDoc` writes and checks docstrings and pages, and changes nothing else."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import indent

import pytest

from paddock import Server, connect
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.toolkits.python.tools import python_doc_tool as tool

SEAS = '''\
#!/usr/bin/env python
# Seas.

import math   # kept


@memo
def tide(  # a comment
    hour: int, *, height=2.5,
):
    # before the code
    return height*math.sin( hour )


class Sea:
    """A sea.

    Args:
        name: What it is called.
    """

    def __init__(self, name: str) -> None: self.name = name

    def depth(self): return 3
'''

GOOGLE = """\
Args:
    a (int): One.
        More.
    b: Two.

Returns:
    The sum."""
NUMPY = """\
Parameters
----------
a : int
    One.
    More.
b
    Two.

Returns
-------
int"""
REST = """\
:param a: One.
    More.
:type a: int
:param b: Two.
:returns: The sum."""


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setattr("tempfile.tempdir", str(place))
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))
    (place / "seas.py").write_text(SEAS)
    return place


@pytest.fixture
def do() -> Iterator[Callable[..., str]]:
    with connect(Server("s", tools=[tool])) as peer:

        def call(operation: str, file: str = "seas.py", **more: object) -> str:
            answer = peer.call("PythonDoc", {"operation": operation, "file": file, **more})
            assert not answer.is_error, answer.text
            return answer.text

        yield call


def refused(operation: str, file: str = "seas.py", **more: object) -> str:
    with connect(Server("s", tools=[tool])) as peer:
        answer = peer.call("PythonDoc", {"operation": operation, "file": file, **more})
    assert answer.is_error
    return answer.text


def test_a_docstring_is_added_and_all_else_stays(do: Callable[..., str], work: Path) -> None:
    text = do("createDocstring", symbol="tide", content="The height.\n\nArgs:\n    hour: When.")
    assert (work / "seas.py").read_text() == SEAS.replace(
        "    # before the code\n",
        '    """The height.\n\n    Args:\n        hour: When.\n    """\n    # before the code\n',
    )
    assert text == (
        f"Changed the docstring of `tide`: `{work / 'seas.py'}:8`\n\n"
        "```text\nThe height.\n\nArgs:\n    hour: When.\n```\n\n"
        "Remaining problems:\n\n- `tide` does not describe `height`"
    )


def test_a_body_on_the_line_of_its_header_gets_lines_of_its_own(
    do: Callable[..., str], work: Path
) -> None:
    do("createDocstring", symbol="Sea.depth", content="How deep it is.")
    assert (work / "seas.py").read_text() == SEAS.replace(
        "def depth(self): return 3",
        'def depth(self):\n        """How deep it is."""\n        return 3',
    )


def test_that_of_a_module_comes_after_its_first_comments(
    do: Callable[..., str], work: Path
) -> None:
    do("createDocstring", content="All seas.")
    assert (work / "seas.py").read_text() == SEAS.replace(
        "# Seas.\n\n", '# Seas.\n"""All seas."""\n\n'
    )


@pytest.mark.parametrize(
    ("style", "before", "after"),
    [
        ("google", "Returns:\n    The sum.", GOOGLE),
        ("numpy", "Returns\n-------\nint", NUMPY),
        ("rest", ":returns: The sum.", REST),
    ],
)
def test_a_section_is_written_in_the_style_of_the_docstring(
    do: Callable[..., str], work: Path, style: str, before: str, after: str
) -> None:
    def code(rest: str) -> str:
        lines = indent(f"Sum.\n\n{rest}\n", "    ").strip()
        return f'def add(a, b):\n    """{lines}\n    """\n    return a + b  # sum\n'

    (work / "a.py").write_text(code(before))
    content = "a (int): One.\n    More.\nb: Two."
    for _ in range(2):  # the second time it exists already
        do("setDocstringSection", "a.py", symbol="add", section="Args", content=content)
        assert (work / "a.py").read_text() == code(after), style
    do("setDocstringSection", "a.py", symbol="add", section="parameters", content="a: 1\nb: 2")
    assert "One." not in (work / "a.py").read_text()


@pytest.mark.parametrize(
    "content",
    [
        'Says "so"',
        "C:\\new and \\d+",
        'Has """ and \\',
        "Two.\n\n    Indented.\n\nLast.",
        "Umlauts: äöü",
        "Ends with \\",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("old", ["'''Old.'''", 'r"""\n    Old.\n\n    More."""', '"Old."'])
def test_any_text_can_be_a_docstring(
    do: Callable[..., str], work: Path, content: str, newline: str, old: str
) -> None:
    code = f"class A:\n    def f(self): {old}; x = 1 # end\n".replace("\n", newline)
    (work / "a.py").write_bytes(code.encode())
    do("setDocstring", "a.py", symbol="A.f", content=content)
    after = (work / "a.py").read_bytes().decode()
    tree = ast.parse(after)
    found = tree.body[0]
    assert isinstance(found, ast.ClassDef)
    method = found.body[0]
    assert isinstance(method, ast.FunctionDef)
    assert ast.get_docstring(method) == content
    assert after.endswith(f"; x = 1 # end{newline}")
    assert after.count("\n") == after.count(newline)


def test_a_docstring_is_removed_with_its_line(do: Callable[..., str], work: Path) -> None:
    (work / "a.py").write_text('def f():\n    """Old."""\n    return 1\n\ndef g():\n    "All."\n')
    do("removeDocstring", "a.py", symbol="f")
    do("removeDocstring", "a.py", symbol="g")
    assert (work / "a.py").read_text() == "def f():\n    return 1\n\ndef g():\n    ...\n"


def test_the_encoding_of_a_file_is_kept_and_what_it_lacks_is_reported(
    do: Callable[..., str], work: Path
) -> None:
    text = "# coding: latin-1\nx = 'é'\n"
    (work / "a.py").write_bytes(text.encode("latin-1"))
    assert "the file is in iso-8859-1, which cannot encode '→'" in refused(
        "createDocstring", "a.py", content="a → b"
    )
    assert (work / "a.py").read_bytes() == text.encode("latin-1")
    do("createDocstring", "a.py", content="Café.")
    expected = '# coding: latin-1\n"""Café."""\n\nx = \'é\'\n'
    assert (work / "a.py").read_bytes() == expected.encode("latin-1")


def test_a_package_with_broken_docstrings_is_checked(do: Callable[..., str], work: Path) -> None:
    package = work / "package"
    package.mkdir()
    (package / "__init__.py").write_text('"""Fine."""\n')
    (package / "a.py").write_text(
        '"""Broken."""\n\n\ndef f(x, y):\n    """F.\n\n    Args:\n        z: No such.\n'
        "        x: One.\n        x: Again.\n\n    Returns:\n        Never.\n"
        '    """\n    print(x)\n\n\nclass A:\n    def m(self): pass\n    def _own(self): pass\n\n\n'
        'def g(a):\n    """G.\n\n    :param a: In another style.\n    """\n\n\n'
        'def h():\n    """ """\n'
    )
    (package / "b.py").write_text("def broken(:\n")
    (package / "c.py").write_bytes(b"x = '\xff'\n")
    text = do("checkDocstrings", "package")
    assert text.partition("## ")[2].splitlines()[2:10] == [
        "- Line 4: `f` describes `z`, which is not a parameter",
        "- Line 4: `f` describes `x` more than once",
        "- Line 4: `f` does not describe `y`",
        "- Line 4: `f` describes a return value, but returns none",
        "- Line 18: `A` has no docstring",
        "- Line 19: `A.m` has no docstring",
        "- Line 23: `g` is in rest style, but the file is in google style",
        "- Line 30: `h` has an empty docstring",
    ]
    assert "**Files:** 4\n\n**Findings:** 10" in text
    assert "## b.py\n\n- invalid Python: " in text
    assert "## c.py\n\n- the file cannot be read: " in text


def test_a_page_is_made_of_what_a_module_says(do: Callable[..., str], work: Path) -> None:
    done = do("createPage", page="docs/seas.md", content="For sailors.")
    page = work / "docs/seas.md"
    assert done == f"Wrote the page `{page}` with 2 sections"
    assert page.read_text() == (
        "# seas\n\nFor sailors.\n\n"
        "## tide\n\n```py\ndef tide(hour: int, *, height=2.5)\n```\n\n"
        "## Sea\n\n```py\nclass Sea\n```\n\nA sea.\n\n"
        "| Parameters | Type | |\n|---|---|---|\n| `name` | str | What it is called. |\n\n"
        "### depth\n\n```py\ndef depth()\n```\n"
    )
    assert "the file exists already" in refused("createPage", page="docs/seas.md")


def test_sections_of_a_page_are_edited_in_place(do: Callable[..., str], work: Path) -> None:
    page = "# A\r\n\r\n```sh\r\n# B\r\n```\r\n\r\n## B\r\nold\r\n### Below\r\nx\r\n## C  \r\nlast"
    (work / "a.md").write_bytes(page.encode())
    do("setPageSection", "a.md", section="B", content="new\nlines")
    do("addPageSection", "a.md", section="### D", content="d")
    assert (work / "a.md").read_bytes().decode() == (
        page.replace("## B\r\nold\r\n", "## B\r\n\r\nnew\r\nlines\r\n\r\n")
        + "\r\n\r\n### D\r\n\r\nd\r\n"
    )
    do("removePageSection", "a.md", section="B")
    do("removePageSection", "a.md", section="C")
    assert (work / "a.md").read_bytes().decode() == "# A\r\n\r\n```sh\r\n# B\r\n```\r\n\r\n"


@pytest.mark.parametrize(
    ("operation", "arguments", "told"),
    [
        ("setDocstrings", {}, "did you mean setDocstring"),
        ("setDocstring", {"symbol": "tide"}, "setDocstring requires `content`"),
        ("setDocstring", {"symbol": "tid", "content": "x"}, "did you mean tide?"),
        ("createDocstring", {"symbol": "Sea", "content": "x"}, "Sea has a docstring already"),
        (
            "setDocstringSection",
            {"section": "Arg", "content": "x"},
            "unknown docstring section 'Arg'",
        ),
        (
            "setDocstringSection",
            {"symbol": "tide", "section": "Args", "content": "x: y"},
            "tide has no docstring",
        ),
        ("createPage", {}, "createPage requires `page`"),
        ("createPage", {"page": "a.md", "symbol": "no"}, "cannot create the page"),
        ("setPageSection", {"section": "x", "content": "y"}, "there is no section 'x'"),
        (
            "createDocstring",
            {"file": "gone.py", "content": "x"},
            "the file does not exist: gone.py",
        ),
        ("createDocstring", {"file": "/etc/x.py", "content": "x"}, "is outside the folders"),
        ("setDocstring", {"file": "broken.py", "content": "x"}, "invalid Python"),
    ],
)
def test_what_cannot_be_done_is_reported_and_nothing_is_changed(
    work: Path, operation: str, arguments: dict[str, str], told: str
) -> None:
    (work / "broken.py").write_text("def f(:\n")
    assert told in refused(operation, **arguments)
    assert (work / "seas.py").read_text() == SEAS
    assert sorted(path.name for path in work.iterdir()) == ["broken.py", "seas.py"]
