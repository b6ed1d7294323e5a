"""Whatever markdown says is still said after it was a notebook file."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from paddock.wolfram.notebooks import Cell, Notebook, markdown_to_notebook, notebook_to_markdown
from paddock.wolfram.notebooks.cell_markdown import escape_markdown
from tests.unit.wolfram.notebooks.conversions import saved, through_a_file

SIGNS = [*"ab1 .\n\t`*_$#|[]()<>!~-+=\\\"'{}:;&%^", "\u03b2", "中", "😀", "\u2028"]
BEGUN = [
    *("**", "``", "```", "```wl\n", "$$", "\n* ", "\n\t* ", "1. ", "\n2) ", "\n> ", "\n\n", "---"),
    *("| a | b |\n|---|---|\n", "http://a.b", "](u)", "![x](y)", "In[1]:= ", "\n\nOut[1]= 2"),
    *("\\frac{a}{b}", "x^2", "word", "\n## ", "  \n", "\\\n", "~~", "\r\n", ">> ", "\n```\n"),
]
anything = st.lists(st.sampled_from([*SIGNS, *BEGUN]), max_size=25).map("".join)

words = st.text(alphabet="abcxyz éß中0123456789.,:;!?()'\"-", min_size=1, max_size=20).map(
    str.strip
)
plain = words.filter(lambda text: text[:1].isalpha() and "  " not in text)
looks = st.sampled_from(["{}", "*{}*", "**{}**", "***{}***", "~~{}~~", "[{}](https://a.b/c)"])
phrase = st.builds(
    str.format,
    looks,
    st.text(alphabet="abc xyz", min_size=1).map(str.split).map(" ".join).filter(bool),
)
special = st.sampled_from(["``f[x]``", "$x^2$", r"$\frac{a}{b}$", r"$\unheard{of}$", "![a](b.png)"])
sentence = st.lists(plain | phrase | special, min_size=1, max_size=5).map(" ".join)
code = st.text(alphabet='fgx[]{}()+-*/^=;,." \n', max_size=40).map(str.strip).filter(bool)


def lines(sign: str) -> st.SearchStrategy[str]:
    return st.lists(sentence, min_size=1, max_size=4).map(
        lambda texts: "\n".join(sign.format(number) + text for number, text in enumerate(texts, 1))
    )


heading = st.builds("{} {}".format, st.integers(1, 6).map("#".__mul__), sentence)
fence = st.builds(
    "```{}\n{}\n```".format, st.sampled_from(["wl", "wl Code", "python", "json", ""]), code
)
evaluation = st.builds(
    "```wl\nIn[{0}]:= {1}\n\nOut[{0}]= {2}\n```".format,
    st.integers(1, 99),
    code.filter(lambda text: "\n" not in text),
    code.filter(lambda text: "\n" not in text),
)
table = st.lists(st.tuples(sentence, sentence), min_size=1, max_size=3).map(
    lambda rows: "\n".join(
        f"| {one} | {other} |" for one, other in [rows[0], (":---", "---:"), *rows[1:]]
    )
)
nested = st.builds("* {}\n\t* {}\n\t\t1. {}\n* {}".format, sentence, sentence, sentence, sentence)
formula = st.sampled_from(["$$x^2$$", r"$$\int_0^1 x\,dx$$", r"$$\unheard{of}$$"])
block = st.one_of(heading, sentence, fence, evaluation, table, nested, formula, st.just("---"))
quotation = st.one_of(sentence, nested, fence).map(
    lambda text: "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
)


@settings(max_examples=300)
@given(anything)
@example("$$a$$1.")
@example('""\\![x](y)')
@example("[```](u)```")
@example("a$$\\$$")
@example("~~~a ``")
def test_any_text_comes_back_the_same_from_the_second_time_on(markdown: str) -> None:
    once = through_a_file(markdown)
    assert through_a_file(once) == once


@settings(max_examples=300)
@given(anything.filter(str.isascii))
def test_no_letter_and_no_digit_is_lost(markdown: str) -> None:
    def kept(text: str) -> str:
        return "".join(filter(str.isalnum, text))

    assert kept(through_a_file(markdown)) == kept(markdown)


@settings(max_examples=300)
@given(st.lists(st.one_of(block, quotation), min_size=1, max_size=5))
def test_ordinary_markdown_comes_back_character_by_character(parts: list[str]) -> None:
    apart = [part for pair in zip(parts, ["---"] * len(parts), strict=True) for part in pair]
    markdown = "\n\n".join(apart) + "\n"
    assert through_a_file(markdown) == markdown


@given(st.text(max_size=60), st.sampled_from(["Title", "Text", "Item", "Subsection"]))
def test_the_text_and_style_of_a_cell_come_back_from_markdown(text: str, style: str) -> None:
    text = " ".join(text.split()) or "x"
    notebook = saved(Notebook([Cell(text, style)]))
    (cell,) = notebook
    assert (cell.content, cell.style) == (text, style)
    made = list(markdown_to_notebook(notebook_to_markdown(notebook).text))
    assert [(cell.style, notebook_to_markdown(Notebook([cell])).text) for cell in made] == [
        (style, notebook_to_markdown(notebook).text)
    ]


@given(st.text(max_size=40))
def test_escaped_text_means_nothing_to_markdown(text: str) -> None:
    text = " ".join(text.split())
    (cell,) = markdown_to_notebook(f"a {escape_markdown(text)}")
    assert cell.content == f"a {text}".rstrip()
