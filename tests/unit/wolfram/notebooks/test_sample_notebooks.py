"""Notebooks as front ends of different ages save them."""

from pathlib import Path

import pytest

from paddock.wolfram.notebooks import (
    Cell,
    boxes_to_text,
    markdown_to_notebook,
    notebook_to_markdown,
    read_notebook,
    write_notebook,
)
from tests.unit.wolfram.notebooks.conversions import through_a_file

SAMPLES = sorted((Path(__file__).parents[3] / "samples" / "notebooks").glob("*.nb"))

samples = pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)


@samples
def test_a_notebook_reads_as_the_markdown_beside_it(path: Path) -> None:
    notebook = read_notebook(path.read_text(encoding="ascii"))
    assert notebook.problems == []
    expected = path.with_suffix(".txt").read_text(encoding="utf-8")
    assert notebook_to_markdown(notebook).text == expected


@samples
def test_writing_a_notebook_again_loses_nothing(path: Path) -> None:
    notebook = read_notebook(path.read_text(encoding="ascii"))
    text = write_notebook(notebook)
    again = read_notebook(text)
    assert text.isascii()
    assert [_facts(cell) for cell in again] == [_facts(cell) for cell in notebook]
    assert write_notebook(again) == text
    assert again.options.keys() == notebook.options.keys()


@samples
def test_its_markdown_makes_a_notebook_with_the_same_markdown(path: Path) -> None:
    markdown = path.with_suffix(".txt").read_text(encoding="utf-8")
    assert through_a_file(markdown) == markdown


@pytest.mark.parametrize("name", ["lecture", "prose"])
def test_a_notebook_made_of_its_markdown_has_cells_of_the_same_styles(name: str) -> None:
    path = next(path for path in SAMPLES if path.stem == name)
    notebook = read_notebook(path.read_text(encoding="ascii"))
    made = markdown_to_notebook(path.with_suffix(".txt").read_text(encoding="utf-8"))
    others = {"Subtitle": "Text", "DisplayFormulaNumbered": "DisplayFormula"}
    before = [others.get(cell.style, cell.style) for cell in notebook]
    assert [cell.style.replace("Delimiter", "Text") for cell in made] == before


def test_options_groups_and_tagging_rules_are_there_for_programs() -> None:
    path = next(path for path in SAMPLES if path.stem == "lecture")
    notebook = read_notebook(path.read_text(encoding="ascii"))
    assert notebook.tagging_rules == {"Course": "Mechanics", "Week": 2}
    section = next(cell for cell in notebook if cell.style == "Section")
    assert section.get_option_text("CellTags") == "small"
    assert [cell.label for cell in notebook if cell.label][:3] == ["In[1]:=", "Out[2]=", "In[3]:="]


def _facts(cell: Cell) -> tuple[object, ...]:
    content = cell.content
    text = content if isinstance(content, str) else boxes_to_text(content)
    return text, cell.styles, cell.label, list(cell.options)
