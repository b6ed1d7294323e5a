"""The page on what each engine can do is what the corpus and the lists of gaps say."""

from pathlib import Path

from tests.engines.coverage import page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "engine-coverage.md"


def test_the_page_is_the_one_that_is_written_from_the_corpus() -> None:
    assert PAGE.read_text("utf-8") == page(), (
        "python -m tests.engines.coverage > docs/reference/engine-coverage.md"
    )
