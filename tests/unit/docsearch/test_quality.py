"""The questions that the search is measured by: it keeps what was reached."""

import pytest

from benchmarks.docsearch import HALVES, indexed, ours, plain, quality, questions
from paddock.docsearch.corpora.standard_library import StandardLibrary
from paddock.docsearch.corpora.wolfram_symbols import SymbolDescriptions
from paddock.docsearch.embeddings.model_choice import MODEL_VARIABLE, NO_VECTORS, STATIC_VECTORS
from paddock.docsearch.index_store import IndexStore
from paddock.docsearch.indexer import update_index

CORPORA = {"wolfram": "wolfram-symbols", "python": "python-stdlib"}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexStore:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MODEL_VARIABLE, STATIC_VECTORS)
        database, _ = indexed(tmp_path_factory.mktemp("index") / "index.db", SymbolDescriptions())
        update_index(database, [StandardLibrary()])
    return database


@pytest.mark.parametrize("corpus", CORPORA)
def test_most_reported_questions_are_answered_among_five_pages(
    corpus: str, index: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODEL_VARIABLE, STATIC_VECTORS)
    found = quality(questions(corpus, "report"), ours(index, CORPORA[corpus]))
    assert found.early >= 0.85, found.missed


@pytest.mark.parametrize("corpus", CORPORA)
def test_it_finds_more_than_plain_words_in_the_documentation(
    corpus: str, index: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODEL_VARIABLE, STATIC_VECTORS)
    asked = questions(corpus, "report")
    name = CORPORA[corpus]
    words = quality(asked, plain(index, name, with_our_words=False))
    assert quality(asked, ours(index, name)).early >= words.early + 0.15


@pytest.mark.parametrize("corpus", CORPORA)
def test_without_vectors_words_are_still_found(
    corpus: str, index: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODEL_VARIABLE, NO_VECTORS)
    assert quality(questions(corpus, "report"), ours(index, CORPORA[corpus])).early >= 0.8


def test_no_question_is_in_both_halves() -> None:
    for corpus in CORPORA:
        tuned, reported = ({q.text for q in questions(corpus, half)} for half in HALVES)
        assert not tuned & reported
        assert len(tuned) + len(reported) >= 120


def test_every_answer_about_wolfram_is_a_symbol_that_we_describe() -> None:
    corpus = SymbolDescriptions()
    known = {
        page.title for source in corpus.list_sources() for page in corpus.read_pages(source.key)
    }
    assert len(known) >= 1_000
    for half in HALVES:
        for question in questions("wolfram", half):
            assert question.answers & known, question.text
