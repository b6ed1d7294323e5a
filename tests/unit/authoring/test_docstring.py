"""Descriptions from docstrings."""

import pytest

from paddock.authoring.signature import parse_docstring

GOOGLE = """Find books.

    Looks into every shelf: also the upper ones.

    Args:
        query: What to look for.
            May be long.
        limit (int, optional): How many.
        *rest: The others
        **options: More: with a colon

    Returns:
        The books.

    Raises:
        LookupError: without any.
    """

NUMPY = """
    Find books.

    Looks into every shelf: also the upper ones.

    Parameters
    ----------
    query : str
        What to look for.
        May be long.
    limit : int, optional
        How many.
    *rest
        The others
    **options : dict
        More: with a colon

    Returns
    -------
    list
        The books.
    """

SPHINX = """Find books.

    Looks into every shelf: also the upper ones.

    :param query: What to look for.
        May be long.
    :type query: str
    :param int limit: How many.
    :param rest: The others
    :param options: More: with a colon
    :returns: The books.
    :raises LookupError: without any.
    """


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_every_style_gives_the_same_descriptions(docstring: str) -> None:
    assert parse_docstring(docstring) == (
        "Find books.\n\nLooks into every shelf: also the upper ones.",
        {
            "query": "What to look for. May be long.",
            "limit": "How many.",
            "rest": "The others",
            "options": "More: with a colon",
        },
    )


@pytest.mark.parametrize(
    ("docstring", "summary"),
    [
        (None, ""),
        ("", ""),
        ("   \n  ", ""),
        ("One line.", "One line."),
        ("  Padded.  ", "Padded."),
        ("First.\n\n    Second\n    paragraph.\n", "First.\n\nSecond\nparagraph."),
        ("Steps:\n\n    1. one\n       more\n    2. two", "Steps:\n\n1. one\n   more\n2. two"),
        ("Ähnlich: ünïcödé 日本", "Ähnlich: ünïcödé 日本"),
        ("Use it.\n\n    Args:\n        none of the usual", "Use it."),
    ],
)
def test_without_parameters_it_is_all_summary(docstring: str | None, summary: str) -> None:
    assert parse_docstring(docstring) == (summary, {})


def test_an_odd_type_in_parentheses_does_not_hide_a_parameter() -> None:
    docstring = """Do.

    Args:
        shape (tuple(int, int), optional): Rows and columns.
        call (Callable[[int], str]): What to call.
    """
    assert parse_docstring(docstring)[1] == {
        "shape": "Rows and columns.",
        "call": "What to call.",
    }


def test_text_after_the_sections_of_google_style_is_summary_again() -> None:
    docstring = """Do.

    Args:
        x: This.

    Afterwards all is well.
    """
    summary, described = parse_docstring(docstring)
    assert described == {"x": "This."}
    assert " ".join(summary.split()) == "Do. Afterwards all is well."
